"""Reranking: passages in a better order, or in the one that they had where a reranker fails."""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from rag.documents import Passage
from rag.settings import RagSettings
from utils.errors import LibraryError, MagpieError

# Seconds in which a reranker that failed is left alone: searches do not wait for what is not there.
REST = 60.0


class Reranker(Protocol):
    """Judges how well passages answer a question."""

    async def scores(self, question: str, passages: Sequence[Passage]) -> Sequence[float]:
        """A score a passage, higher is better, comparable within one call; raises a `MagpieError`."""
        ...


class Reranking:
    """A reranker under a clock. Where it fails, the order stays as it was, and `tell` is given that once."""

    def __init__(self, reranker: Reranker, settings: RagSettings, tell: Callable[[str], None]) -> None:
        self._reranker = reranker
        self._candidates = settings.rerank_candidates
        self._seconds = settings.rerank_seconds
        self._tell = tell
        self._told = False
        self._rests_until = -math.inf

    async def order(self, question: str, passages: Sequence[Passage]) -> list[Passage]:
        """The passages, the first of them reordered and with the reranker's scores, the others behind them."""
        first, others = passages[: self._candidates], passages[self._candidates :]
        if len(passages) < 2 or time.monotonic() < self._rests_until:
            return list(passages)
        try:
            async with asyncio.timeout(self._seconds):
                scores = usable_scores(await self._reranker.scores(question, first), len(first))
        except TimeoutError:
            self._note_failure(
                f"The reranker took longer than {self._seconds:g} s.", "Give it more with rag.rerank_seconds."
            )
            return list(passages)
        except MagpieError as error:
            self._note_failure(error.problem, error.remedy)
            return list(passages)
        best = sorted(zip(scores, first, strict=True), key=lambda pair: -pair[0])
        return [replace(passage, score=score) for score, passage in best] + rank_below(min(scores), others)

    def _note_failure(self, problem: str, remedy: str) -> None:
        self._rests_until = time.monotonic() + REST
        if not self._told:
            self._told = True
            self._tell(f"Results are not reranked. {problem} {remedy}".strip())


def usable_scores(scores: Sequence[float], count: int) -> list[float]:
    """The scores, if there is a finite one for each passage; raises `LibraryError`."""
    if len(scores) != count or not all(math.isfinite(score) for score in scores):
        raise LibraryError("The reranker gave no usable scores.", "Choose another one with rag.reranker.")
    return [float(score) for score in scores]


def rank_below(lowest: float, passages: Sequence[Passage]) -> list[Passage]:
    """Passages that were not judged, with scores that leave them in their order behind those that were."""
    return [replace(p, score=lowest - 1 + p.score - passages[0].score) for p in passages]
