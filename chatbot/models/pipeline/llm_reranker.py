"""The chat model as a reranker: by the probability of its yes, or by grades where a server tells no probabilities."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chatbot.models.base import LanguageModel
from chatbot.prompts.fewshot import clip_middle, load_prompt
from rag.documents import Passage, contextual_text
from rag.search.selection import standardise_scores
from utils.errors import ReplyBroken
from utils.fence import fence_text

MAX_PASSAGE_CHARS_JUDGED = 1200
"""Characters of a passage that are judged."""
MAX_QUESTION_CHARS_JUDGED = 600
GRADED = 15
"""Passages that are graded at once: 2,000 tokens of chunks of 500 characters."""
BEST_GRADE = 10
MIN_PROBABILITY = 1e-6
"""Probability that counts as none, and below certainty as certainty."""
SEARCH_SCORE_WEIGHT = 0.5
"""Weight of what the search said, its scores standardised, beside the log-odds of yes: a model that cannot tell the
passages apart leaves them in their order, one that is certain decides alone."""


class ModelJudge:
    """A `Reranker` that is whatever model answers in the chat at that moment."""

    def __init__(self, model: Callable[[], LanguageModel]) -> None:
        self._model = model

    async def scores(self, question: str, passages: Sequence[Passage]) -> list[float]:
        """The log-odds of yes with a part of what the search said, else grades from 0 to 10; raises a `ModelError`."""
        model = self._model()
        asked = clip_middle(question, MAX_QUESTION_CHARS_JUDGED)
        judged: list[float] = []
        for passage in passages:
            # A server shows only with its first answer that it tells no probabilities.
            if not (await model.describe()).tells_probabilities:
                return await grade_passages(model, asked, passages)
            said = await model.weigh_words(
                load_prompt("check").make_prompt(passage=fence_text(passage_line(passage)), question=asked),
                ("yes", "no"),
            )
            judged.append(log_odds(said.shares["yes"]))
        found = standardise_scores(np.array([passage.score for passage in passages], np.float64))
        return [float(score) for score in np.array(judged) + SEARCH_SCORE_WEIGHT * found]


def log_odds(share: float) -> float:
    """The logarithm of the odds of a probability."""
    share = min(max(share, MIN_PROBABILITY), 1 - MIN_PROBABILITY)
    return math.log(share / (1 - share))


async def grade_passages(model: LanguageModel, question: str, passages: Sequence[Passage]) -> list[float]:
    """Grades that the model writes as JSON."""
    grades: list[float] = []
    for start in range(0, len(passages), GRADED):
        block = passages[start : start + GRADED]
        listed = "\n".join(f"[{number}] {passage_line(passage)}" for number, passage in enumerate(block, 1))
        filled = await model.fill_schema(
            load_prompt("grade").make_prompt(question=question, passages=fence_text(listed)), grades_schema(len(block))
        )
        grades += read_grades(filled.values, len(block))
    return grades


def grades_schema(count: int) -> dict[str, Any]:
    """The schema of so many grades."""
    one = {"type": "integer", "minimum": 0, "maximum": BEST_GRADE}
    many = {"type": "array", "items": one, "minItems": count, "maxItems": count}
    return {"type": "object", "properties": {"grades": many}, "required": ["grades"]}


def read_grades(filled: dict[str, Any], count: int) -> list[float]:
    """The grades in a form, which not every server holds to; raises `ReplyBroken`."""
    grades = filled.get("grades")
    if not isinstance(grades, list) or len(grades) != count or not all(isinstance(g, int | float) for g in grades):
        raise ReplyBroken(f"The model did not grade the {count} passages that it was given.")
    return [float(grade) for grade in grades]


def passage_line(passage: Passage) -> str:
    """Title, headings and text on one line."""
    return clip_middle(
        " ".join(contextual_text(passage.title, passage.heading, passage.text).split()), MAX_PASSAGE_CHARS_JUDGED
    )
