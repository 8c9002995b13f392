"""Fits what tells whether a reading holds the answer, on questions of a BEIR collection with and without their passage.

Each question is asked of four passages of one document: once with the one that answers it among them, once without.
"""

import argparse
import asyncio
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_predict

from benchmarks.collections import read_judgements
from benchmarks.recorded import RecordedModel
from benchmarks.router_data import SIZES, embedded, read_lines
from chatbot.conversation.messages import Source
from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.reading.answer_evidence import read_sources
from chatbot.models.pipeline.reading.answerability import ask_for, clipped_log_odds, holds_answer
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.prompts.fewshot import load_prompt
from rag.documents import Passage
from rag.embedding.sentence_model import SentenceEmbedder

RECORDED = Path(".cache/answerability")
PASSAGES = 4


@dataclass(frozen=True)
class Case:
    """A question with passages of one document."""

    question: str
    title: str
    passages: tuple[str, ...]
    answered: bool


def main() -> None:
    """Print the fitted weights, and what they and the shipped ones get right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collection", type=Path)
    parser.add_argument("--without", type=Path, help="a file of questions that are left out: they measure")
    parser.add_argument("--model", choices=SIZES, default=SIZES[0])
    parser.add_argument("--cases", type=int, default=300)
    given = parser.parse_args()
    left_out = {row["question"] for row in read_lines(given.without)} if given.without else set[str]()
    cases = [case for case in make_cases(given.collection) if case.question not in left_out][: given.cases]
    asyncio.run(fit(cases, given.model))


def make_cases(collection: Path) -> Iterator[Case]:
    """Every question, half of them without the passage that answers it, in an order by chance."""
    chance = random.Random(7)
    texts = {row["_id"]: (row["title"], row["text"]) for row in read_lines(collection / "corpus.jsonl")}
    by_title = defaultdict[str, list[str]](list)
    for name, (title, _) in texts.items():
        by_title[title].append(name)
    gold = read_judgements(collection)
    questions = read_lines(collection / "queries.jsonl")
    chance.shuffle(questions)
    for place, row in enumerate(questions):
        right = next(iter(gold[row["_id"]]))
        title = texts[right][0]
        others = [name for name in by_title[title] if name != right]
        others = chance.sample(others, min(len(others), PASSAGES))
        answered = place % 2 == 0
        names = [right, *others[: PASSAGES - 1]] if answered else others
        chance.shuffle(names)
        yield Case(row["text"], title, tuple(texts[name][1] for name in names), answered)


async def observe(model: LanguageModel, finder: EvidenceFinder, case: Case) -> tuple[list[float], bool]:
    """Likeness, share of the words and the model's log-odds of yes of the reading; and whether the shipped weights
    say yes."""
    named = enumerate(case.passages, 1)
    sources = [Source(n, Passage(text, case.title, case.title, "web", n)) for n, text in named]
    reading = await read_sources(finder, sources, case.question, "fact")
    assert reading is not None
    said = await model.weigh_words(ask_for(reading, case.question), ("yes", "no"))
    features = [reading.alike, reading.coverage, clipped_log_odds(said.shares["yes"])]
    return features, await holds_answer(model, reading, case.question)


async def fit(cases: Sequence[Case], size: str) -> None:
    """Ask the model about each case and fit the weights on all; what they get right is told of other folds."""
    model = RecordedModel(embedded(size), RECORDED / f"{size}.jsonl")
    finder = EvidenceFinder(SentenceEmbedder())
    await model.warm_up(load_prompt("read").prefix)
    seen = []
    try:
        for case in cases:
            seen.append(await observe(model, finder, case))
    finally:
        await model.close()
    features, shipped = np.array([row for row, _ in seen]), np.array([says for _, says in seen])
    answered, titles = np.array([case.answered for case in cases]), [case.title for case in cases]
    show("shipped", shipped, answered)
    logistic = LogisticRegression(C=10.0)
    scores = cross_val_predict(
        logistic, features, answered, groups=titles, cv=GroupKFold(5), method="decision_function"
    )
    for refused in (0.02, 0.05, 0.1):
        least = float(np.quantile(scores[answered], refused))
        show(f"fitted, {refused:.0%} refused", scores >= least, answered)
        logistic.fit(features, answered)
        print("  weights", *np.round(logistic.coef_[0], 2), "bias", round(float(logistic.intercept_[0]) - least, 2))


def show(name: str, says: NDArray[np.bool_], answered: NDArray[np.bool_]) -> None:
    """A line for one way of deciding."""
    wrongly, rightly = 1 - float(np.mean(says[answered])), 1 - float(np.mean(says[~answered]))
    print(f"{name:22} wrongly refused {wrongly:.3f}  rightly refused {rightly:.3f}  ({len(says)} questions)")


if __name__ == "__main__":
    main()
