"""Filters are written as `name=value`, and keep a search to the documents that fit all of them."""

from dataclasses import replace

import pytest

from rag.documents import Document, Properties
from rag.search.filters import parse_filters, take_filters
from rag.search.search import SearchOptions
from rag.stored import Filters
from tests.fakes.kept_in import BEFORE_SERVER_SEARCH
from tests.fakes.torture import opened, ready
from utils.errors import ConfigError


@pytest.mark.parametrize(
    ("written", "filters"),
    [
        (["author=Ann Bird", "tag=a", "tag=b"], Filters(authors=("Ann Bird",), tags=("a", "b"))),
        (["type=pdf", "type=text/html"], Filters(media_types=("application/pdf", "text/html"))),
        (["type=.MD", "type=mail"], Filters(media_types=("text/markdown", "message/rfc822"))),
        (["language=DE", "kind=file", "source=notes"], Filters(("notes",), ("file",), languages=("de",))),
        (["date=2026"], Filters(since="2026-01-01T00:00:00", until="2026-12-31T23:59:59")),
        (["date=2026-02"], Filters(since="2026-02-01T00:00:00", until="2026-02-28T23:59:59")),
        (["date=2025-12..2026-01-15"], Filters(since="2025-12-01T00:00:00", until="2026-01-15T23:59:59")),
        (["date=2026.."], Filters(since="2026-01-01T00:00:00")),
        (
            ["since=2026-11-25", "until=2026-11-25T12:00"],
            Filters(since="2026-11-25T00:00:00", until="2026-11-25T12:00:00"),
        ),
    ],
)
def test_filters_are_read_as_they_are_written(written, filters):
    assert parse_filters(written, Filters()) == filters


@pytest.mark.parametrize(
    "written", ["author", "author=", "colour=red", "type=nonsense", "date=soon", "date=2026-13", "kind=x"]
)
def test_what_is_no_filter_is_said(written):
    with pytest.raises(ConfigError, match=r"^.+\. .+\.$"):
        parse_filters([written], Filters())


@pytest.mark.parametrize(
    ("text", "query", "filters"),
    [
        (
            'tag=birds author="Ann Bird" why date=None?',
            "why date=None?",
            Filters(authors=("Ann Bird",), tags=("birds",)),
        ),
        ("herons --tag birds --filter type=pdf", "herons", Filters(media_types=("application/pdf",), tags=("birds",))),
        ("what is a tag=x in HTML", "what is a tag=x in HTML", Filters()),
    ],
)
def test_filters_stand_before_a_question(text, query, filters):
    assert take_filters(text) == (query, filters)


NOTES = (
    Document("/a.md", "A", "Herons wait for fish.", "file", "text/markdown", "2026-11-01T00:00:00+00:00",
             properties=Properties("Änne Bird", "2024-05-06", ("Birds", "water"), "en")),
    Document("/b.md", "B", "Herons sleep in trees.", "file", "text/markdown", "2026-11-01T00:00:00+00:00",
             properties=Properties("Bob", "", ("birds", "STRASSE"), "de")),
    Document("/c.txt", "C", "Herons fly south.", "file", "text/plain", "2025-01-01T00:00:00+00:00"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (["author=änne"], {"/a.md"}),
        (["author=ÄNNE", "author=bob"], {"/a.md", "/b.md"}),
        (["tag=BIRDS"], {"/a.md", "/b.md"}),
        (["tag=birds", "tag=water"], {"/a.md"}),
        (["language=de"], {"/b.md"}),
        (["date=2024"], {"/a.md"}),
        (["since=2025"], {"/b.md", "/c.txt"}),
        (["type=md", "until=2025"], {"/a.md"}),
        (["tag=fish"], set()),
        ([], {"/a.md", "/b.md", "/c.txt"}),
        (["tag=straße"], {"/b.md"}),
    ],
)
async def test_a_search_is_kept_to_what_fits_all_filters(tmp_path, kept_in, written, found):
    library = await opened(tmp_path)
    await library.add_all(list(NOTES))
    await ready(library)
    for mode in ("bm25", "vector", "hybrid"):
        options = SearchOptions(mode, filters=parse_filters(written, Filters()), relevant_only=False)
        assert {passage.source for passage in await library.search("herons", 9, options)} == found
    await library.close()


# As the form of a library was before there were properties.
OLDER = {
    "sqlite": (
        "ALTER TABLE documents DROP COLUMN properties",
        "ALTER TABLE collections DROP COLUMN chunk_tokenizer",
        "PRAGMA user_version = 4",
    ),
    "postgres": (
        *BEFORE_SERVER_SEARCH,
        "ALTER TABLE documents DROP COLUMN properties, DROP COLUMN dated, DROP COLUMN shown_author,"
        " DROP COLUMN shown_tags",
        "ALTER TABLE collections DROP COLUMN chunk_tokenizer",
        "UPDATE form SET version = 1",
    ),
}


async def found_with(library, *written):
    options = SearchOptions(filters=parse_filters(written, Filters()), relevant_only=False)
    return {passage.source for passage in await library.search("herons", 9, options)}


async def test_an_older_library_learns_what_its_documents_say_when_they_are_met_again(tmp_path, kept_in):
    library = await opened(tmp_path)
    await library.add_all(list(NOTES))
    await library.close()
    kept_in.execute(*OLDER[kept_in.backend])
    library = await opened(tmp_path)
    assert await found_with(library, "tag=water") == await found_with(library, "date=2024") == set()
    assert await found_with(library, "until=2025") == {"/c.txt"}
    await library.add_all(list(NOTES))
    assert await found_with(library, "tag=water") == await found_with(library, "date=2024") == {"/a.md"}
    assert await found_with(library, "until=2025") == {"/a.md", "/c.txt"}
    await library.close()


async def test_what_a_document_says_is_kept_as_it_said_it_and_changes_with_it(tmp_path, kept_in):
    library = await opened(tmp_path)
    odd = replace(NOTES[0], properties=Properties("Odd \0 \U0010ffff", "soon", ("\0", '"{}",'), "de"))
    await library.add(odd)
    assert await library.find_document(odd.source) == odd
    assert await found_with(library, "until=9000") == await found_with(library, "since=1000") == set()
    assert await library.add(replace(odd, properties=Properties(author="Ann"))) == 0
    assert await found_with(library, "author=ann", "date=2026-11") == {odd.source}
    assert await found_with(library, 'tag="{}",') == set()
    await library.close()
