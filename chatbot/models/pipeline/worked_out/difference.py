"""Which of two things has more of something, and by how much: worked out of what was said of each.

Small models subtract badly, and of "heavier" and two weights they do not surely tell which one is meant.
"""

from collections.abc import Mapping, Sequence

from chatbot.models.pipeline.comparing import compares, wants_more
from chatbot.models.pipeline.plans import Situation
from chatbot.models.pipeline.reading.editions import without_numbered_names
from chatbot.models.pipeline.writing.written import without_number_marks
from rag.search.stop_words import STOP_WORDS
from tools.reckoning.amounts import Amount, only_amount, value_in

_SIDES = 2
_LONGEST_NAME = 4
"""Words of what a thing is called, at most."""


def difference_of_parts(said: Mapping[str, str], at: Situation) -> str:
    """The same of what was said to each question of a message; empty where nothing asks for it."""
    asked = at.intent.english or at.intent.question
    compared = at.intent.decision.form == "comparison" or compares(asked)
    return tell_difference(asked, list(said.items()), at.intent.language) if compared else ""


def tell_difference(asked: str, said: Sequence[tuple[str, str]], language: str) -> str:
    """`Arlo: 120 grams − 94 grams = 26 grams`, where two answers say one figure each and of the same measure; else
    empty.

    `said` is each side's question with its answer, `asked` the question about both in English: the side that it asks
    for stands first, where that is clear. Figures that a question says are names (Beam 2), and what was found nowhere
    says none. `language` is the ISO 639-1 code of the answers.
    """
    asked_of = " ".join([asked, *(side for side, _ in said)])
    answers = [(side, without_numbered_names(answer, asked_of)) for side, answer in said]
    no_units = STOP_WORDS.get(language, ())
    found = [(one, side) for side, answer in answers if (one := only_amount(without_number_marks(answer), no_units))]
    if len(found) != _SIDES or (other := _in_unit_of(found[0][0], found[1][0])) is None:
        return ""
    sides = (found[0], (other, found[1][1]))
    (more, asked_of_more), (less, asked_of_less) = sorted(sides, key=lambda each: each[0].value, reverse=True)
    if more.value == less.value:
        return ""
    written = [more.write_value(value) for value in (more.value, less.value, more.value - less.value)]
    difference = f"{written[0]} − {written[1]} = {written[2]}"
    wanted, names = wants_more(asked, more.unit, is_year=more.is_year), _told_apart(asked_of_more, asked_of_less)
    return difference if wanted is None or not names else f"{names[0 if wanted else 1]}: {difference}"


def _in_unit_of(one: Amount, other: Amount) -> Amount | None:
    """The second of two amounts in the unit of the first: 1.2 kg in grams; None where they measure different things."""
    if (one.sign, one.unit) == (other.sign, other.unit):
        return other
    comparable = one.unit and other.unit and not (one.sign or other.sign)
    value = value_in(other, one.unit) if comparable else None
    return None if value is None else Amount(value, "", one.unit)


def _told_apart(first: str, second: str) -> tuple[str, str] | None:
    """What two questions name in the same place, with the words of a name around it; None where that is not told."""
    sides = [question.rstrip(" ?？.").split() for question in (first, second)]
    begin = next((at for at, (one, other) in enumerate(zip(*sides, strict=False)) if one != other), 0)
    behind = list(zip(*(reversed(side[begin:]) for side in sides), strict=False))
    end = next((at for at, (one, other) in enumerate(behind) if one != other), len(behind))
    while begin > 1 and _is_name(sides[0][begin - 1]):
        begin -= 1
    # "Arlo 300" may be typed small: the number alone names nothing.
    if begin > 1 and sides[0][begin][:1].isdigit() and sides[0][begin - 1].casefold() not in STOP_WORDS["en"]:
        begin -= 1
    while end and _is_name(sides[0][-end]):
        end -= 1
    one, other = (" ".join(side[begin : len(side) - end]).strip(' ,.:;"') for side in sides)
    told = begin and one and other and max(map(len, (one.split(), other.split()))) <= _LONGEST_NAME
    return (one[:1].upper() + one[1:], other[:1].upper() + other[1:]) if told else None


def _is_name(word: str) -> bool:
    return word[:1].isupper() or word[:1].isdigit()
