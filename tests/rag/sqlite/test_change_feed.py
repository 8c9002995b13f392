from pathlib import Path

from rag.documents import Chunk, contextual_text, text_hash
from rag.sqlite.change_feed import ChangeFeed
from rag.sqlite.database import LibraryDatabase
from rag.sqlite.documents import DocumentStore
from rag.stored import Prepared
from tests.fakes.torture import document

STEPS = 100
"""Instructions of SQLite's machine between two calls of its progress handler."""


def filled(path: Path, documents: int) -> LibraryDatabase:
    """A library of documents in one chunk each, none of them embedded."""
    database = LibraryDatabase(path / "library.db")
    store = DocumentStore(database, "birds")
    for number in range(documents):
        one = document(f"bird{number}", 1)
        chunk = Chunk(one.text, 0, 0, len(one.text))
        key = text_hash(contextual_text(one.title, (), one.text))
        store.replace_documents([(one, Prepared([chunk], [key], {key: one.text}, "en", "test"))])
    return database


def test_what_an_index_has_missed_is_found_without_going_through_what_it_has(tmp_path: Path) -> None:
    database = filled(tmp_path, 300)
    feed, told = ChangeFeed(database, "birds"), list[int]()
    with database.reading() as db:
        db.set_progress_handler(lambda: told.append(1), STEPS)
        assert [entry.id for entry in feed.read_texts(298, 1000)] == [299, 300]
        assert [entry.id for entry in feed.read_vectors("words", 298, 1000)] == [299, 300]
    assert len(told) < 10
    database.close()
