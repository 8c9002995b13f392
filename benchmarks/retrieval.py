"""Retrieval quality through the whole pipeline, read, cut, kept and searched, on collections in the form of BEIR.

`python -m benchmarks.retrieval FOLDER... [--shapes 500/100 300/50]`; a folder with `questions.jsonl` and `corpora` is
one of character spans. The baseline, measured in the same run, is MiniLM over whole documents, of which it reads the
first 256 word pieces.
"""

import argparse
import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.router_data import read_lines
from rag.chunking import ChunkShape
from rag.documents import Passage
from rag.embedding import PACKAGED, Embedder
from rag.fast_embedder import FastEmbedder
from rag.folders import find_files
from rag.library import Library
from rag.readers import read_documents
from rag.search import SearchOptions
from rag.settings import RagSettings
from utils.paths import default_data_dir

Run = Mapping[str, Sequence[str]]
"""Sources by the id of a query, best first."""
DEPTH = 100
SPANS = 5
"""Passages whose characters are compared with the spans that hold the answer."""
WAYS: dict[str, tuple[SearchOptions, dict[str, Any]]] = {
    "bm25": (SearchOptions(mode="bm25", relevant_only=False, per_document=1), {}),
    "vector": (SearchOptions(mode="vector", relevant_only=False, per_document=1), {}),
    "hybrid, ranks": (SearchOptions(mode="hybrid", relevant_only=False, per_document=1), {"fusion": "ranks"}),
    "hybrid": (SearchOptions(mode="hybrid", relevant_only=False, per_document=1), {}),
}


def main() -> None:
    """Print a table a collection."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--shapes", nargs="+", default=["500/100"], help="size/overlap of chunks, in characters")
    options = parser.parse_args()
    asyncio.run(measure(options.folders, [shape_of(text) for text in options.shapes]))


def shape_of(text: str) -> ChunkShape:
    """`500/100` as a shape."""
    size, overlap = text.split("/")
    return ChunkShape(int(size), int(overlap))


async def measure(folders: Sequence[Path], shapes: Sequence[ChunkShape]) -> None:
    """Every collection with every shape, in folders of their own that are thrown away."""
    embedder = FastEmbedder(PACKAGED, default_data_dir() / "onnx")
    for folder in folders:
        spans = (folder / "questions.jsonl").exists()
        print(f"\n{folder.name}")
        print(f"{'':34}" + ("recall  precision     IoU" if spans else "nDCG@10  Recall@10  MRR@10"), flush=True)
        if not spans:
            await report("MiniLM, whole documents", folder, lambda f: whole_documents(f, embedder))
        for shape in shapes:
            with tempfile.TemporaryDirectory() as data:
                settings = RagSettings(chunk_size=shape.size, chunk_overlap=shape.overlap)
                await fill(Path(data), settings, embedder, folder / "corpora" if spans else folder)
                for name, (options, changes) in WAYS.items():
                    changed = replace(settings, **changes)
                    library = await Library.open(Path(data), changed, embedder)
                    label = f"{name}, chunks {shape.size}/{shape.overlap}"
                    if spans:
                        row(label, await covered(library, folder, options.mode))
                    else:
                        await report(label, folder, lambda f, lib=library, o=options: searched(f, lib, o))
                    await library.close()
    await embedder.close()


async def fill(data: Path, settings: RagSettings, embedder: Embedder, folder: Path) -> None:
    """Read and keep what is in a folder."""
    library = await Library.open(data, settings, embedder)
    for path in await find_files(folder):
        documents = [document async for document in read_documents(path)]
        for start in range(0, len(documents), 64):
            await library.add_all(documents[start : start + 64])
    await library.close()


async def report(name: str, folder: Path, way: Callable[[Path], Awaitable[Run]]) -> None:
    """The metrics of one way of searching."""
    judged: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, source, gain = line.split("\t")
        if int(gain) > 0:
            judged.setdefault(query, {})[source] = int(gain)
    run = await way(folder)
    row(name, np.mean([metrics(run.get(query, ()), gains) for query, gains in judged.items()], axis=0))


def row(name: str, figures: Any) -> None:
    """One line of the table."""
    print(f"{name:32}" + "".join(f"{figure:9.4f}" for figure in figures), flush=True)


def metrics(found: Sequence[str], gains: Mapping[str, int]) -> tuple[float, float, float]:
    """nDCG@10 with linear gains, Recall@10 and MRR@10, as trec_eval has them."""
    discounts = 1 / np.log2(np.arange(2, 12))
    got = np.array([gains.get(source, 0) for source in found[:10]] + [0] * (10 - len(found[:10])), float)
    best = np.zeros(10)
    ideal = sorted(gains.values(), reverse=True)[:10]
    best[: len(ideal)] = ideal
    first = next((1 / (rank + 1) for rank, gain in enumerate(got) if gain > 0), 0.0)
    return float(got @ discounts / (best @ discounts)), float((got > 0).sum() / len(gains)), first


async def whole_documents(folder: Path, embedder: Embedder) -> Run:
    """The baseline: one vector a document."""
    documents = read_lines(folder / "corpus.jsonl")
    queries = read_lines(folder / "queries.jsonl")
    matrix = await embedder.embed([f"{d.get('title', '')}\n{d['text']}".strip() for d in documents])
    asked = await embedder.embed([query["text"] for query in queries])
    orders = [np.argsort(-(matrix @ vector), kind="stable")[:DEPTH] for vector in asked]
    return {q["_id"]: [documents[i]["_id"] for i in order] for q, order in zip(queries, orders, strict=True)}


async def searched(folder: Path, library: Library, options: SearchOptions) -> Run:
    """What the library finds, each document once."""
    queries = read_lines(folder / "queries.jsonl")
    return {q["_id"]: [p.source for p in await library.search(q["text"], DEPTH, options)] for q in queries}


async def covered(library: Library, folder: Path, mode: Any) -> tuple[float, float, float]:
    """Recall, precision and intersection over union of the characters of the first passages and the spans."""
    shares = []
    options = SearchOptions(mode=mode, relevant_only=False, per_document=SPANS)
    for question in read_lines(folder / "questions.jsonl"):
        found = await library.search(question["text"], SPANS, options)
        shares.append(overlap(question, found))
    recall, precision, union = np.mean(shares, axis=0)
    return float(recall), float(precision), float(union)


def overlap(question: Mapping[str, Any], found: Sequence[Passage]) -> tuple[float, float, float]:
    """The shares of one question."""
    wanted = {place for start, end in question["refs"] for place in range(start, end)}
    mine = [p for p in found if Path(p.source).stem == question["corpus"]]
    got = {place for p in mine for place in range(p.start, p.end)}
    total, hit = sum(p.end - p.start for p in found), len(wanted & got)
    return hit / len(wanted), hit / max(total, 1), hit / (total + len(wanted) - hit)


if __name__ == "__main__":
    main()
