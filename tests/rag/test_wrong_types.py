"""SQLite takes a value of any type in any column: what is of a wrong one is told in a sentence, and mended."""

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from rag.library import Library
from rag.stored import DocumentQuery, Filters
from tests.rag.test_library import ALL, HERONS, MAGPIES, TAXES, opened
from utils.errors import LibraryError

WRONG = (b"\x00\xff", "wrong")
TABLES = ("documents", "chunks", "vectors", "collections", "meta", "removed")


async def kept(folder: Path) -> list[tuple[str, str]]:
    """A library of three documents, of which one came and went; its tables and their columns."""
    library = await opened(folder)
    for document in (MAGPIES, HERONS, TAXES):
        await library.add(document)
    await library.remove(TAXES.source)
    await library.close()
    with contextlib.closing(sqlite3.connect(folder / "library.db")) as db:
        return [(table, row[1]) for table in TABLES for row in db.execute(f"PRAGMA table_info({table})")]


def spoil(folder: Path, table: str, column: str, value: object) -> None:
    """Put a value into a row, as a damaged disk or another program does; a rule of the table may forbid it."""
    with contextlib.closing(sqlite3.connect(folder / "library.db")) as db, contextlib.suppress(sqlite3.Error), db:
        rows = f"rowid = (SELECT min(rowid) FROM {table})" if table not in ("collections", "meta") else "1"
        db.execute(f"UPDATE {table} SET {column} = ? WHERE {rows}", (value,))


async def use(library: Library) -> None:
    """All that is asked of a library, each thing as far as it goes."""
    for mode in ("hybrid", "bm25", "vector"):
        with contextlib.suppress(LibraryError):
            for passage in await library.search("domed nests of twigs", 3, replace(ALL, mode=mode)):
                assert passage.headed_title + passage.text + passage.source + passage.fetched + passage.media_type
                assert passage.start + passage.end + passage.chunk_index + passage.total_chunks
    with contextlib.suppress(LibraryError):
        await library.search("nests", 3, replace(ALL, filters=Filters(since="2020")))
    for work in (
        library.stats(),
        library.list_collections(),
        library.list_entries([], None, 10),
        library.catalogue.counts(DocumentQuery(words=("nests",))),
        library.catalogue.page(DocumentQuery(sort="title"), 0, 10),
        library.list_titles(),
        library.find_document(MAGPIES.source),
        library.first_chunks(MAGPIES.source, 5),
        library.add(replace(MAGPIES, text="Other words.")),
        library.remove(HERONS.source),
    ):
        with contextlib.suppress(LibraryError):
            await work


@pytest.mark.parametrize("value", WRONG)
async def test_a_value_of_a_wrong_type_in_any_column_is_a_sentence_at_most(tmp_path: Path, value: object) -> None:
    columns = await kept(tmp_path / "kept")
    source = (tmp_path / "kept" / "library.db").read_bytes()
    for table, column in columns:
        folder = tmp_path / f"{table}-{column}"
        folder.mkdir()
        (folder / "library.db").write_bytes(source)
        spoil(folder, table, column, value)
        library = await opened(folder)
        await use(library)
        await library.close()


async def test_the_doctor_mends_values_of_a_wrong_type(tmp_path: Path) -> None:
    for table, column in await kept(tmp_path):
        if column not in ("id", "source", "collection"):
            spoil(tmp_path, table, column, b"\x00\xff")
    library = await opened(tmp_path)
    with pytest.raises(LibraryError, match=r"The library is damaged: what is kept as \w+ is none\. Type /rag-doctor"):
        await library.search("domed nests of twigs", 1, ALL)
    diagnosis = await library.examine()
    assert diagnosis.is_sound and "of no type of their column" in " ".join(each.what for each in diagnosis.findings)
    assert (await library.search("herons in shallow water", 1, ALL))[0].source == HERONS.source
    assert (await library.examine()).findings == ()
    await library.close()
