import pytest

from chatbot.library.contents import DocumentPage, ListRequest, parse_request
from rag.stored import DocumentQuery


@pytest.mark.parametrize(
    ("text", "request_read", "said_again"),
    [
        ("", ListRequest(), ""),
        ("bird nests", ListRequest(DocumentQuery(words=("bird", "nests"))), "bird nests"),
        ("Web by SIZE page 3", ListRequest(DocumentQuery(origins=("web",), sort="size"), 3), "web by size page 3"),
        (
            "web pages and files",
            ListRequest(DocumentQuery(words=("and",), origins=("web", "web", "file"))),
            "and web web files",
        ),
        ("snippets", ListRequest(DocumentQuery(origins=("snippet",))), "snippets"),
        ("in notes x", ListRequest(DocumentQuery(words=("x",), collections=("notes",))), "x in notes"),
        ("in love by hand", ListRequest(DocumentQuery(words=("in", "love", "by", "hand"))), '"in" love "by" hand'),
        ('"in" "page 3"', ListRequest(DocumentQuery(words=("in", "page 3"))), '"in" "page 3"'),
        ("page 0", ListRequest(DocumentQuery(words=("0",), origins=("web",))), "0 web"),
    ],
)
def test_a_list_is_asked_for_in_words(text, request_read, said_again):
    request = parse_request(text, ("notes",))
    assert request == request_read
    assert str(request) == said_again
    assert parse_request(said_again, ("notes",)) == request


def test_a_page_tells_what_it_is_of_how_much():
    documents = [None] * 3
    counts = {"file": 1_200, "web": 1}
    page = DocumentPage(documents, counts, 2, 3)  # type: ignore[arg-type]
    assert (str(page), page.pages) == ("4 to 6 of 1,201: 1,200 files, 1 web page.", 401)
    assert str(DocumentPage(documents, {"snippet": 3}, 1, 9)) == "3 search results."  # type: ignore[arg-type]
