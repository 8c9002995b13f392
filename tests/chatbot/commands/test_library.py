import asyncio
import re
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from chatbot.commands.library import contents as commands
from chatbot.conversation.events import Event, Listing, Notice, Progress
from chatbot.library.removal import remove_named
from rag.documents import Document
from rag.library import Library
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tools.library_search import SearchScope
from utils.errors import ConfigError, DocumentError, LibraryError


class Pages:
    """Stands for the fetcher: one page, and the error of all others."""

    async def fetch(self, url: str) -> Document:
        if url != "https://birds.example/heron":
            raise DocumentError("birds.example answers 404 (Not Found).")
        return Document(url, "Herons", "Herons wait for fish.", "web", "text/html")


def chat_with(library: Library | None, settings: RagSettings) -> SimpleNamespace:
    """What the commands use of a chat."""
    configuration = SimpleNamespace(values=SimpleNamespace(rag=settings))
    retrieval = SimpleNamespace(fetcher=Pages())
    profile = SimpleNamespace(scope=SearchScope(), collection="", chosen=())
    return SimpleNamespace(
        library=library, retrieval=retrieval, reranking=None, configuration=configuration, profile=profile
    )


@pytest.fixture
async def app(tmp_path):
    settings = RagSettings(chunk_size=100, chunk_overlap=20)
    library = await Library.open(tmp_path / "data", settings, WordEmbedder())
    yield chat_with(library, settings)
    await library.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    birds = tmp_path / "my birds"
    (birds / "old").mkdir(parents=True)
    (birds / "magpie.md").write_text("# Magpies\n\nMagpies build domed nests of twigs.")
    (birds / "heron.txt").write_text("Herons wait for fish.")
    (birds / "song.mp3").write_bytes(b"ID3" + bytes(90))
    (birds / "old" / "empty.txt").write_text("")
    return birds


async def told(app, name: str, argument: str = "") -> list[Event]:
    """What a command says, with the seconds taken out."""
    events = [event async for event in getattr(commands, name).run(app, argument)]
    return [
        Notice(re.sub(r"\d+\.\d s", "… s", event.text), event.level) if isinstance(event, Notice) else event
        for event in events
    ]


async def test_a_file_is_indexed_with_its_progress(app, folder):
    assert await told(app, "rag_index", f'"{folder}/magpie.md"') == [
        Progress("magpie.md", 0, 0),
        Progress("magpie.md", 1, 1),
        Notice("Indexed 1 document, 1 chunk (… s)."),
    ]


async def test_a_folder_is_indexed_and_what_cannot_be_read_is_listed(app, folder):
    events = await told(app, "rag_index", str(folder).replace(" ", "\\ "))
    steps = [event for event in events if isinstance(event, Progress)]
    # How many of them are embedded together depends on how fast they are read.
    assert (steps[0], steps[-1]) == (Progress("heron.txt", 0, 4), Progress("4 files", 4, 4))
    assert [step.done for step in steps] == sorted(step.done for step in steps)
    assert events[len(steps) :] == [
        Listing(
            "Not indexed",
            ("file", "reason"),
            (
                (
                    f"{folder}/song.mp3",
                    "song.mp3 is an MPEG recording. Magpie reads text, Markdown, HTML, PDF, office documents, EPUB,"
                    " mails, CSV, JSON, notebooks and source code.",
                ),
                (f"{folder}/old/empty.txt", "empty.txt is empty."),
            ),
        ),
        Notice("Indexed 2 documents, 2 chunks; 2 not indexed (… s)."),
    ]


async def test_each_record_of_a_file_is_indexed(app, folder):
    (folder / "birds.jsonl").write_text('{"text": "Gulls cry."}\n{"text": "Terns dive."}\nno record')
    assert await told(app, "rag_index", f"{folder}/birds.jsonl") == [
        Progress("birds.jsonl", 0, 0),
        Progress("birds.jsonl", 2, 2),
        Listing(
            "Not indexed",
            ("file", "reason"),
            (
                (
                    f"{folder}/birds.jsonl",
                    "birds.jsonl: 1 of 3 lines cannot be read as JSON records: 3."
                    " What stands in the other lines was read.",
                ),
            ),
        ),
        Notice("Indexed 2 documents, 2 chunks; 1 not indexed (… s)."),
    ]
    assert sorted(await app.library.list_titles()) == ["birds.jsonl#1", "birds.jsonl#2"]


async def test_what_did_not_change_is_counted_as_such(app, folder):
    await told(app, "rag_index", str(folder / "heron.txt"))
    assert (await told(app, "rag_index", str(folder)))[-1] == Notice(
        "Indexed 1 document, 1 chunk; 1 unchanged; 2 not indexed (… s)."
    )


async def test_text_that_the_embedding_model_cannot_read_is_pointed_out_once(tmp_path, folder):
    library = await Library.open(tmp_path / "data", RagSettings(), WordEmbedder(foreign="Vögel"))
    app = chat_with(library, RagSettings())
    (folder / "elster.txt").write_text("Die Vögel bauen ihr Nest aus Zweigen in hohen Bäumen. " * 30)
    *_, summary, advice = await told(app, "rag_index", str(folder))
    assert summary == Notice("Indexed 3 documents, 6 chunks; 2 not indexed (… s).")
    assert isinstance(advice, Notice) and advice.level == "warning"
    assert advice.text.startswith("Most of this text is not in English, and words does not know its language")
    (folder / "elster.txt").write_text("Auch im Winter bauen die Vögel ihr Nest in hohen Bäumen. " * 30)
    assert (await told(app, "rag_index", str(folder)))[-1] == Notice(
        "Indexed 1 document, 5 chunks; 2 unchanged; 2 not indexed (… s)."
    )
    await library.close()


async def test_passages_are_shown_with_the_headings_above_them(app, tmp_path):
    (tmp_path / "birds.md").write_text("# Birds\n\n## Nests\n\nMagpies build domed nests of twigs.")
    await told(app, "rag_index", str(tmp_path / "birds.md"))
    [listing] = await told(app, "rag_search", "domed nests of twigs")
    assert [row[1] for row in listing.rows] == ["Birds > Nests"]


async def test_a_search_by_words_shows_scores(tmp_path, folder):
    settings = RagSettings(search_mode="bm25")
    library = await Library.open(tmp_path / "data", settings, WordEmbedder())
    app = chat_with(library, settings)
    await told(app, "rag_index", str(folder))
    [listing] = await told(app, "rag_search", "domed nests")
    assert listing.columns[0] == "score" and float(listing.rows[0][0]) > 0
    await library.close()


async def test_a_page_is_indexed(app):
    assert (await told(app, "rag_index", "https://birds.example/heron"))[-1] == Notice(
        "Indexed 1 document, 1 chunk (… s)."
    )
    assert await app.library.list_titles() == ["Herons"]


@pytest.mark.parametrize(
    ("argument", "problem"),
    [
        ("", "Write what to index after the command: /rag-index <file, folder or URL>"),
        ("https://birds.example/none", "birds.example answers 404 (Not Found)."),
        ("/no/such", "/no/such does not exist. Check the name and its permissions."),
        ("~nobody-at-all/a.txt", "~nobody-at-all/a.txt does not exist."),
        ("/a\0b", "/a\0b is no path."),
    ],
)
async def test_what_cannot_be_indexed_is_one_sentence(app, argument, problem):
    last = (await told(app, "rag_index", argument))[-1]
    assert last.level == "error" and problem in last.text


async def test_an_empty_folder_is_said(app, tmp_path):
    (tmp_path / "none").mkdir()
    assert await told(app, "rag_index", f"{tmp_path}/none/") == [
        Notice(f"There are no files in {tmp_path}/none/.", "warning"),
    ]


async def test_stopping_leaves_no_half_document(app, folder):
    (folder / "long.txt").write_text("\n\n".join(f"paragraph {i} " * 8 for i in range(200)))
    events = commands.rag_index.run(app, str(folder / "long.txt"))
    while (await anext(events)).done == 0:
        pass
    assert isinstance(events, AsyncGenerator)
    await events.aclose()
    await asyncio.sleep(0.05)
    assert await app.library.is_empty()


async def test_a_search_lists_passages_best_first(app, folder):
    await told(app, "rag_index", str(folder))
    [listing] = await told(app, "rag_search", "domed nests of twigs")
    [best, *_] = listing.rows
    assert listing.columns == ("similarity", "title", "text", "source")
    assert best[1:] == ("Magpies", "# Magpies Magpies build domed nests of twigs.", f"{folder}/magpie.md")
    assert 0.4 < float(best[0]) < 1


async def test_filters_before_a_query_keep_a_search_to_what_fits_them(app, folder):
    (folder / "tagged.md").write_text("---\ntags: [birds]\n---\n\nHerons build nests of twigs, too.")
    await told(app, "rag_index", str(folder))
    [listing] = await told(app, "rag_search", "tag=birds nests of twigs")
    assert [row[-1] for row in listing.rows] == [f"{folder}/tagged.md"]
    [notice] = await told(app, "rag_search", "tag=birds")
    assert notice.text == "Write what to look for beside the filters: /rag-search tag=birds <query>"
    with pytest.raises(ConfigError, match=r"There is no kind 'x'\."):
        await told(app, "rag_search", "kind=x nests")


async def test_finding_nothing_is_said(app, folder):
    assert await told(app, "rag_search", "tax") == [Notice("The library is empty; /rag-index fills it.")]
    await told(app, "rag_index", str(folder))
    assert await told(app, "rag_search", "quantum") == [Notice("Nothing in the library is near that.")]


async def test_the_status_tells_what_is_there(app, folder, tmp_path):
    await told(app, "rag_index", str(folder))
    await told(app, "rag_index", "https://birds.example/heron")
    [listing] = await told(app, "rag_status")
    rows = dict(listing.rows)
    assert rows["vector index"].startswith("exact search, ")
    assert rows | {"size": "", "vector index": ""} == {
        "documents": "3",
        "chunks": "3",
        "files": "2 documents, 2 chunks",
        "web pages": "1 document, 1 chunk",
        "size": "",
        "embedding model": "all-MiniLM-L6-v2",
        "vector index": "",
        "folder": str(tmp_path / "data"),
    }


async def test_a_rebuild_says_what_it_made(app, folder):
    await told(app, "rag_index", str(folder))
    assert (await told(app, "rag_rebuild"))[-1] == Notice("Rebuilt the vector index: 2 chunks (… s).")


async def test_documents_are_removed_by_folder_and_by_title(app, folder, monkeypatch):
    await told(app, "rag_index", str(folder))
    monkeypatch.chdir(folder.parent)
    assert await told(app, "rag_remove", "magpies") == [Notice("Removed 1 document.")]
    assert await told(app, "rag_remove", "'my birds/'") == [Notice("Removed 1 document.")]
    assert await told(app, "rag_remove", "my birds") == [
        Notice("Nothing in the library is called my birds.", "warning")
    ]


async def test_a_number_that_is_a_folder_here_as_well_removes_nothing_unless_it_is_said_which(app, folder, monkeypatch):
    (folder / "2").mkdir()
    (folder / "2" / "gull.txt").write_text("Gulls cry.")
    await told(app, "rag_index", str(folder))
    monkeypatch.chdir(folder)
    with pytest.raises(LibraryError, match="2 is the number of a document, and the name of a file or folder here"):
        await told(app, "rag_remove", "2")
    assert await told(app, "rag_remove", "./2") == [Notice("Removed 1 document.")]
    assert await told(app, "rag_remove", "#2") == [Notice("Removed 1 document.")]


async def test_a_name_that_says_nothing_removes_nothing(app, folder, monkeypatch):
    await told(app, "rag_index", str(folder))
    await told(app, "rag_index", "https://birds.example/heron")
    monkeypatch.chdir(folder)
    before = (await app.library.stats()).documents
    for name in ("https:", "https://", "/"):
        await told(app, "rag_remove", name)
    assert await remove_named(app.library, " ") == 0
    assert (await app.library.stats()).documents == before


async def test_a_name_of_several_documents_lists_them_and_removes_none(app, folder):
    (folder / "old" / "heron.txt").write_text("Herons were here before.")
    await told(app, "rag_index", str(folder))
    listing, end = await told(app, "rag_remove", "heron.txt")
    assert listing.title == "Nothing was removed"
    assert {row[3] for row in listing.rows} == {
        f"heron.txt\n{folder}/heron.txt (rag_documents)",
        f"heron.txt\n{folder}/old/heron.txt (rag_documents)",
    }
    assert end == Notice(
        "2 documents are called 'heron.txt'. Write the number of the one that is meant: /rag-remove <number>",
        "warning",
    )
    [number] = [row[0] for row in listing.rows if "/old/" in row[3]]
    assert await told(app, "rag_remove", number) == [Notice("Removed 1 document.")]
    assert await told(app, "rag_remove", "heron.txt") == [Notice("Removed 1 document.")]


async def test_a_name_of_another_collection_is_pointed_out_and_its_number_removes_it(app):
    await app.library.add(Document("/law/tax.md", "Taxes", "Tax is due.", "file"), collection="law")
    listing, end = await told(app, "rag_remove", "taxes")
    assert end == Notice(
        "Nothing here is called taxes, but in other collections something is."
        " Write the number of the one that is meant: /rag-remove <number>",
        "warning",
    )
    [(number, _, _, document)] = listing.rows
    assert document == "Taxes\n/law/tax.md (law)"
    assert await told(app, "rag_remove", number) == [Notice("Removed 1 document.")]


async def test_an_address_is_known_in_another_spelling(app):
    await app.library.add(Document("https://birds.example/h%C3%A4her", "Jays", "Jays hide acorns.", "web"))
    assert await told(app, "rag_remove", "HTTPS://birds.example/häher") == [Notice("Removed 1 document.")]


async def test_the_doctor_tells_what_it_found_and_mended(app, folder):
    await told(app, "rag_index", f"{folder}/magpie.md")
    assert await told(app, "rag_doctor") == [Notice("The library is sound: 1 document, 1 chunk.")]
    with closing(sqlite3.connect(folder.parent / "data" / "library.db")) as db, db:
        db.execute("UPDATE chunks SET start = 3")
    assert await told(app, "rag_doctor") == [
        Listing(
            "Found in the library",
            ("what", "mended"),
            (("Documents whose chunks were not those of their text were cut anew: 1.", "yes"),),
        ),
        Notice("The library is sound: 1 document, 1 chunk."),
    ]


async def test_without_a_library_every_command_says_how_to_have_one():
    app = chat_with(None, RagSettings())
    for name in ("rag_index", "rag_search", "rag_status", "rag_rebuild", "rag_doctor", "rag_remove"):
        with pytest.raises(ConfigError, match=r"Set rag\.enabled"):
            await told(app, name, "x")


def test_the_commands_have_their_older_names_too():
    assert {c.name: c.aliases for c in (commands.rag_index, commands.rag_search, commands.rag_status)} == {
        "rag-index": ("index",),
        "rag-search": ("search",),
        "rag-status": ("stats",),
    }
