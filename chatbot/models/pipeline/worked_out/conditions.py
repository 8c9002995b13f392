"""What a message in English wants in figures: "at most £130", "lighter than 1.5 kg", "a warranty of three years".

A condition that is half understood is none: what is told to fit must fit.
"""

import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from chatbot.models.pipeline.comparing import means_more
from chatbot.models.pipeline.reading.expected import is_money
from rag.search.rare_words import telling_words, word_stems
from rag.search.stop_words import STOP_WORDS
from tools.reckoning.amounts import Amount, only_amount, written_amounts

Holds = Callable[[Fraction, Fraction], bool]
"""Whether a value is as is wanted, beside the value that a condition names."""

_ONES = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9}
_TEENS = {"ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15}
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
NUMBERS_IN_WORDS = word_stems(" ".join([*_ONES, *_TEENS, *_TENS]))
_POWERS = {"hundred": 100, "thousand": 1000}
_SPELLED_TENS = re.compile(rf"\b(?P<tens>{'|'.join(_TENS)})(?:[- ](?P<units>{'|'.join(_ONES)}))?\b", re.IGNORECASE)
_SPELLED_NUMBER = re.compile(rf"\b(?:{'|'.join(set(_ONES) - {'one'} | set(_TEENS))})\b", re.IGNORECASE)
_AND_A_HALF = re.compile(r"\b(?:(?P<whole>\d+)|one|an?(?= \w+ and a half\b)) (?P<thing>[^\W\d_]+ )?and a half\b")
_HALF_A = re.compile(r"\bhalf an? (?=\w)")
_A_HUNDRED = re.compile(r"\b(?:(?P<count>\d+) |a |one )(?P<power>hundred|thousand)\b")
_GLUED_UNIT = re.compile(r"\b(\d+(?:[.,]\d+)?)([^\W\d_]{1,4})\b")
_SHORTENED = re.compile(r"\b(max|min)\.(?=\s)", re.IGNORECASE)
_END_OF_SENTENCE = re.compile(r"[!?\n]|\.(?=\s|$)")
_WISHES = re.compile(r"\b(?:want|need|must|should|looking for|like|has to|have to|which|prefer|wish)\b", re.IGNORECASE)
_WANTS_TO_DO = re.compile(
    r"\b(?:want|like|need|wish) to (?:(?!(?:have|buy|get|find|own|order|choose|rent|hire)\b)\w"
    r"|get (?:\w+ ){1,4}(?:home|back|(?:to|from) (?:the|a|my|our) \w+)\b(?! (?:that|which|with)\b))",
    re.IGNORECASE,
)
"""What one wants to do says nothing of what a thing is to be: "we want to walk for two weeks"."""
_OF_ONE = re.compile(r"\bones? (?:that|which|with)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[;!?\n]|[.,:](?=\s|$)|\b(?:and|but|because|since|so that|that|which)\b")
_FILLERS = r"(?:(?:about|around|roughly|say|only|just|a|an|the|total|price|weight|cost|of|for) ){0,3}"
_BOUND = re.compile(
    r"\b(?:(?P<upper>at (?:the )?most|at (?:the )?maximum|maximum|max|up to|within)|"
    r"(?P<lower>at (?:the )?(?:very )?least|minimum|min)|"
    r"(?P<beyond>over|above|exceed\w*)|(?P<below>under|below)|(?P<compared>[^\W\d_]+) than)"
    rf"\s+{_FILLERS}(?=[€$£¥]?\s?\d)",
    re.IGNORECASE,
)
"""How a bound is said before its figure."""
_BOUND_BEHIND = re.compile(
    r"\d[^,;?!]{0,24}\b(?:(?P<upper>or (?:less|fewer|under|below|cheaper|lighter|shorter|smaller)\b(?! than\b)"
    r"|at (?:the )?(?:most|maximum)\b|maximum\b|max\b|tops\b)"
    r"|(?P<lower>or (?:more|above|over|longer|higher|larger|bigger|better)\b(?! than\b)"
    r"|at (?:the )?(?:very )?(?:least|minimum)\b|minimum\b))(?!\s*[€$£¥]?\d)",
    re.IGNORECASE,
)
"""How one is said behind it."""
_FIGURE_OF = re.compile(r"\b(?:of|with) (?=\d)")
"""What stands before a figure that is wanted without a word for a bound."""
_COUNTED_ALONE = re.compile(
    r"\W*\d{1,3} (?!(?:night|day|week|month|year|hour|minute|people|person|adult|child|kid|guest|of)\w*\b)"
    r"[^\W\d_]{2,20}(?: (?:of course|each|please))?\W*",
    re.IGNORECASE,
)
"""A clause that is nothing else and counts a part of a thing: "two seats, of course"; three nights are none."""
_OF_SO_MANY = re.compile(r"(?<=\bof the )\d{1,2} |(?<=\bof these )\d{1,2} |(?<=\bof those )\d{1,2} ", re.IGNORECASE)
"""How many there are to choose from is no condition."""
_UNIT_AND_SIDE = (
    r"(?P<unit>(?:milli|centi|deci|kilo)?met(?:re|er)s?|mm|cm|dm|m|km|inch(?:es)?|feet|foot|ft|yards?|miles?) "
    r"(?P<side>wide|high|tall|long|deep)\b"
)
_MEASURED_SIDE = re.compile(rf"(?<=\d ){_UNIT_AND_SIDE}", re.IGNORECASE)
_NAMES_OF_SIDES = {"wide": "width", "high": "height", "tall": "height", "long": "length", "deep": "depth"}
"""What tables call that which something is wide or high."""
_PASSES = re.compile(
    r"\b(?P<goes>(?:go|goes|gets?|fits?|pass(?:es)?) (?:through|into|in|under|behind|between)\b[^.;:?!\n\d]{1,60}?),? "
    rf"(?:(?:which|that) is|of) (?:only |just )?(?=\d[\d.,]* {_UNIT_AND_SIDE})",
    re.IGNORECASE,
)
"""What something must go through, whose size it may not exceed: "through the door, which is 79 cm wide"."""
_HALF_READ = re.compile(
    r"\bbetween\b|\beither\b|\bfor (?:an? \w+ of )?\d|\bthe (?:best|(?!least\b)\w{3,}est)\b"
    rf"|\bthan (?!{_FILLERS}[€$£¥]?\s?\d)"
    r"|\d[^?!]{0,60}\bor (?!less\b|fewer\b|more\b|under\b|below\b|above\b|over\b|\w+er\b)[^?!]{0,60}\d",
    re.IGNORECASE,
)
"""What is more than bounds that hold all together."""
_HAS_OR_IS = re.compile(r"\s*(?:is|are|has|have|can|comes?|works?|does|doesn['’]t|isn['’]t)\b", re.IGNORECASE)
"""What a clause begins with that is a condition without a figure: "and has a touchscreen"."""
_ALSO_IS = re.compile(rf"{_HAS_OR_IS.pattern}[^\d]*\b(?:costs?|weighs?)\b", re.IGNORECASE)
"""Such a clause before another one: "that is not too heavy costs under £500"."""
_THEN_IS = re.compile(r"\d[^\d]*\b(?:is|are|has|have|can|comes?|works?)\b[^\d]*$", re.IGNORECASE)
"""Such a clause behind another one: "under 700 euros has a rudder"."""
_WITH_THING = re.compile(
    r"\bwith(?:out)? (?:[^\W\d]+ ){0,3}?[^\W\d]+"
    r"(?=\s*(?:$|(?:costs?|weighs?|is|has|at|for|under|below|over|above)\b))",
    re.IGNORECASE,
)
"""What a clause has that is such a condition: "a jug with a lid"."""
_OF_WHAT = re.compile(r"\d[\d.,]*\s?[^\W\d_]+ of\b", re.IGNORECASE)
_DENIED_BOUND = re.compile(r"(?:\b(?:not?|never|cannot)|n['’]t)(?! too\b)(?: \w+){0,2}\s*$", re.IGNORECASE)
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
    """The telling words of what it stands in."""
    bounded: bool = True
    """Whether a word of the message says that it is a bound; "a warranty of 3 years" may be none."""
    named: bool = False
    """Whether it says of what: at least 12 GB of memory is not what a thing has of storage."""


def conditions_in(message: str) -> list[Condition]:
    """The conditions of a message in English, in their order; none where one of them is not understood."""
    text = _as_read(message)
    found = [condition for sentence in _END_OF_SENTENCE.split(text) for condition in _wished_in(sentence)]
    return [] if any(one is None or one.amount.is_year for one in found) else [one for one in found if one]


def _wished_in(sentence: str) -> list[Condition | None]:
    """The conditions of a sentence; None where they are half read; of one that wishes for no thing, how it came to the
    wish, none."""
    found = [condition for clause in _CLAUSE_END.split(sentence) for condition in _conditions_of(clause)]
    if not (any(found) or wishes_for(sentence)):
        return []
    return [None] if _HALF_READ.search(sentence) else found


def wishes_for(sentence: str) -> bool:
    """Whether a sentence in English wishes for a thing, and not to do something."""
    return bool(_WISHES.search(sentence)) and bool(not _WANTS_TO_DO.search(sentence) or _OF_ONE.search(sentence))


def _conditions_of(clause: str) -> Iterator[Condition | None]:
    """The conditions of a clause; None for one that is not understood."""
    if _WITH_THING.search(clause) or _ALSO_IS.match(clause) or _THEN_IS.search(clause):
        yield None
    if bounds := list(_BOUND.finditer(clause)):
        begins = [0, *(bound.end() + 1 for bound in bounds[:-1])]
        ends = [*(bound.start() for bound in bounds[1:]), len(clause)]
        for bound, begin, end in zip(bounds, begins, ends, strict=True):
            yield _bounded(bound, clause[begin:end])
    elif behind := _BOUND_BEHIND.search(clause):
        amount = _only_amount(clause)
        yield Condition(amount, _HOLDS[str(behind.lastgroup)], telling_words(clause)) if amount else None
    elif _FIGURE_OF.search(clause) or _COUNTED_ALONE.fullmatch(clause):
        yield from _without_bound(clause)
    elif _HAS_OR_IS.match(clause):
        yield None


def _without_bound(clause: str) -> Iterator[Condition]:
    """A figure without a bound: as much of it is wanted, or more; but of a budget of so much."""
    amount = _only_amount(clause)
    if amount and amount.unit and not is_money_amount(amount):
        yield Condition(amount, operator.ge, telling_words(clause), bounded=False)


def _bounded(bound: re.Match[str], around: str) -> Condition | None:
    """The condition that a bound says; None where it has no figure, or compares what has no more and less."""
    written = written_amounts(bound.string[bound.end() : bound.end() + _NEAR])
    amount, holds = _only_amount(written[0]) if written else None, _HOLDS.get(str(bound.lastgroup))
    if bound["compared"]:
        more = means_more(bound["compared"])
        holds = None if more is None else operator.gt if more else operator.lt
    # "Sleeps up to six" is what it is able to.
    if not amount or not holds or (bound[0].casefold().startswith("up to") and not is_money_amount(amount)):
        return None
    if _DENIED_BOUND.search(bound.string[: bound.start()]):
        holds = _OPPOSITE.get(holds, holds)
    return Condition(amount, holds, telling_words(around), named=bool(_OF_WHAT.match(bound.string, bound.end())))


def is_money_amount(amount: Amount) -> bool:
    """Whether the sign or the unit of an amount is one of money."""
    return is_money(f"{amount.sign}1 {amount.unit}")


def _as_read(message: str) -> str:
    """A text as its conditions are read: with number words as figures, units apart, sides by their names ("1.5 metres
    width") and what something must go through as the most that it may have.
    """
    text = _SPELLED_TENS.sub(_write_tens, _SHORTENED.sub(r"\1", message))
    text = _SPELLED_NUMBER.sub(lambda found: str((_ONES | _TEENS)[found[0].casefold()]), text)
    text = _AND_A_HALF.sub(lambda found: f"{found['whole'] or 1}.5 {found['thing'] or ''}".rstrip(), text)
    text = _A_HUNDRED.sub(lambda found: str(int(found["count"] or 1) * _POWERS[found["power"]]), text)
    text = _GLUED_UNIT.sub(r"\1 \2", _HALF_A.sub("0.5 ", text))
    text = _PASSES.sub(r"\g<goes> at most ", text)
    text = _MEASURED_SIDE.sub(lambda found: f"{found['unit']} {_NAMES_OF_SIDES[found['side'].casefold()]}", text)
    return _OF_SO_MANY.sub("", text)


def _write_tens(found: re.Match[str]) -> str:
    return str(_TENS[found["tens"].casefold()] + _ONES.get((found["units"] or "").casefold(), 0))


def _only_amount(text: str) -> Amount | None:
    return only_amount(text, _NO_UNITS)
