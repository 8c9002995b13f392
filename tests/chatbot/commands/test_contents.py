from types import SimpleNamespace

import pytest

from chatbot.commands.library.contents import library as list_library
from chatbot.conversation.events import Event, Listing, Notice
from chatbot.frontends.terminal.drawing.tables import listing_table
from rag.documents import Document
from rag.library import Library
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.rag.test_library import HERONS, MAGPIES

RECORD = Document("b12", "Gulls", "Gulls cry.", "file", container="/birds/corpus.jsonl")
REMOVES = "/rag-remove <number> takes one out."


@pytest.fixture
async def app(tmp_path):
    settings = RagSettings()
    library = await Library.open(tmp_path, settings, WordEmbedder())
    yield SimpleNamespace(
        library=library,
        configuration=SimpleNamespace(values=SimpleNamespace(rag=settings)),
        profile=SimpleNamespace(collection="", chosen=()),
    )
    await library.close()


async def told(app, argument: str = "") -> list[Event]:
    return [event async for event in list_library.run(app, argument)]


def web_page(number: int) -> Document:
    return Document(f"https://birds.example/{number}", f"Page {number:02}", f"Text {number}.", "web")


async def test_files_and_pages_are_listed_apart_with_where_they_are_from(app):
    for document in (MAGPIES, RECORD, web_page(1)):
        await app.library.add(document)
    files, pages, end = await told(app)
    today = files.rows[0][1]
    assert files == Listing(
        "Files (2)",
        ("number", "added", "chunks", "document"),
        (("2", today, "1", "Gulls\nb12 in /birds/corpus.jsonl"), ("1", today, "1", "Magpies\n/birds/magpie.md")),
    )
    assert (pages.title, pages.rows) == ("Web pages (1)", (("3", today, "1", "Page 01\nhttps://birds.example/1"),))
    assert end == Notice(f"2 files, 1 web page. {REMOVES}")


async def test_a_table_of_documents_is_aligned_at_60_columns(app):
    await app.library.add(MAGPIES)
    [files, _] = await told(app)
    assert len(listing_table(files, 60)) == 2


async def test_no_more_than_a_page_is_shown_and_the_next_one_is_said(app):
    for number in range(20):
        await app.library.add(web_page(number))
    listing, end = await told(app, "web by title")
    assert [row[3].split("\n")[0] for row in listing.rows] == [f"Page {number:02}" for number in range(15)]
    assert end == Notice(f"1 to 15 of 20: 20 web pages. /library web by title page 2 goes on. {REMOVES}")
    listing, end = await told(app, "web by title page 2")
    assert [row[3].split("\n")[0] for row in listing.rows] == [f"Page {number:02}" for number in range(15, 20)]
    assert end == Notice(f"16 to 20 of 20: 20 web pages. {REMOVES}")
    assert await told(app, "page 3") == [Notice("There is no page 3; the last one is 2.")]


async def test_other_collections_are_named_and_can_be_listed(app):
    await app.library.add(MAGPIES)
    await app.library.add(HERONS, collection="waders")
    *_, end = await told(app)
    assert end == Notice(f"1 file. {REMOVES} Other collections: waders (1); /library in <name> lists one.")
    listing, _ = await told(app, "in waders")
    assert [row[3] for row in listing.rows] == ["Herons\n/birds/heron.md"]


async def test_nothing_is_said_in_a_sentence(app):
    assert await told(app) == [Notice("Nothing is in it yet; /rag-index fills it.")]
    await app.library.add(MAGPIES)
    assert await told(app, "herons") == [Notice("Nothing in the library fits that.")]
