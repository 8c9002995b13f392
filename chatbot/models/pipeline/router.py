"""The decision which step comes first for a message: a language model's word, weighed with what can be seen.

Two logistic regressions: one reads the message (its embedding, its character n-grams, what can be seen of the
situation); the other weighs the first one's answer against the language model's distribution, and was fitted for each
model that ships. `benchmarks/fit_router.py` makes the weights.
"""

import math
import re
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chatbot.models.dialogue import ADDRESS
from chatbot.models.fewshot import clip
from rag.embedding import Vectors

WEIGHTS = Path(__file__).with_name("router.npz")
WORDS = ("search", "news", "open", "library", "answer")
ANSWER = "answer"
TOOL_WORDS = {
    "web_search": "search",
    "news_search": "news",
    "fetch_url_content": "open",
    "search_vector_db": "library",
}
"""The words that the training questions know the tools by."""
BUCKETS = 1 << 13
"""Buckets that the character n-grams are hashed into."""
GRAMS = range(1, 5)
READ = 600
"""Characters of a message that the decision looks at; a pasted text says little by its middle."""
FLOOR = -12.0
"""Log-probabilities are cut here: below it they only tell which word was missing."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Situation:
    """What the decision is made from."""

    message: str
    earlier: str = ""
    """The question before this one, empty for the first."""
    history: bool = False
    address_before: bool = False
    """Whether an earlier turn holds a web address."""
    library: bool = False
    """Whether there is anything in the library."""
    hit: float = 0.0
    """Best similarity of the message to a title or passage of the library, -1 to 1."""

    @property
    def text(self) -> str:
        """The message as it is read, with the question before it: a follow-up says little by itself."""
        message = clip(self.message, READ)
        return f"{clip(self.earlier, READ // 3)}\n{message}" if self.earlier else message


def observe(situation: Situation) -> Floats:
    """What can be seen of a situation, shape (13,), each number about 0 to 2."""
    message = situation.message.strip()
    size = max(len(message), 1)
    return np.array(
        [
            bool(ADDRESS.search(message)),
            "://" in message or "www." in message,
            situation.address_before,
            situation.history,
            situation.library,
            situation.hit,
            max(situation.hit, 0.0) ** 2,
            min(math.log1p(size) / 3, 2.5),
            size > READ // 2,
            "\n" in message,
            message.endswith(("?", "？", "؟", ";")),
            5 * sum(character.isdigit() for character in message) / size,
            5 * sum(character in "{}[]()<>;=`_*\"'" for character in message) / size,
        ],
        dtype=np.float64,
    )


def count_grams(text: str) -> dict[int, float]:
    """Hashed character n-grams of a message with 1 + the logarithm of their counts."""
    text = re.sub(r"\d", "0", " ".join(clip(text, READ).lower().split()))
    text = f" {text} "
    grams = (text[i : i + n] for n in GRAMS for i in range(len(text) - n + 1))
    counts = Counter(zlib.crc32(gram.encode()) % BUCKETS for gram in grams)
    return {bucket: 1 + math.log(count) for bucket, count in counts.items()}


@dataclass(frozen=True)
class Router:
    """Fitted weights; a row a word of `WORDS`."""

    rarity: Floats
    """Inverse document frequency of each bucket, shape (BUCKETS,)."""
    grams: Floats
    embedding: Floats
    seen: Floats
    bias: Floats
    admission: Floats
    """Slope and middle of the odds of a tool without training questions, over its likeness to the message."""
    judges: Mapping[str, Floats]
    """For each model, by a part of its name: weights of `judge_features`, shape (5, 24)."""

    def read(self, situation: Situation, vector: Vectors) -> Floats:
        """Log-probabilities of `WORDS` without a language model; `vector` is the message's, shape (384,)."""
        counts = count_grams(situation.message)
        buckets = np.fromiter(counts, dtype=np.int64)
        values = np.fromiter(counts.values(), dtype=np.float64) * self.rarity[buckets]
        values /= max(float(np.linalg.norm(values)), 1e-9)
        scores = self.grams[:, buckets] @ values + self.embedding @ vector + self.seen @ observe(situation) + self.bias
        return log_softmax(scores)

    def weigh(self, model: str, said: Mapping[str, float], read: Floats, situation: Situation) -> Floats:
        """Log-probabilities of `WORDS` from what a model said; an unknown model is not listened to."""
        weights = next((self.judges[name] for name in self.judges if name in model.lower()), None)
        if weights is None or not said:
            return read
        return log_softmax(weights @ judge_features(said, read, situation))

    def knows(self, model: str) -> bool:
        """Whether weights were fitted for the model of that name."""
        return any(name in model.lower() for name in self.judges)


def judge_features(said: Mapping[str, float], read: Floats, situation: Situation) -> Floats:
    """Both distributions, what can be seen, and 1: shape (24,)."""
    logs = [math.log(max(said.get(word, 0.0), math.exp(FLOOR))) / 2 for word in WORDS]
    return np.concatenate([logs, np.maximum(read, FLOOR), observe(situation), [1.0]])


def log_softmax(scores: Floats) -> Floats:
    """Logarithms of the shares whose logarithms the scores are, up to a constant."""
    scores = scores - scores.max()
    result: Floats = scores - math.log(float(np.exp(scores).sum()))
    return result


@cache
def load_router() -> Router:
    """The shipped weights."""
    with np.load(WEIGHTS) as arrays:
        named: dict[str, Any] = {name: arrays[name].astype(np.float64) for name in arrays.files}
    judges = {name.removeprefix("judge "): named.pop(name) for name in sorted(named) if name.startswith("judge ")}
    return Router(**named, judges=judges)


def offered_words(tools: Sequence[str], has_address: bool) -> list[str]:
    """The words that may be decided for: those of the tools that are on, and to answer."""
    words = [TOOL_WORDS[name] for name in tools if name in TOOL_WORDS]
    return [word for word in words if word != "open" or has_address] + [ANSWER]
