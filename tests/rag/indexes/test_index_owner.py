import asyncio
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from rag import collection
from rag.indexes import index_owner
from rag.indexes.chroma import ChromaIndex
from rag.library import Library
from tests.fakes.places import ROOT
from tests.fakes.torture import (
    PARTS,
    by_graph,
    document,
    executed,
    faults,
    local_indexes,
    opened,
    ready,
    with_two_documents,
)

CHILD = """
import asyncio, pathlib, sys
from tests.fakes.torture import document, faults, opened

async def main(folder, added):
    library = await opened(pathlib.Path(folder))
    for name in added:
        await library.add(document(name, 2))
    print(await faults(library, "ada", 2), (await library.stats()).answering)
    shelf = await library._shelf()
    shelf.tend_indexes()
    await shelf.wait_until_tended()
    print((await library.stats()).index, "chromadb" in sys.modules)
    await library.close()
    print("chromadb" in sys.modules)

asyncio.run(main(sys.argv[1], sys.argv[2:]))
"""


def in_a_fresh_process(folder: Path, *added: str) -> list[str]:
    """Add documents, search and look after the indexes; what is said of it."""
    command = [sys.executable, "-c", CHILD, str(folder), *added]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def in_chroma(folder: Path) -> int:
    """How many chunks Chroma has of a library that nobody has open."""
    with closing(ChromaIndex(folder / "chroma" / "rag_documents", "rag_documents")) as index:
        return len(index.ids())


def test_a_process_that_writes_puts_every_chunk_into_chroma_and_one_that_searches_does_not_load_it(
    tmp_path: Path,
) -> None:
    names = ("ada", "bob", "eve")
    assert in_a_fresh_process(tmp_path, *names) == ["[] exact", "ready True", "True"]
    assert in_a_fresh_process(tmp_path) == ["[] exact", "ready False", "False"]
    assert in_chroma(tmp_path) == len(names) * PARTS


async def test_who_catches_up_has_every_chunk_in_chroma_however_little_time_closing_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_owner, "BUILD_PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(collection, "BUILD_PATIENCE_SECONDS", 0.0)
    library = await opened(tmp_path)
    await library.add_all([document(name, 2) for name in ("ada", "bob", "eve")])
    await library.catch_up()
    await library.close()
    assert in_chroma(tmp_path) == 3 * PARTS


async def chroma_open(library: Library) -> bool:
    return local_indexes(await library._shelf()).vectors.on_disk


@pytest.fixture
async def folder(tmp_path: Path) -> Path:
    return await with_two_documents(tmp_path)


async def test_what_one_process_writes_reaches_chroma_while_another_that_only_searches_holds_the_other_indexes(
    folder: Path,
) -> None:
    searching, writing = await opened(folder), await opened(folder)
    await ready(searching)
    await writing.add(document("eve", 2))
    await (await writing._shelf()).wait_until_tended()
    assert (await chroma_open(searching), await chroma_open(writing)) == (False, True)
    assert await faults(searching, "eve", 2) == []
    await writing.close()
    await searching.close()
    assert in_chroma(folder) == 3 * PARTS


async def test_a_large_library_is_answered_by_chroma_once_it_was_asked(folder: Path) -> None:
    library = await opened(folder)
    await ready(library)
    assert (await library.stats()).answering == "exact" and not await chroma_open(library)
    with by_graph():
        assert await faults(library, "ada", 2) == []
        assert (await library.stats()).answering == "exact"
        await ready(library)
        assert (await library.stats()).answering == "chroma"
        assert await faults(library, "ada", 2) == []
    await library.close()


async def test_which_index_will_answer_is_known_before_one_is_open(folder: Path) -> None:
    library = await opened(folder)
    stats = await library.stats()
    assert (stats.answering, stats.index) == ("exact", "not open")
    with by_graph():
        assert (await library.stats()).answering == "chroma"
    await library.close()


async def test_pages_that_are_forgotten_by_a_process_that_only_searches_are_forgotten_by_chroma(folder: Path) -> None:
    executed(folder, "UPDATE documents SET origin = 'web', seen = '2020-01-01T00:00:00Z' WHERE source = '/bob'")
    library = await opened(folder)
    await library.search("anything")
    shelf = await library._shelf()
    shelf.tend_indexes()
    await shelf.wait_until_tended()
    assert await library.find_document("/bob") is None
    await library.close()
    assert in_chroma(folder) == PARTS


async def test_a_collection_that_is_removed_leaves_chroma_where_another_process_searches_it(folder: Path) -> None:
    searching, removing = await opened(folder), await opened(folder)
    await ready(searching)
    assert await removing.remove_collection("rag_documents") == 2
    assert not (folder / "chroma" / "rag_documents").exists()
    assert await asyncio.gather(searching.search("anything"), removing.search("anything")) == [[], []]
    await removing.close()
    await searching.close()
