from dataclasses import replace
from pathlib import Path

import pytest

from rag.catalogue import AmbiguousName
from rag.documents import Document
from rag.library import Library
from rag.stored import DocumentQuery
from tests.rag.test_library import HERONS, MAGPIES, TAXES, opened

pytestmark = pytest.mark.usefixtures("kept_in")
PAGE = Document(
    "https://birds.example/gull", "Äußerst laute Möwen", "Gulls cry.", "web", fetched="2026-11-25T10:00:00Z"
)
RESULT = Document("https://birds.example/tern", "Terns", "Terns dive.", "snippet", fetched="2026-11-25T10:00:00Z")
LONG = replace(HERONS, source="/birds/long.md", title="A long one", text="\n\n".join(["Herons wait. " * 8] * 5))


@pytest.fixture
async def library(tmp_path: Path):
    library = await opened(tmp_path)
    for document in (RESULT, MAGPIES, PAGE, HERONS):
        await library.add(document)
    await library.add(TAXES, collection="law")
    yield library
    await library.close()


async def titles(library: Library, offset: int = 0, limit: int = 9, **wanted) -> list[str]:
    query = DocumentQuery(**{"collections": ("rag_documents",), **wanted})
    return [one.title for one in await library.catalogue.page(query, offset, limit)]


async def test_files_are_listed_before_pages_and_those_before_search_results_each_newest_first(library):
    assert await titles(library) == ["Herons", "Magpies", PAGE.title, "Terns"]
    query = DocumentQuery(collections=("rag_documents",))
    assert await library.catalogue.counts(query) == {"file": 2, "web": 1, "snippet": 1}


async def test_a_document_is_listed_with_all_but_its_text(library):
    [page] = await library.catalogue.page(DocumentQuery(origins=("web",)), 0, 9)
    assert replace(page, added=page.added[:4], number=0).__dict__ == {
        "number": 0,
        "collection": "rag_documents",
        "source": PAGE.source,
        "title": PAGE.title,
        "origin": "web",
        "media_type": "text/plain",
        "fetched": PAGE.fetched,
        "container": "",
        "chunks": 1,
        "added": page.added[:4],
    }


async def test_a_number_stays_with_its_document_and_is_never_given_again(library):
    before = {one.title: one.number for one in await library.catalogue.page(DocumentQuery(), 0, 9)}
    await library.remove(HERONS.source)
    await library.add(replace(HERONS, title="Egrets"))
    after = {one.title: one.number for one in await library.catalogue.page(DocumentQuery(), 0, 9)}
    assert after.pop("Egrets") > max(before.values())
    assert after.items() <= before.items()


async def test_a_page_follows_the_one_before_it(library):
    assert await titles(library, 0, 3) == ["Herons", "Magpies", PAGE.title]
    assert await titles(library, 3, 3) == ["Terns"]
    assert await titles(library, 6, 3) == await titles(library, 10**30, 10**30) == []


async def test_documents_are_sorted_by_title_and_by_size(library):
    await library.add(LONG)
    assert await titles(library, sort="title", origins=("file",)) == ["A long one", "Herons", "Magpies"]
    assert (await titles(library, sort="size"))[:2] == ["A long one", "Herons"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (("MÖWEN",), [PAGE.title]),
        (("birds.example",), [PAGE.title, "Terns"]),
        (("birds.example", "tern"), ["Terns"]),
        (("100%",), []),
        (("\ud800",), []),
    ],
)
async def test_words_are_looked_for_in_title_and_source_in_whatever_case(library, words, found):
    assert await titles(library, words=words) == found


async def test_several_collections_are_listed_together_and_all_where_none_is_named(library):
    assert await titles(library, collections=("law",)) == ["Taxes"]
    assert (
        len(await titles(library, collections=("law", "rag_documents")))
        == len(await titles(library, collections=()))
        == 5
    )


async def number_of(library: Library, title: str) -> int:
    [found] = [one for one in await library.catalogue.page(DocumentQuery(), 0, 99) if one.title == title]
    return found.number


@pytest.mark.parametrize("name", ["/birds/heron.md", "herons", "HERON.md", "birds/heron.md", "Her…", "#{}", "{}"])
async def test_a_file_is_removed_by_each_name_that_a_list_shows(library, name):
    assert await library.remove(name.format(await number_of(library, "Herons"))) == 1
    assert await titles(library) == ["Magpies", PAGE.title, "Terns"]


@pytest.mark.parametrize("name", [PAGE.source, PAGE.title.upper(), "Äußerst la…", "{}"])
async def test_a_page_is_removed_by_each_name_that_a_list_shows(library, name):
    assert await library.remove(name.format(await number_of(library, PAGE.title))) == 1
    assert await titles(library) == ["Herons", "Magpies", "Terns"]


async def test_a_name_that_several_documents_have_lists_them_and_removes_none(library):
    await library.add(replace(HERONS, source="/old/heron.md", title="Old herons", text="Herons once."))
    with pytest.raises(AmbiguousName) as failure:
        await library.remove("heron.md")
    assert [one.source for one in failure.value.candidates] == ["/old/heron.md", "/birds/heron.md"]
    numbers = [one.number for one in failure.value.candidates]
    assert str(failure.value) == (
        "2 documents are called 'heron.md'."
        f" Name one by its number: #{numbers[0]} (/old/heron.md), #{numbers[1]} (/birds/heron.md)."
    )
    assert len(await titles(library)) == 5
    assert await library.remove(f"#{numbers[1]}") == 1


async def test_a_number_that_is_also_a_title_or_a_source_is_ambiguous_and_with_its_mark_it_is_not(library):
    number = await number_of(library, "Magpies")
    await library.add(replace(HERONS, source=str(number), title="A record", text="Herons fly."))
    with pytest.raises(AmbiguousName, match="2 documents are called"):
        await library.remove(str(number))
    await library.remove("A record")
    await library.add(replace(HERONS, source="/birds/year.md", title=str(number), text="Herons in a year."))
    with pytest.raises(AmbiguousName, match="2 documents are called"):
        await library.remove(str(number))
    assert await library.remove(f"#{number}") == 1
    assert await library.remove(str(number)) == 1
    assert await titles(library) == ["Herons", PAGE.title, "Terns"]


async def test_a_number_holds_in_all_collections_unless_one_is_named(library):
    number = await number_of(library, "Taxes")
    assert await library.remove(str(number), "rag_documents") == 0
    assert await library.remove(str(number)) == 1
    assert await titles(library, collections=("law",)) == []


@pytest.mark.parametrize("name", ["", "\u200b", "…", "#", "99", "#99", "9" * 30, "eron.md", "birds.example", "\ud800"])
async def test_what_names_nothing_removes_nothing(library, name):
    assert await library.remove(name) == 0
    assert len(await titles(library)) == 4


async def test_a_site_and_a_folder_are_removed_whole_and_what_only_begins_like_them_stays(library):
    for source in ("https://birds.examples/x", "/birdsong/a.md"):
        await library.add(replace(HERONS, source=source, title=source, text=source))
    assert await library.remove("https://birds.example") == 2
    assert await library.remove("/birds/") == 2
    assert await titles(library) == ["/birdsong/a.md", "https://birds.examples/x"]
