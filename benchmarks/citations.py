"""How well wrong citations are noticed, on the half of the articles that the weights were not fitted on."""

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.citation_pairs import FACTS, SWAPS, TRUE, Pair, halves, make_pairs, read_collection
from chatbot.citations.checker import THRESHOLD, FittedChecker, compute_likeness, plain_sentence, texts_to_compare
from chatbot.citations.claims import is_foreign, read_claim, read_passages
from chatbot.citations.support import Floats, align_claim, support_features
from chatbot.citations.weights import load_weights
from rag.embedding.base import Vectors
from rag.embedding.selector import FastEmbedder
from utils.paths import default_data_dir

CACHE = Path(".cache/citations")
"""Vectors of the pairs' texts, and what language models said of pairs."""


@dataclass(frozen=True)
class Seen:
    """The features of some pairs."""

    features: Floats
    """Shape (pairs, features)."""
    foreign: tuple[bool, ...]
    """Whether the checker takes the passage to be in another language."""


def main() -> None:
    """Print what share of the wrong sentences is noticed, by what is wrong with them."""
    options = parse(__doc__)
    measured = halves(make_pairs(read_collection(options.folder)))[1]
    seen = asyncio.run(look(measured))
    weights = load_weights()
    scores = [
        weights["foreign" if foreign else "same"].support_probability(row)
        for row, foreign in zip(seen.features, seen.foreign, strict=True)
    ]
    print_table("without the model", measured, np.array(scores) < THRESHOLD)
    said = read_said(options.said, measured)
    if known := [place for place, odds in enumerate(said) if odds is not None]:
        chosen = [measured[place] for place in known]
        with_model = [
            weights["foreign" if seen.foreign[place] else "same"].support_probability(seen.features[place], said[place])
            for place in known
        ]
        print_table("the same pairs without the model", chosen, np.array(scores)[known] < THRESHOLD)
        print_table("with the model", chosen, np.array(with_model) < THRESHOLD)
    asyncio.run(clock(measured))


def parse(about: str | None) -> argparse.Namespace:
    """The command line that fitting and measuring have in common."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("folder", type=Path, help="with the files xquad.<language>.json")
    parser.add_argument("--said", type=Path, default=CACHE / "said.jsonl", help="log-odds of a language model")
    return parser.parse_args()


async def look(pairs: Sequence[Pair]) -> Seen:
    """The features of pairs, their vectors taken from the cache."""
    claims = [read_claim(plain_sentence(pair.sentence), pair.question) for pair in pairs]
    read = [read_passages([pair.passage]) for pair in pairs]
    aligned = [align_claim(claim, text) for claim, text in zip(claims, read, strict=True)]
    parts = list(zip(pairs, claims, read, aligned, strict=True))
    vectors = await embed([t for p, claim, _, a in parts for t in texts_to_compare(claim, a, [p.passage])])
    rows = [support_features(claim, t, a, compute_likeness(claim, a, [p.passage], vectors)) for p, claim, t, a in parts]
    return Seen(np.stack(rows), tuple(is_foreign(claim, text) for _, claim, text, _ in parts))


async def embed(wanted: Sequence[str]) -> dict[str, Vectors]:
    """Vectors by text, kept on disk."""
    file, index = CACHE / "vectors.npy", CACHE / "vectors.json"
    known: dict[str, Vectors] = {}
    if file.exists():
        known = dict(zip(json.loads(index.read_text(encoding="utf-8")), np.load(file), strict=True))
    missing = sorted({text for text in wanted if text not in known}, key=len)
    if missing:
        embedder = FastEmbedder("all-MiniLM-L6-v2", default_data_dir() / "onnx", delay=1e6)
        for start in range(0, len(missing), 256):
            part = missing[start : start + 256]
            known.update(zip(part, (await embedder.embed(part)).astype(np.float16), strict=True))
        await embedder.close()
        CACHE.mkdir(parents=True, exist_ok=True)
        np.save(file, np.stack(list(known.values())))
        index.write_text(json.dumps(list(known)), encoding="utf-8")
    return {text: known[text].astype(np.float32) for text in wanted}


def read_said(path: Path, pairs: Sequence[Pair]) -> list[float | None]:
    """What a language model said of each pair, None where it was not asked."""
    if not path.exists():
        return [None] * len(pairs)
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    known = {(row["sentence"], row["question"], row["passage"]): float(row["log_odds"]) for row in rows}
    return [known.get((pair.sentence, pair.question, pair.passage.text)) for pair in pairs]


def print_table(title: str, pairs: Sequence[Pair], refused: np.ndarray) -> None:
    """The shares that were refused: of the wrong sentences they are to be high, of the true ones low.

    A fact is `there` if the passage has it elsewhere, `strange` if not.
    """
    print(f"\n{title}: {len(pairs)} pairs")
    print(f"  {'':22}{'same language':>16}{'other language':>16}{'all':>16}")
    facts = set(FACTS)
    rows: list[tuple[str, Callable[[Pair], bool]]] = [
        ("swapped, noticed", lambda p: p.kind in SWAPS),
        *((f"  {kind}", lambda p, kind=kind: p.kind == kind) for kind in SWAPS),
        ("flipped, noticed", lambda p: p.kind in facts),
        *((f"  {kind}", lambda p, kind=kind: p.kind == kind) for kind in (*FACTS, "negation")),
        *(
            (f"  {kind}, {'there' if there else 'strange'}", lambda p, k=kind, t=there: p.kind == k and p.planted == t)
            for kind in ("number", "date", "name")
            for there in (True, False)
        ),
        ("false alarms", lambda p: p.kind == TRUE),
        *(
            (f"  {form}", lambda p, form=form: p.kind == TRUE and p.form == form)
            for form in ("stated", "rewritten", "bare")
        ),
    ]
    for name, belongs in rows:
        chosen = np.array([belongs(pair) for pair in pairs])
        foreign = np.array([pair.foreign for pair in pairs])
        parts = (chosen & ~foreign, chosen & foreign, chosen)
        print(f"  {name:22}" + "".join(f"{_share(refused, part):>16}" for part in parts))


def _share(refused: np.ndarray, part: np.ndarray) -> str:
    return f"{refused[part].mean():.3f} of {part.sum():4}" if part.any() else "-"


async def clock(pairs: Sequence[Pair]) -> None:
    """Seconds a sentence with a new passage, nothing remembered, embeddings included."""
    checker = FittedChecker(FastEmbedder("all-MiniLM-L6-v2", default_data_dir() / "onnx", delay=1e6))
    chosen = pairs[:: max(1, len(pairs) // 100)][:100]
    await checker.support_probability(chosen[0].sentence, [chosen[0].passage], chosen[0].question)
    seconds = []
    for pair in chosen:
        began = time.perf_counter()
        await checker.support_probability(pair.sentence, [pair.passage], pair.question)
        seconds.append(time.perf_counter() - began)
    print(f"\nseconds a sentence: median {np.median(seconds):.3f}, 95 of 100 below {np.quantile(seconds, 0.95):.3f}")


if __name__ == "__main__":
    main()
