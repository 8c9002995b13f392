import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rag.documents import Document
from rag.library import Library
from rag.model_change import EmbeddingContext
from rag.postgres.search import vector_graph
from rag.postgres.search.chunk_rows import QUOTED_COLUMNS
from rag.postgres.search.server_indexes import ServerIndexes
from rag.search.search import Mode, SearchOptions
from rag.settings import RagSettings
from rag.stored import Filters
from tests.fakes.embedder import WordEmbedder
from tests.fakes.postgres import PostgresServer
from tests.fakes.torture import by_graph

SETTINGS = RagSettings(chunk_size=100, chunk_overlap=20, backend="postgres")
MAGPIES = Document("/birds/magpie.md", "Magpies", "Magpies build domed nests of twigs and mud.", "file")
HERONS = Document("/birds/heron.md", "Herons", "Herons stand still in shallow water and wait for fish.", "web")
WAITING = (
    "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'magpie %' AND wait_event_type = 'Lock'"
    " AND datname = current_database()"
)


@pytest.fixture
def told() -> list[str]:
    """What the user was shown."""
    return []


@pytest.fixture
async def library(tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch, told: list[str]):
    # An index is used where there is one: few chunks are otherwise compared as quickly.
    monkeypatch.setenv("PGOPTIONS", "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off")
    library = await Library.open(tmp_path, SETTINGS, WordEmbedder(), context=EmbeddingContext(tell=told.append))
    await library.add_all([MAGPIES, HERONS])
    yield library
    await library.close()


async def test_a_connection_that_dies_in_mid_search_is_told_and_the_search_made_once_more(
    library: Library, told: list[str], postgres: PostgresServer, caplog: pytest.LogCaptureFixture
) -> None:
    with psycopg.connect(postgres.address) as other:
        other.execute("LOCK TABLE magpie.terms IN ACCESS EXCLUSIVE MODE")
        searching = asyncio.create_task(library.search("domed nests", 1))
        while not (waiting := other.execute(WAITING).fetchall()):
            # Else a transaction sees the connections that there were when it first looked.
            other.execute("SELECT pg_stat_clear_snapshot()")
            await asyncio.sleep(0.01)
        other.execute("SELECT pg_terminate_backend(%s::integer, 5000)", waiting[0])
    assert [passage.source for passage in await searching] == [MAGPIES.source]
    assert told == ["The connection to the library's PostgreSQL died and was made anew; nothing is lost."]
    assert "a connection to PostgreSQL died" in caplog.text


async def test_the_index_of_a_collection_that_grows_is_made_once_used_and_removed_with_it(
    library: Library, postgres: PostgresServer
) -> None:
    with by_graph():
        await library.catch_up()
        await library.catch_up()
    options = SearchOptions("vector", relevant_only=False)
    found = await library.search("fish in shallow water", 2, options)
    assert [passage.source for passage in found] == [HERONS.source, MAGPIES.source]
    assert (await library.stats()).answering == "hnsw"
    assert len(graphs(postgres)) == 1
    await library.remove_collection("rag_documents")
    assert graphs(postgres) == []


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(("dimensions", "answering"), [(2_001, "hnsw"), (4_000, "hnsw"), (4_001, "exact")])
async def test_vectors_of_many_numbers_have_an_index_as_far_as_pgvector_makes_one(
    tmp_path: Path, postgres: PostgresServer, dimensions: int, answering: str
) -> None:
    postgres.empty()
    library = await Library.open(tmp_path, SETTINGS, WordEmbedder(dimensions=dimensions))
    await library.add_all([MAGPIES, HERONS])
    with by_graph():
        await library.catch_up()
    found = await library.search("fish in shallow water", 2, SearchOptions("vector", relevant_only=False))
    assert [passage.source for passage in found] == [HERONS.source, MAGPIES.source]
    assert (await library.stats()).answering == answering
    await library.close()


async def test_an_index_that_was_never_finished_is_made_anew(library: Library, postgres: PostgresServer) -> None:
    with by_graph():
        await library.catch_up()
        postgres.execute(f"UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = '{graphs(postgres)[0]}'::regclass")
        await library.catch_up()
    await library.search("anything")
    assert (await library.stats()).answering == "hnsw"


async def test_a_filter_that_few_pass_finds_them_with_an_index(library: Library) -> None:
    filters = SearchOptions("vector", filters=Filters(origins=("web",)), relevant_only=False)
    with by_graph():
        await library.catch_up()
        found = await library.search("nests of twigs", 2, filters)
    assert [passage.source for passage in found] == [HERONS.source]


async def test_what_words_find_does_not_stand_for_the_nearest_that_an_index_leaves_out(
    tmp_path: Path, postgres: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "PGOPTIONS", "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off -c hnsw.max_scan_tuples=1"
    )
    library = await Library.open(tmp_path, replace(SETTINGS, chunk_size=1000), WordEmbedder())
    nearer = [Document(f"/file{number}", "Mud", f"mud mud nest{number}", "file") for number in range(2500)]
    near = [Document(f"/near{number}", "Mud", f"mud reed{number} rush{number}", "web") for number in range(5)]
    worded = [
        Document(f"/web{number}", "Web", "twigs " + " ".join(f"word{number}x{n}" for n in range(30)), "web")
        for number in range(75)
    ]
    await library.add_all([*nearer, *near, *worded])
    options = SearchOptions("vector", filters=Filters(origins=("web",)), relevant_only=False)
    compared = await library.search("twigs mud", 3, options)
    with by_graph():
        await library.catch_up()
        found = await library.search("twigs mud", 3, options)
    assert (await library.stats()).answering == "hnsw"
    assert {passage.title for passage in compared} == {"Mud"}
    assert {passage.source for passage in found} == {passage.source for passage in compared}
    await library.close()


async def test_no_index_is_made_of_a_small_collection(library: Library, postgres: PostgresServer) -> None:
    await library.catch_up()
    assert vector_graph.COMPARED_CHUNKS > 1_000 and graphs(postgres) == []


@pytest.mark.parametrize("question", ["fish in shallow water", "error E4012", '"domed nests" of twigs'])
@pytest.mark.parametrize("mode", ["hybrid", "bm25"])
async def test_a_search_takes_two_round_trips_whatever_it_looks_for(
    library: Library, monkeypatch: pytest.MonkeyPatch, question: str, mode: Mode
) -> None:
    await library.add(Document("/codes.md", "Codes", "E4012 says that the pump is blocked.", "file"))
    # The first search learns what the documents are written in.
    await library.search(question, 2, SearchOptions(mode))
    indexes = (await library._shelf()).keeper
    assert isinstance(indexes, ServerIndexes)
    read, asked = indexes._database.read, list[str]()

    def count(query: str, *values: Any) -> Any:
        asked.append(query)
        return read(query, *values)

    monkeypatch.setattr(indexes._database, "read", count)
    await library.search(question, 2, SearchOptions(mode))
    # The library looks after itself meanwhile.
    assert len([query for query in asked if "WITH " in query or QUOTED_COLUMNS in query]) == 2


async def test_what_another_process_replaces_between_words_and_meaning_is_looked_for_again(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexes = (await library._shelf()).keeper
    assert isinstance(indexes, ServerIndexes)
    find = indexes._vectors.find_nearest
    changed = replace(MAGPIES, text="Magpies build domed nests in poplars.")
    loop = asyncio.get_running_loop()
    meddle = [lambda: asyncio.run_coroutine_threadsafe(library.add(changed), loop).result()]

    def meddled(*arguments):
        if meddle:
            meddle.pop()()
        return find(*arguments)

    monkeypatch.setattr(indexes._vectors, "find_nearest", meddled)
    assert [passage.text for passage in await library.search("domed nests", 1)] == [changed.text]


def graphs(postgres: PostgresServer) -> list[str]:
    with psycopg.connect(postgres.address) as connection:
        query = "SELECT indexname FROM pg_indexes WHERE schemaname = 'magpie' AND indexdef LIKE '%hnsw%'"
        return [f"magpie.{name}" for (name,) in connection.execute(query)]
