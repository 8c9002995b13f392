import pytest

from rag.documents import Passage
from rag.zim.address import ArticleAddress, is_article, month_of, parse_article, tell_archive, tell_origin
from utils.errors import DocumentError


@pytest.mark.parametrize(
    ("archive", "path"),
    [
        ("towns", "Ostermark_Bridge"),
        ("wikipedia_de_all_2024-03", "A/Brücke_(Ostermark)"),
        ("my archive", "../../etc/passwd"),
        ("a/b", "what?is=this#place%20"),
        ("日本語", "橋"),
        ("x", "a\nb\x1b[31m"),
    ],
)
def test_an_address_leads_back_to_archive_and_path_whatever_they_are_called(archive: str, path: str) -> None:
    address = str(ArticleAddress(archive, path))
    assert address.isascii() and address.isprintable()
    assert parse_article(address) == ArticleAddress(archive, path)


@pytest.mark.parametrize(
    "address", ["", "zim://", "zim:///x", "zim://a", "zim://a/", "https://a/b", f"zim://a/{'b' * 9000}"]
)
def test_what_is_no_address_of_an_article_is_refused(address: str) -> None:
    with pytest.raises(DocumentError):
        parse_article(address)


def test_a_web_page_and_a_file_are_no_articles() -> None:
    assert [is_article(source) for source in ("ZIM://a/b", "https://zim://a/b", "/zim://a", "zim:/a/b")] == [
        True,
        False,
        False,
        False,
    ]


def test_it_is_said_from_which_archive_an_article_is_and_of_when() -> None:
    article = Passage("", "zim://wiki%20en/Bridge", "Bridge", "web", fetched="2024-03-15T00:00:00+00:00")
    assert tell_origin(article) == "from the archive wiki en, of March 2024"
    assert tell_archive(article.source, "") == "the archive wiki en"
    assert tell_archive("zim://a%0A%1B%5B31mb/c", "") == "the archive a b"
    assert tell_archive("https://a.example/", "2024-03-15") == ""
    page = Passage("", "https://a.example/", "A", "web", fetched="2026-11-20T08:00:00+00:00")
    assert [tell_origin(page), tell_origin(page, "changed", 16)] == ["read 2026-11-20", "changed 2026-11-20 08:00"]
    assert [month_of("2024"), month_of("0000-00-00")] == ["", ""]
