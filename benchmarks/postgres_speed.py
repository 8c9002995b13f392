"""How fast a library in PostgreSQL takes in and searches generated chunks, and how much room they take there.

`python -m benchmarks.postgres_speed --chunks 100000`, with `MAGPIE_POSTGRES_URL`, where nothing else may be. Vectors
are compared one by one at each size on the way, and found by an index (HNSW) at the end.
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.speed import MODES, WORDS, Directions, report_searches
from rag.documents import Document
from rag.library import Library
from rag.postgres.backend import PostgresBackend
from rag.postgres.search import vector_graph
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from utils.network.offline import OfflineSwitch

SETTINGS = RagSettings(backend="postgres", collection="benchmark-speed")
CHUNKS_A_DOCUMENT = 20
WORDS_A_CHUNK = 95
COMMONEST = 20
"""Words that a question does not have, as a search leaves out stop words."""
SIZES = (
    "SELECT relname, pg_total_relation_size(oid) FROM pg_class"
    " WHERE relnamespace = 'magpie'::regnamespace AND relkind = 'r'"
)


def main() -> None:
    """Print what was measured as it is."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chunks", type=int, default=100_000)
    asyncio.run(measure(parser.parse_args().chunks))


async def measure(chunks: int) -> None:
    """Fill the library, a quarter after the other."""
    rng = np.random.default_rng(1)
    usual, vector_graph.COMPARED_CHUNKS = vector_graph.COMPARED_CHUNKS, 10**9
    questions = [" ".join(words(rng, 7, COMMONEST)) for _ in range(100)]
    with tempfile.TemporaryDirectory() as folder:
        library = await Library.open(Path(folder), SETTINGS, Directions())
        for size in (chunks // 10, chunks // 4, chunks // 2, chunks):
            await fill(library, rng, size)
            await report_searches(library, "vector", questions)
        compared = await nearest(library, questions)
        vector_graph.COMPARED_CHUNKS = usual
        began = time.perf_counter()
        await library.catch_up()
        print(f"index of the vectors made in {time.perf_counter() - began:.0f} s", flush=True)
        for mode in MODES:
            await report_searches(library, mode, questions)
        found = await nearest(library, questions)
        shares = [len(a & b) / len(a) for a, b in zip(found, compared, strict=True)]
        print(f"of the 10 nearest the index finds {np.mean(shares):.1%}")
        report_sizes((await library.stats()).chunks)
        await library.remove_collection(SETTINGS.collection)
        await library.close()


async def fill(library: Library, rng: np.random.Generator, chunks: int) -> None:
    """Add documents until there are so many chunks."""
    first = before = (await library.stats()).chunks
    began = time.perf_counter()
    while first < chunks:
        texts = [" ".join(words(rng, CHUNKS_A_DOCUMENT * WORDS_A_CHUNK)) for _ in range(10)]
        added = await library.add_all(
            [Document(f"/{first}/{n}", f"Text {n}", text, "file") for n, text in enumerate(texts)]
        )
        first += sum(added)
    spent = time.perf_counter() - began
    print(f"\n{first:,} chunks, {(first - before) / spent:.0f} a second, embedding left out", flush=True)


async def nearest(library: Library, questions: Sequence[str]) -> list[set[tuple[str, int]]]:
    """The ten nearest chunks of each question."""
    options = SearchOptions("vector", relevant_only=False, per_document=10)
    return [{(p.source, p.chunk_index) for p in await library.search(one, 10, options)} for one in questions]


def report_sizes(chunks: int) -> None:
    """Bytes a chunk, by table."""
    backend = PostgresBackend(SETTINGS, OfflineSwitch())
    for table, size in sorted(backend.database.read(SIZES), key=lambda row: -row[1]):
        if size > chunks:
            print(f"{table:16}{size / chunks:8.0f} bytes a chunk")
    backend.close()


def words(rng: np.random.Generator, count: int, above: int = 0) -> list[str]:
    """Words that are as common as those of a natural language, none of the commonest `above` ones."""
    ranks = rng.zipf(1.3, 30 * count)
    return [f"w{rank}" for rank in ranks[(ranks > above) & (ranks < WORDS)][:count]]


if __name__ == "__main__":
    main()
