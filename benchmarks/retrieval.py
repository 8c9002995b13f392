"""Retrieval quality through the whole pipeline, read, cut, kept and searched, on collections in the form of BEIR.

`python -m benchmarks.retrieval FOLDER... [--shapes 500/100 300/50]`; a folder with `questions.jsonl` and `corpora` is
one of character spans. The baseline, measured in the same run, is MiniLM over whole documents, of which it reads the
first 256 word pieces. `--reranker 0.5b --questions 20` adds a row for the chat model as the reranker of a hybrid
search, over so many of the questions, and one for the same questions without it; a folder or a name is that of a
cross-encoder.
"""

import argparse
import asyncio
import random
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.collections import read_judgements
from benchmarks.router_data import SIZES, embedded, read_lines
from chatbot.models.pipeline.llm_reranker import ModelJudge
from rag.chunk_size import ChunkShape
from rag.documents import Passage
from rag.embedding.base import Embedder
from rag.embedding.selector import FastEmbedder
from rag.embedding.sentence_model import PACKAGED
from rag.folders import find_files
from rag.library import Library
from rag.readers import read_documents
from rag.search.cross_encoder import CrossEncoderReranker
from rag.search.reranking import Reranking
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from utils.paths import default_data_dir

Questions = Sequence[Mapping[str, Any]]
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
    parser.add_argument("--reranker", action="append", default=[], help="0.5b, 1.5b, or a cross-encoder")
    parser.add_argument("--questions", type=int, default=20, help="for rerankers: drawn by chance, always the same")
    options = parser.parse_args()
    asyncio.run(measure(options.folders, [shape_of(text) for text in options.shapes], options))


def shape_of(text: str) -> ChunkShape:
    """`500/100` as a shape."""
    size, overlap = text.split("/")
    return ChunkShape(int(size), int(overlap))


async def measure(folders: Sequence[Path], shapes: Sequence[ChunkShape], options: argparse.Namespace) -> None:
    """Every collection with every shape, in folders of their own that are thrown away."""
    embedder = FastEmbedder(PACKAGED, default_data_dir() / "onnx")
    for folder in folders:
        spans = (folder / "questions.jsonl").exists()
        asked = read_lines(folder / ("questions.jsonl" if spans else "queries.jsonl"))
        print(f"\n{folder.name}")
        print(f"{'':34}" + ("recall  precision     IoU" if spans else "nDCG@10  Recall@10  MRR@10"), flush=True)
        if not spans:
            await report("MiniLM, whole documents", folder, asked, whole_documents(folder, asked, embedder))
        for shape in shapes:
            with tempfile.TemporaryDirectory() as data:
                settings = RagSettings(chunk_size=shape.size, chunk_overlap=shape.overlap)
                await fill(Path(data), settings, embedder, folder / "corpora" if spans else folder)
                for name, (how, changes) in WAYS.items():
                    label = f"{name}, chunks {shape.size}/{shape.overlap}"
                    library = await Library.open(Path(data), replace(settings, **changes), embedder)
                    await one_way(label, folder, asked, library, how)
                some = random.Random(1).sample(asked, len(asked))[: options.questions]
                for name in ["", *options.reranker] if options.reranker else []:
                    async with reranking(name, settings) as judge:
                        label = f"{len(some)} questions, {Path(name).name or 'not reranked'}"
                        library = await Library.open(Path(data), settings, embedder, judge)
                        await one_way(label, folder, some, library, WAYS["hybrid"][0])
    await embedder.close()


@asynccontextmanager
async def reranking(name: str, settings: RagSettings) -> AsyncIterator[Reranking | None]:
    """A reranker that may take its time; that it failed is printed. None without a name."""
    patient = replace(settings, rerank_seconds=3600)
    if name in SIZES:
        model = embedded(name)
        yield Reranking(ModelJudge(lambda: model), patient, print)
        await model.close()
    else:
        yield Reranking(CrossEncoderReranker(name), patient, print) if name else None


async def one_way(label: str, folder: Path, asked: Questions, library: Library, options: SearchOptions) -> None:
    """A row for the library's search, with the time that a question took; closes the library."""
    began = time.monotonic()
    if (folder / "questions.jsonl").exists():
        row(label, await covered(library, asked, options.mode))
    else:
        await report(label, folder, asked, searched(asked, library, options))
    print(f"{'':34}{(time.monotonic() - began) / len(asked):.3f} s a question", flush=True)
    await library.close()


async def fill(data: Path, settings: RagSettings, embedder: Embedder, folder: Path) -> None:
    """Read and keep what is in a folder."""
    library = await Library.open(data, settings, embedder)
    for path in find_files(folder):
        documents = [document async for document in read_documents(path)]
        for start in range(0, len(documents), 64):
            await library.add_all(documents[start : start + 64])
    await library.close()


async def report(name: str, folder: Path, asked: Questions, way: Awaitable[Run]) -> None:
    """The metrics of one way of searching, over the questions that were judged."""
    judged = read_judgements(folder)
    run = await way
    known = [question["_id"] for question in asked if question["_id"] in judged]
    row(name, np.mean([metrics(run.get(query, ()), judged[query]) for query in known], axis=0))


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


async def whole_documents(folder: Path, queries: Questions, embedder: Embedder) -> Run:
    """The baseline: one vector a document."""
    documents = read_lines(folder / "corpus.jsonl")
    matrix = await embedder.embed([f"{d.get('title', '')}\n{d['text']}".strip() for d in documents])
    asked = await embedder.embed([query["text"] for query in queries])
    orders = [np.argsort(-(matrix @ vector), kind="stable")[:DEPTH] for vector in asked]
    return {q["_id"]: [documents[i]["_id"] for i in order] for q, order in zip(queries, orders, strict=True)}


async def searched(queries: Questions, library: Library, options: SearchOptions) -> Run:
    """What the library finds, each document once."""
    return {q["_id"]: [p.source for p in await library.search(q["text"], DEPTH, options)] for q in queries}


async def covered(library: Library, questions: Questions, mode: Any) -> tuple[float, float, float]:
    """Recall, precision and intersection over union of the characters of the first passages and the spans."""
    shares = []
    options = SearchOptions(mode=mode, relevant_only=False, per_document=SPANS)
    for question in questions:
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
