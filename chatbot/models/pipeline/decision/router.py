"""The decision what a message wants: its step, whether it goes on from before, the form of its answer.

Logistic regressions. One reads the message (its embedding, its character n-grams, what can be seen of the situation);
another weighs what that one says of the message and of the question before it. No language model is asked: its word
would cost half a second, and the steps after this one ask it anyway. `benchmarks/fit_router.py` makes the weights.
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
from chatbot.prompts.fewshot import clip_middle
from rag.embedding.base import Vectors
from utils.languages.detection import language_of

WEIGHTS = Path(__file__).with_name("router.npz")
TOOL_WORDS = {
    "web_search": "search",
    "news_search": "news",
    "fetch_url_content": "open",
    "search_vector_db": "library",
}
"""Tools that look something up, by the words that the training messages know them by."""
ACT_WORDS = {
    "remember": "keep",
    "forget": "forget",
    "set_reminder": "alarm",
    "list_reminders": "agenda",
    "cancel_reminder": "cancel",
}
"""Tools that carry out a wish."""
COMPUTED = ("calculate", "date_and_time")
"""Tools that work something out."""
ANSWER, TEXT, CALCULATE, DATE = "answer", "text", "calculate", "date"
TAKEN_APART = (*TOOL_WORDS, TEXT)
"""Wishes of which the question is taken apart before anything is done."""
ACTIONS = (*TOOL_WORDS.values(), TEXT, ANSWER, *ACT_WORDS.values(), CALCULATE, DATE)
"""What a message can want; `text`: it is about a text that the user attached or pasted."""
FORMS = ("fact", "yesno", "list", "summary", "comparison", "several", "explain", "text", "act")
"""What an answer can look like; `text` is what a model writes of its own."""
GRAM_BUCKETS = 1 << 13
"""Buckets that the character n-grams are hashed into."""
GRAMS = range(1, 5)
DECISION_CHARS = 600
"""Characters of a message that the decision looks at; a pasted text says little by its middle."""
CAPITALISED = ("de", "lb")
"""Languages in which any noun has a capital letter."""
_INSIDE = re.compile(r"(?<=[^\s.!?:…] )[^\W\d_][-\w]*")
"""Words that begin no sentence."""
MIN_LOG_PROBABILITY = -12.0
"""Log-probabilities are cut here: below it they only tell which word was missing."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RouterInput:
    """What the decision is made from."""

    message: str
    earlier: str = ""
    """The question before this one, as it stands alone; empty for the first."""
    history: bool = False
    address_before: bool = False
    """Whether an earlier turn holds a web address."""
    library: bool = False
    """Whether there is anything in the library."""
    hit: float = 0.0
    """Best similarity of the message to a title or passage of the library, -1 to 1."""
    attached: bool = False
    """Whether a text comes with the message."""
    attached_before: bool = False
    """Whether one came with an earlier one."""
    alike: float = 0.0
    """Similarity of the message to the question before it, -1 to 1."""


@dataclass(frozen=True)
class MessageWish:
    """What a message wants."""

    shares: Mapping[str, float]
    """Of each of `ACTIONS`; sums to 1."""
    follows: float
    """The probability that it goes on from before: 0 for the first message."""
    form: str
    """The likeliest of `FORMS`."""


def count_names(message: str) -> int:
    """Words with a capital letter where no sentence begins: what has a name of its own needs no earlier question."""
    return sum(word[0].isupper() and not re.match(r"I\b", word) for word in _INSIDE.findall(message))


def observe_situation(situation: RouterInput) -> Floats:
    """What can be seen of a situation, shape (20,), each number about 0 to 2."""
    message = situation.message.strip()
    size = max(len(message), 1)
    names = min(count_names(clip_middle(message, DECISION_CHARS)), 4) / 2
    german = names > 0 and language_of(message) in CAPITALISED
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
            size > DECISION_CHARS // 2,
            "\n" in message,
            message.endswith(("?", "？", "؟", ";")),
            5 * sum(character.isdigit() for character in message) / size,
            5 * sum(character in "{}[]()<>;=`_*\"'" for character in message) / size,
            situation.attached,
            situation.attached_before,
            situation.alike,
            situation.history and size < 30,
            any(character.isdigit() for character in message),
            0.0 if german else names,
            names if german else 0.0,
        ],
        dtype=np.float64,
    )


def count_grams(text: str) -> dict[int, float]:
    """Hashed character n-grams of a message with 1 + the logarithm of their counts."""
    text = re.sub(r"\d", "0", " ".join(clip_middle(text, DECISION_CHARS).lower().split()))
    text = f" {text} "
    grams = (text[i : i + n] for n in GRAMS for i in range(len(text) - n + 1))
    counts = Counter(zlib.crc32(gram.encode()) % GRAM_BUCKETS for gram in grams)
    return {bucket: 1 + math.log(count) for bucket, count in counts.items()}


@dataclass(frozen=True)
class Router:
    """The fitted weights; rows of `grams`, `embedding`, `seen` and `bias` are `ACTIONS`, then follows, then `FORMS`."""

    rarity: Floats
    """Inverse document frequency of each bucket, shape (BUCKETS,)."""
    grams: Floats
    embedding: Floats
    seen: Floats
    bias: Floats
    admission: Floats
    """Slope and middle of the odds of a tool without training questions, over its likeness to the message."""
    judge: Floats
    """Weights of `judge_features`, shape (13, 48)."""

    def score_rows(self, situation: RouterInput, vector: Vectors) -> Floats:
        """Scores of every row, shape (23,); `vector` is the message's, shape (384,)."""
        counts = count_grams(situation.message)
        buckets = np.fromiter(counts, dtype=np.int64)
        values = np.fromiter(counts.values(), dtype=np.float64) * self.rarity[buckets]
        values /= max(float(np.linalg.norm(values)), 1e-9)
        scores: Floats = self.grams[:, buckets] @ values + self.embedding @ vector
        return scores + self.seen @ observe_situation(situation) + self.bias

    def read_situation(
        self, situation: RouterInput, vector: Vectors, before: Vectors | None = None
    ) -> "MessageReading":
        """What the message says without a language model; `before` is the vector of the question before it."""
        scores = self.score_rows(situation, vector)
        follows = log_odds_to_probability(float(scores[len(ACTIONS)])) if situation.history else 0.0
        earlier = np.zeros(len(ACTIONS))
        if before is not None:
            asked = self.score_rows(RouterInput(situation.earlier, library=situation.library), before)
            earlier = log_softmax(asked[: len(ACTIONS)])
        form = FORMS[int(np.argmax(scores[len(ACTIONS) + 1 :]))]
        return MessageReading(log_softmax(scores[: len(ACTIONS)]), earlier, follows, form)

    def wish_log_probabilities(self, reading: "MessageReading", situation: RouterInput) -> Floats:
        """Log-probabilities of `ACTIONS` from what was read of the message and of the question before it."""
        return log_softmax(self.judge @ judge_features(reading, situation))


@dataclass(frozen=True)
class MessageReading:
    """What the message says, and the question before it."""

    logs: Floats
    """Log-probabilities of `ACTIONS`, shape (13,)."""
    earlier: Floats
    """The same of the question before, alone; zeros where there is none."""
    follows: float
    form: str


def judge_features(reading: MessageReading, situation: RouterInput) -> Floats:
    """Both readings, what can be seen, how far the message goes on from before, and 1: shape (48,)."""
    own, earlier = np.maximum(reading.logs, MIN_LOG_PROBABILITY), np.maximum(reading.earlier, MIN_LOG_PROBABILITY)
    return np.concatenate([own, reading.follows * earlier, observe_situation(situation), [reading.follows, 1.0]])


def log_odds_to_probability(score: float) -> float:
    """The probability whose log-odds the score is."""
    return 1 / (1 + math.exp(-max(-50.0, min(50.0, score))))


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
    return Router(**named)


def offered_words(tools: Sequence[str], has_address: bool, has_text: bool) -> list[str]:
    """The words that may be decided for: those of the tools that are on, and to answer."""
    known = TOOL_WORDS | ACT_WORDS | {"calculate": CALCULATE, "date_and_time": DATE}
    words = [known[name] for name in tools if name in known]
    return [word for word in words if word != "open" or has_address] + [TEXT] * has_text + [ANSWER]
