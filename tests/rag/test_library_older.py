"""Libraries that an older Magpie or other settings made, and indexes that fit and still cannot be opened."""

import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from rag.chunking.prepared import cut_documents
from rag.documents import Document
from rag.indexes.manifest import read_manifest, write_manifest
from rag.library import Library
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from rag.sqlite.backend import SqliteBackend
from rag.sqlite.change_feed import ChangeFeed
from rag.sqlite.schema import LIBRARY_MIGRATIONS
from tests.fakes.damage import bird
from tests.fakes.embedder import WordEmbedder
from tests.fakes.torture import BY_MEANING, BY_WORDS, by_graph, document, faults, local_indexes, opened, ready, word
from utils.sqlite import copy_before


def version_1(folder: Path) -> None:
    """A library.db of the first version with one document in two chunks, not embedded."""
    kept = document("ada", 2)
    with closing(sqlite3.connect(folder / "library.db")) as db, db:
        db.executescript(LIBRARY_MIGRATIONS[0])
        db.execute("PRAGMA user_version = 1")
        db.execute(
            "INSERT INTO documents VALUES (1, 'rag_documents', ?, ?, 'file', 'text/plain', '', ?, 2, ?)",
            (kept.source, kept.title, kept.content_hash, zlib.compress(kept.text.encode())),
        )
        for ordinal, part in enumerate(kept.text.split("\n\n")):
            start = kept.text.index(part)
            db.execute(
                "INSERT INTO chunks (document, ordinal, start, end, text, text_hash) VALUES (1, ?, ?, ?, ?, ?)",
                (ordinal, start, start + len(part), part, bytes([ordinal])),
            )


async def test_a_library_of_the_first_version_is_brought_to_the_newest_and_a_copy_kept(tmp_path):
    version_1(tmp_path)
    library = await opened(tmp_path)
    await ready(library)
    assert await faults(library, "ada", 2) == []
    assert (await library.examine()).findings == ()
    await library.close()
    with closing(sqlite3.connect(tmp_path / "library.db.v1")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert db.execute("SELECT source FROM documents").fetchall() == [("/ada",)]


async def test_a_library_of_the_second_version_keeps_its_vectors_and_its_indexes(tmp_path):
    library = await opened(tmp_path)
    await library.add_all([bird(number) for number in range(12)])
    await ready(library)
    await library.close()
    made = read_manifest(tmp_path / "chroma" / "rag_documents")
    with closing(sqlite3.connect(tmp_path / "library.db")) as db, db:
        vectors = db.execute("SELECT text_hash, fingerprint, pieces, vector FROM vectors ORDER BY text_hash").fetchall()
        db.executescript(
            f"""DROP INDEX documents_by_container; ALTER TABLE documents DROP COLUMN container;
            ALTER TABLE documents DROP COLUMN properties; ALTER TABLE collections DROP COLUMN chunk_tokenizer;
            DROP INDEX documents_by_chunker; DROP TABLE vectors; {
                LIBRARY_MIGRATIONS[0]
                .partition("CREATE INDEX chunks_by_hash")[2]
                .partition(";")[2]
                .partition("CREATE TABLE removed")[0]
            } PRAGMA user_version = 2;"""
        )
        db.executemany("INSERT INTO vectors VALUES (?, ?, ?, ?)", vectors)
    embedder = WordEmbedder()
    library = await opened(tmp_path, embedder)
    await ready(library)
    with closing(sqlite3.connect(tmp_path / "library.db")) as db:
        kept = db.execute("SELECT text_hash, fingerprint, pieces, vector FROM vectors ORDER BY text_hash").fetchall()
    assert kept == vectors
    assert (await library.examine()).findings == ()
    await library.close()
    assert read_manifest(tmp_path / "chroma" / "rag_documents") == made


async def test_records_of_a_library_of_the_third_version_know_their_file(tmp_path):
    library = await opened(tmp_path)
    texts = {"/birds.jsonl#1": "application/jsonl", "/birds.jsonl#23": "application/jsonl", "/a#1": "text/plain"}
    await library.add_all([Document(source, source, source, "file", kind) for source, kind in texts.items()])
    await library.close()
    with closing(sqlite3.connect(tmp_path / "library.db")) as db:
        db.executescript(
            "DROP INDEX documents_by_container; ALTER TABLE documents DROP COLUMN container;"
            "ALTER TABLE documents DROP COLUMN properties; ALTER TABLE collections DROP COLUMN chunk_tokenizer;"
            "PRAGMA user_version = 3;"
        )
    library = await opened(tmp_path)
    assert await library.files().remove_gone({"/birds.jsonl": ["/birds.jsonl#1"]}) == 1
    assert await library.find_document("/birds.jsonl#23") is None
    assert await library.find_document("/a#1") == Document("/a#1", "/a#1", "/a#1", "file", "text/plain")
    await library.close()


async def test_an_index_says_of_its_own_answer_that_a_chunk_was_missing_whatever_comes_right_after(tmp_path):
    version_1(tmp_path)
    library = await opened(tmp_path)
    shelf = await library._shelf()

    def ask() -> tuple[set[int], bool]:
        return local_indexes(shelf).vectors.ask(lambda index: index.ids())

    before = ask()
    await shelf.embed_missing()
    assert (before, ask()) == ((set(), True), ({1, 2}, False))
    await library.close()


def test_a_copy_that_came_too_late_is_not_taken_for_the_old_form(tmp_path):
    version_1(tmp_path)
    with closing(sqlite3.connect(tmp_path / "library.db")) as db:
        copy_before(db, tmp_path / "library.db", 1)
        db.execute("PRAGMA user_version = 2")
        copy_before(db, tmp_path / "library.db", 1)
    with closing(sqlite3.connect(tmp_path / "library.db.v1")) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["library.db", "library.db.v1"]


async def best(library: Library) -> list[list[tuple[object, ...]]]:
    """What is found first of each document; further down equals may come in another order."""
    found = [
        await library.search(f"bird{number} in trees of age {number}", 1, SearchOptions(mode=mode, relevant_only=False))
        for number in range(12)
        for mode in ("bm25", "vector", "hybrid")
    ]
    return [[(p.source, p.chunk_index, p.text, p.start, p.end, round(p.similarity, 4)) for p in each] for each in found]


async def same_as_fresh(library: Library, fresh: Library) -> None:
    """Both answer the same, from indexes on disk: the exact one, and Chroma."""
    await fresh.add_all([bird(number) for number in range(12)])
    for each in (library, fresh):
        await ready(each)
    assert await best(library) == await best(fresh)
    with by_graph():
        for each in (library, fresh):
            await ready(each)
        assert await best(library) == await best(fresh)
    assert (await library.examine()).findings == ()
    for each in (library, fresh):
        await each.close()


@pytest.fixture
async def birds(tmp_path: Path) -> Path:
    library = await opened(tmp_path / "birds")
    await library.add_all([bird(number) for number in range(12)])
    await ready(library)
    await library.close()
    return tmp_path / "birds"


async def test_another_size_of_chunks_cuts_all_documents_anew_from_their_kept_text(birds, tmp_path):
    settings = RagSettings(chunk_size=200, chunk_overlap=0)
    library = await opened(birds)
    await library.cutting.cut_as(settings.chunk_shape)
    await library.rebuild()
    await same_as_fresh(library, await Library.open(tmp_path / "fresh", settings, WordEmbedder()))


@pytest.mark.parametrize("dimensions", [256, 64])
async def test_another_embedding_model_answers_as_a_library_that_it_made_itself(birds, tmp_path, dimensions):
    library = await opened(birds, WordEmbedder("others", dimensions))
    await same_as_fresh(library, await opened(tmp_path / "fresh", WordEmbedder("others", dimensions)))


async def test_a_chroma_folder_that_opens_and_has_no_tables_is_made_anew(birds, tmp_path):
    folder = birds / "chroma" / "rag_documents"
    basis = read_manifest(folder)
    assert basis is not None
    with closing(sqlite3.connect(folder / "chroma.sqlite3")) as db, db:
        db.execute("DROP TABLE collections")
    write_manifest(folder, basis)
    await same_as_fresh(await opened(birds), await opened(tmp_path / "fresh"))


@pytest.mark.parametrize("name", ["chroma/rag_documents/chroma.sqlite3", "keywords/rag_documents/chunks/meta.json"])
async def test_an_index_that_fits_and_cannot_be_opened_is_made_anew(birds, tmp_path, name):
    folder = birds.joinpath(*name.split("/")[:2])
    basis = read_manifest(folder)
    assert basis is not None
    (birds / name).write_bytes(b"nothing that can be read" * 200)
    write_manifest(folder, basis)
    assert read_manifest(folder) == basis
    await same_as_fresh(await opened(birds), await opened(tmp_path / "fresh"))


async def test_a_thread_that_is_late_opens_no_index_of_a_library_that_was_closed(birds):
    library = await opened(birds)
    shelf = await library._shelf()
    await library.close()
    for index in local_indexes(shelf).all:
        index.tend(lambda: float("inf"))
        index.open()
        assert not index.on_disk


class Meddling(ChangeFeed):
    """A feed during whose first look at what was found another process puts other chunks in the place of all."""

    def meddle(self) -> None:
        """Once."""

    def documents_of(self, ids: Sequence[int]) -> dict[int, int]:
        meddle, self.meddle = self.meddle, lambda: None
        meddle()
        return super().documents_of(ids)


@pytest.mark.parametrize("options", [BY_WORDS, BY_MEANING])
async def test_chunks_that_are_replaced_while_they_are_looked_for_are_found(tmp_path, monkeypatch, options):
    library = await opened(tmp_path)
    await library.add(document("ada", 2))
    shelf, backend = await library._shelf(), library._backend
    assert isinstance(backend, SqliteBackend)
    cut = (await cut_documents([document("ada", 2)], shelf._shape))["/ada"]
    feed = Meddling(backend.database, shelf.store.collection)
    feed.meddle = lambda: shelf.store.cut_anew("/ada", cut)
    monkeypatch.setattr(local_indexes(shelf)._search, "_feed", feed)
    assert [passage.source for passage in await library.search(word("ada", 2, 1), 1, options)] == ["/ada"]
    await library.close()
