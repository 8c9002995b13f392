"""What a library in PostgreSQL finds beside what one in SQLite does, on collections in the form of BEIR.

`python -m benchmarks.postgres_retrieval FOLDER...`, with `MAGPIE_POSTGRES_URL`: each is read, cut, embedded once, and
copied into a collection of its own there, which is removed afterwards. `hnsw` are the same questions with an index of
the vectors, which so small a collection is not given otherwise.
"""

import argparse
import asyncio
import os
import random
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.collections import read_judgements
from benchmarks.retrieval import WAYS, Questions, covered, fill, metrics
from benchmarks.router_data import read_lines
from rag.backends import open_backend
from rag.embedding.base import Embedder, Vectors
from rag.embedding.selector import FastEmbedder
from rag.embedding.sentence_model import PACKAGED
from rag.library import Library
from rag.postgres.search import vector_graph
from rag.records.copying import copy_library
from rag.settings import RagSettings
from utils.network.offline import OfflineSwitch
from utils.paths import default_data_dir


class Remembering(FastEmbedder):
    """Embeds each question once, however often it is asked."""

    def __init__(self) -> None:
        super().__init__(PACKAGED, default_data_dir() / "onnx")
        self._known: dict[str, Vectors] = {}

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Their vectors, a row each."""
        for text in texts:
            if text not in self._known:
                [self._known[text]] = await super().embed_questions([text])
        return np.stack([self._known[text] for text in texts])


FIRST = 10
"""Passages that are asked for, of a document each."""
SIDES = ("sqlite", "postgres", "hnsw")


def main() -> None:
    """Print a table a collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--questions", type=int, default=10_000, help="drawn by chance, always the same")
    options = parser.parse_args()
    asyncio.run(compare(options.folders, options.questions))


async def compare(folders: Sequence[Path], count: int) -> None:
    """Every collection in both stores, by so many of its questions."""
    embedder = Remembering()
    for folder in folders:
        spans = (folder / "questions.jsonl").exists()
        asked = read_lines(folder / ("questions.jsonl" if spans else "queries.jsonl"))
        asked = random.Random(1).sample(asked, min(count, len(asked)))
        print(f"\n{folder.name}, {len(asked)} questions, {'recall of spans' if spans else 'nDCG@10'}", flush=True)
        print(f"{'':16}" + "".join(f"{side:>10}" for side in SIDES))
        with tempfile.TemporaryDirectory() as data:
            here = RagSettings(collection=f"benchmark-{folder.name}")
            there = replace(here, backend="postgres")
            await fill(Path(data), here, embedder, folder / "corpora" if spans else folder)
            source, target = (open_backend(Path(data), one, OfflineSwitch()) for one in (here, there))
            copy_library(source, target, lambda done, total: None)
            source.close()
            target.close()
            await measure_ways(Path(data), folder, asked, embedder, (here, there, there))
            async with opened(Path(data), there, embedder) as library:
                await library.remove_collection(there.collection)
    await embedder.close()


async def measure_ways(
    data: Path, folder: Path, asked: Questions, embedder: Embedder, sides: Sequence[RagSettings]
) -> None:
    """A row for each way of searching."""
    found: dict[str, list[float]] = {name: [] for name in WAYS}
    for side, settings in zip(SIDES, sides, strict=True):
        with searched_by_index() if side == "hnsw" else nullcontext():
            if side == "hnsw":
                async with opened(data, settings, embedder) as library:
                    await library.catch_up()
            for name, (how, changes) in WAYS.items():
                async with opened(data, replace(settings, **changes), embedder) as library:
                    found[name].append(await measure(library, folder, asked, how))
    for name, figures in found.items():
        print(f"{name:16}" + "".join(f"{figure:10.4f}" for figure in figures), flush=True)


@contextmanager
def searched_by_index() -> Iterator[None]:
    """Have an index of the vectors made and asked, however few they are; the next collection is compared as ever."""
    compared, options = vector_graph.COMPARED_CHUNKS, os.environ.get("PGOPTIONS")
    vector_graph.COMPARED_CHUNKS = 0
    # So few are compared as soon as they are looked up: it would be asked for by none.
    os.environ["PGOPTIONS"] = "-c enable_seqscan=off -c enable_bitmapscan=off -c enable_sort=off"
    try:
        yield
    finally:
        vector_graph.COMPARED_CHUNKS = compared
        del os.environ["PGOPTIONS"]
        if options is not None:
            os.environ["PGOPTIONS"] = options


@asynccontextmanager
async def opened(data: Path, settings: RagSettings, embedder: Embedder) -> AsyncIterator[Library]:
    """The library, closed afterwards."""
    library = await Library.open(data, settings, embedder)
    yield library
    await library.close()


async def measure(library: Library, folder: Path, asked: Questions, how: Any) -> float:
    """The mean over the questions that were judged."""
    if (folder / "questions.jsonl").exists():
        return (await covered(library, asked, how.mode))[0]
    judged = read_judgements(folder)
    run = {one["_id"]: [p.source for p in await library.search(one["text"], FIRST, how)] for one in asked}
    known = [question["_id"] for question in asked if question["_id"] in judged]
    return float(np.mean([metrics(run.get(query, ()), judged[query])[0] for query in known]))


if __name__ == "__main__":
    main()
