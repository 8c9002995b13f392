"""Whether a reading holds the answer to a question: by its likeness, and by the model's word where it was measured."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

from chatbot.conversation.messages import Message
from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.prompts.fewshot import load_prompt

Value = TypeVar("Value")

MAX_LOG_ODDS = 3.0
"""Log-odds of yes beyond which a model's word weighs no more."""
VERDICTS = {"1.5b": (5.0, 2.0, 1.5, -2.1)}
"""By a part of the model's name: weights of likeness, of the words that the passage has, and of the model's log-odds
of yes, and the bias. Set by hand after 53 questions of XQuAD in seven languages, half of them without an answer in what
was read, and some about a lease."""
UNASKED = (6.0, 3.0, -3.8)
"""The same for a model whose word is worth nothing: likeness, words, bias."""
PLAIN = 0.9
"""The share of yes with which no further passage is asked about: each costs seconds, and they come likeliest first."""


async def holds_answer(model: LanguageModel, reading: Reading, question: str, leniency: float = 0.0) -> bool:
    """Whether a reading says the answer: by its likeness and, where weights were fitted, by what the model says.

    The passage that the model reads here it need not read again for its answer: both prompts begin alike.
    """
    if reading.certain:
        return True
    weights = await measured_value(model, VERDICTS)
    if weights is None:
        slope, words, bias = UNASKED
        return slope * reading.alike + words * reading.coverage + bias + leniency > 0
    slope, words, weight, bias = weights
    said = await model.weigh_words(ask_for(reading, question), ("yes", "no"))
    score = slope * reading.alike + words * reading.coverage + weight * clipped_log_odds(said.shares["yes"]) + bias
    return score + leniency > 0


async def likeliest_reading(model: LanguageModel, readings: Sequence[Reading], question: str) -> Reading | None:
    """The reading that the model most takes for one with the answer; the first one where its word was not measured."""
    if len(readings) < 2 or await measured_value(model, VERDICTS) is None:
        return readings[0] if readings else None
    shares: list[float] = []
    for reading in readings:
        shares.append((await model.weigh_words(ask_for(reading, question), ("yes", "no"))).shares["yes"])
        if shares[-1] >= PLAIN:
            break
    return readings[shares.index(max(shares))]


async def measured_value(model: LanguageModel, values: Mapping[str, Value]) -> Value | None:
    """What was measured of a model, by a part of its name; None for a model that was not measured."""
    name = (await model.describe()).name.lower()
    return next((value for part, value in values.items() if part in name), None)


def clipped_log_odds(share: float) -> float:
    """Logarithm of the odds, cut at `MAX_LOG_ODDS` on either side."""
    odds = math.log(max(share, 1e-9) / max(1 - share, 1e-9))
    return max(-MAX_LOG_ODDS, min(MAX_LOG_ODDS, odds))


def ask_for(reading: Reading, question: str) -> list[Message]:
    """The prompt in which a model says yes or no of a reading, and goes on from there with its answer."""
    return load_prompt("read").make_prompt(passage=reading.prompt_text, question=question)
