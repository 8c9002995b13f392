"""Rerankers without a model."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.documents import Passage
from utils.errors import ModelUnavailable


@dataclass
class ScriptedReranker:
    """Gives a passage the score of the first of its words that has one, else 0; remembers what it was asked.

    An exception among the `failures`, which are used up one by one, is raised; None waits for ever.
    """

    words: dict[str, float] = field(default_factory=dict)
    failures: list[Exception | None] = field(default_factory=list)
    asked: list[tuple[str, list[str]]] = field(default_factory=list)

    async def scores(self, question: str, passages: Sequence[Passage]) -> list[float]:
        self.asked.append((question, [passage.text for passage in passages]))
        if self.failures:
            failure = self.failures.pop(0)
            if failure is None:
                await asyncio.Event().wait()
            else:
                raise failure
        return [next((self.words[w] for w in p.text.split() if w in self.words), 0.0) for p in passages]


GONE = ModelUnavailable("The model has gone.", "Start it.")
