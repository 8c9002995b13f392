"""How fast Magpie starts, embeds and searches, as ratios to a baseline that is measured in the same run."""

import argparse
import asyncio
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from rag.documents import Document
from rag.embedding.base import BATCH, Embedder, Vectors
from rag.embedding.selector import FastEmbedder
from rag.embedding.sentence_model import PACKAGED, SentenceEmbedder
from rag.library import Library
from rag.search.search import Mode, SearchOptions
from rag.settings import RagSettings
from utils.paths import default_data_dir

MAIN = Path(__file__).parent.parent / "main.py"
DIMENSIONS = 384
WORDS = 20_000
"""Different words of the made-up texts; how often each comes falls as in a natural language."""
MODES: tuple[Mode, ...] = ("bm25", "vector", "hybrid")


def main() -> None:
    """Print three tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--chunks", type=int, default=20_000, help="chunks in the library that is searched")
    options = parser.parse_args()
    measure_start()
    asyncio.run(measure_embedding())
    asyncio.run(measure_library(options.chunks))


def measure_start() -> None:
    """Start-up, against an interpreter that does nothing."""
    baseline = fastest(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
    print(f"python -c pass          {baseline * 1000:8.0f} ms")
    for option in ("--version", "--help"):
        command = [sys.executable, str(MAIN), option]
        spent = fastest(lambda command=command: subprocess.run(command, check=True, capture_output=True))
        print(f"magpie {option:16} {spent * 1000:8.0f} ms   {spent / baseline:6.1f} times that", flush=True)


def fastest(work: Callable[[], object], times: int = 5) -> float:
    """Seconds of the fastest of several runs."""
    found = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        found.append(time.perf_counter() - began)
    return min(found)


async def measure_embedding() -> None:
    """The embedder that a chat uses, against sentence-transformers; the same where nothing was exported yet."""
    rng = np.random.default_rng(1)
    texts = [made_up(rng, 80) for _ in range(128)]
    reference = SentenceEmbedder()
    used = FastEmbedder(PACKAGED, default_data_dir() / "onnx")
    speeds = [await chunks_a_second(embedder, texts) for embedder in (reference, used)]
    await used.close()
    print(f"\nreference embedder      {speeds[0]:8.0f} chunks/s")
    print(f"embedder in use         {speeds[1]:8.0f} chunks/s {speeds[1] / speeds[0]:6.1f} times that", flush=True)


async def chunks_a_second(embedder: Embedder, texts: Sequence[str]) -> float:
    """Speed once the model is loaded."""
    await embedder.embed(["warm"])
    began = time.perf_counter()
    await embedder.embed(list(texts))
    return len(texts) / (time.perf_counter() - began)


class Directions:
    """An embedder of random directions, the same for the same text: what is measured is the library."""

    fingerprint = "directions"
    batch = BATCH
    served = False
    host = ""

    def take_tokens(self) -> int:
        """No server counts any."""
        return 0

    def forget_answers(self) -> None:
        """The same text has the same direction."""

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text."""
        seeds = [abs(hash(text)) % 2**32 for text in texts]
        vectors = np.stack([np.random.default_rng(seed).standard_normal(DIMENSIONS) for seed in seeds])
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """The same."""
        return await self.embed(texts)

    async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
        """The same, a piece a text."""
        return list((await self.embed(texts))[:, None, :])

    async def make_counter(self) -> Callable[[str], int]:
        """Counts words."""
        return lambda text: len(text.split())

    async def reads_language(self, text: str) -> bool:
        """Any language."""
        return True


async def measure_library(chunks: int) -> None:
    """Opening and searching a library of so many chunks, and the memory that it takes."""
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        before = memory()
        library = await Library.open(Path(folder), RagSettings(), Directions())
        began = time.perf_counter()
        for start in range(0, chunks, 500):
            names = range(start, min(start + 500, chunks))
            await library.add_all([Document(f"/{n}", f"Text {n}", made_up(rng, 70), "file") for n in names])
        print(f"\n{chunks:,} chunks kept    {chunks / (time.perf_counter() - began):8.0f} chunks/s, embedding left out")
        while (await library.stats()).index != "ready":
            await asyncio.sleep(0.5)
        print(f"memory                  {(memory() - before) / chunks * 1000:8.2f} kB a chunk", flush=True)
        for mode in MODES:
            await report_searches(library, mode, [made_up(rng, 7) for _ in range(200)])
        await library.close()
        began = time.perf_counter()
        library = await Library.open(Path(folder), RagSettings(), Directions())
        opened = time.perf_counter() - began
        await library.search(made_up(rng, 7), 5)
        first = time.perf_counter() - began
        print(f"opened in {opened * 1000:.0f} ms, first answer after {first * 1000:.0f} ms")
        await library.close()


async def report_searches(library: Library, mode: Mode, questions: Sequence[str]) -> None:
    """Median and 95th percentile of one search after another."""
    spent = []
    for question in questions:
        began = time.perf_counter()
        await library.search(question, 5, SearchOptions(mode=mode, relevant_only=False))
        spent.append(time.perf_counter() - began)
    median, slow = np.quantile(spent, [0.5, 0.95]) * 1000
    print(f"{mode:8} search         {median:8.1f} ms, 95 % within {slow:.1f} ms", flush=True)


def made_up(rng: np.random.Generator, words: int) -> str:
    """A text of words that are as common as those of a natural language."""
    ranks = np.minimum(rng.zipf(1.3, words), WORDS)
    return " ".join(f"w{rank}" for rank in ranks)


def memory() -> float:
    """Megabytes that the process has had at most."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "linux" else 1024**2)


if __name__ == "__main__":
    main()
