"""What a message in English wants in figures: "at most £130", "lighter than 1.5 kg", "a warranty of three years"."""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from chatbot.models.pipeline.comparing import means_more
from rag.search.rare_words import telling_words
from rag.search.stop_words import STOP_WORDS
from tools.reckoning.amounts import Amount, only_amount, written_amounts

Holds = Callable[[Fraction, Fraction], bool]
"""Whether a value is as is wanted, beside the value that a condition names."""

_SPELLED_OUT = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
}  # fmt: skip
_SPELLED_NUMBER = re.compile(rf"\b(?:{'|'.join(_SPELLED_OUT)})\b", re.IGNORECASE)
_AND_A_HALF = re.compile(r"\b(?:(?P<whole>\d+)|one|an?(?= \w+ and a half\b)) (?P<thing>[^\W\d_]+ )?and a half\b")
_HALF_A = re.compile(r"\bhalf an? (?=\w)")
_A_HUNDRED = re.compile(r"\b(?:(?P<count>\d+) |a |one )(?P<power>hundred|thousand)\b")
_POWERS = {"hundred": 100, "thousand": 1000}
_CLAUSE_END = re.compile(
    r"[;!?\n]|[.,:](?=\s|$)|\b(?:and|or(?= (?:at|no|not|more than|less than|under|over)\b.{0,30}\d)"
    r"|but|because|since|so that|for I|that|which|with)\b"
)
_FILLERS = r"(?:(?:about|around|roughly|say|only|just|a|an|the|total|price|weight|cost|of|for) ){0,3}"
_BOUND = re.compile(
    r"\b(?:(?P<upper>at (?:the )?most|at (?:the )?maximum|maximum|max\.?|up to|within)|"
    r"(?P<lower>at (?:the )?(?:very )?least|minimum|min\.?|from)|"
    r"(?P<beyond>over|above|exceed\w*)|(?P<below>under|below)|(?P<compared>[^\W\d_]+) than)"
    rf"\s+{_FILLERS}(?=[€$£¥]?\s?\d)",
    re.IGNORECASE,
)
"""How a bound is said before its figure."""
_BOUND_BEHIND = re.compile(
    r"\bor (?:(?P<upper>less|fewer|under|below|cheaper|lighter|shorter|smaller)|"
    r"(?P<lower>more|above|over|longer|higher|larger|bigger|better))\b(?! than\b)",
    re.IGNORECASE,
)
_DENIAL_BEFORE = re.compile(r"\b(?:not?|never|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_HOLDS: dict[str, Holds] = {
    "upper": operator.le,
    "lower": operator.ge,
    "beyond": operator.gt,
    "below": operator.lt,
}
_OPPOSITE: dict[Holds, Holds] = {operator.gt: operator.le, operator.lt: operator.ge}
_NO_UNITS = frozenset(word for word in STOP_WORDS["en"] if len(word) > 1)
"""Words that are no unit; of single letters several are one."""
_NEAR = 24
"""Characters behind a bound within which its figure ends."""


@dataclass(frozen=True)
class Condition:
    """A figure that something is to keep to."""

    amount: Amount
    holds: Holds
    words: frozenset[str]
    """The telling words of the clause that it stands in."""
    bounded: bool = True
    """Whether a word of the message says that it is a bound; "a warranty of 3 years" may be none."""


def conditions_in(message: str) -> list[Condition]:
    """The conditions of a message in English, in their order: of each clause the one that it has."""
    clauses = [clause for clause in _CLAUSE_END.split(_in_digits(message)) if any(map(str.isdigit, clause))]
    return [condition for clause in clauses if (condition := _bounded(clause) or _without_bound(clause))]


def _in_digits(message: str) -> str:
    """A text with its number words as figures: "one and a half kilograms" as "1.5 kilograms"."""
    text = _SPELLED_NUMBER.sub(lambda found: str(_SPELLED_OUT[found[0].casefold()]), message)
    text = _AND_A_HALF.sub(lambda found: f"{found['whole'] or 1}.5 {found['thing'] or ''}".rstrip(), text)
    text = _A_HUNDRED.sub(lambda found: str(int(found["count"] or 1) * _POWERS[found["power"]]), text)
    return _HALF_A.sub("0.5 ", text)


def _bounded(clause: str) -> Condition | None:
    """The condition of a clause that says a bound; None where it says none, or compares what has no more and less."""
    if not (found := _BOUND.search(clause)):
        behind = _BOUND_BEHIND.search(clause)
        amount = _only_amount(clause[: behind.start()]) if behind else None
        return Condition(amount, _HOLDS[str(behind.lastgroup)], telling_words(clause)) if behind and amount else None
    written = written_amounts(clause[found.end() : found.end() + _NEAR])
    amount, holds = _only_amount(written[0]) if written else None, _HOLDS.get(str(found.lastgroup))
    if found["compared"]:
        more = means_more(found["compared"])
        holds = None if more is None else operator.gt if more else operator.lt
    if not amount or not holds:
        return None
    if _DENIAL_BEFORE.search(clause[: found.end()]):
        holds = _OPPOSITE.get(holds, holds)
    return Condition(amount, holds, telling_words(clause))


def _without_bound(clause: str) -> Condition | None:
    """A figure without a bound: as much of it is wanted, or more."""
    amount = _only_amount(clause)
    return Condition(amount, operator.ge, telling_words(clause), bounded=False) if amount and amount.unit else None


def _only_amount(text: str) -> Amount | None:
    return only_amount(text, _NO_UNITS)
