"""What a small model cannot work out and a tool can: the model writes the expression, the tool the result."""

import calendar
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.conversation.turns import Turn
from chatbot.models.base import LanguageModel
from chatbot.models.dialogue import answer_text
from chatbot.models.pipeline.decision.arguments import asked_after, going_on, text_fields
from chatbot.models.pipeline.decision.names import names_in
from chatbot.models.pipeline.reading.expected import minutes_of, times_of_day
from chatbot.prompts.fewshot import asked_again, load_prompt
from tools.reckoning.numerals import number_readings, numbers_in
from tools.reckoning.zones import is_place, split_place
from utils.errors import ReplyBroken, ToolError
from utils.languages.detection import language_of
from utils.languages.opening_words import asks_closing, says_open
from utils.languages.quantities import all_offered, quantities_in

EXPRESSION = text_fields(expression=120)
CALENDAR = text_fields(start=60, until=60, plus=60, zone=60)
_ISO_DATE = re.compile(r"(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])-(?P<day>\d\d)(?P<clock>[ T]\d{1,2}:\d\d)?(?::00)?")
_CLOCK_OF_PLACE = re.compile(
    r"(?P<clock>\b\d{1,2}(?:[:.]\d\d)? ?(?:[ap]\.?m\.?|h|uhr|o'clock)?),? "
    r"(?:(?P<place>[^\W\d_]{2,20}(?: [^\W\d_]{2,20})?) (?:local )?(?:time|tijd)"
    r"|(?:heure|hora|ora) d[ei]l?l?a? ?(?P<city>[^\W\d_]{2,20}))\b",
    re.IGNORECASE,
)
"""A time by the clock of a place: "16:00 Berlin time", "15 h, heure de Paris"."""
_ASKS_NOW = re.compile(r"\b(?:now|currently|jetzt|gerade|maintenant|ahora|adesso|agora)\b", re.IGNORECASE)
_IN_PLACE = re.compile(
    r"\b(?:in|to|for|from|nach|à|en|a|em|te|naar) (?=(?P<two>(?P<one>[^\W\d_]{3,20})(?: [^\W\d_]{2,20})?))",
    re.IGNORECASE,
)
_MONTH_NAMES = calendar.month_name[1:]
BEGINNING = 4
"""Letters by which the name of a place is known again."""
_PARTS_BEFORE_HOURS = ("zh", "ja", "ko")
"""Languages that tell the half of the day before the hour, which small models misread."""
_IN_SOME_PLACE = re.compile(r"\b(?:in|for|to|nach|à|au|en|a|em|no|na|te) [^\W\d_]{2}", re.IGNORECASE)
_PLACES_BY_WORDS = ("en", "de", "fr", "es", "it", "pt", "nl")
"""Languages in which such a word stands before a place."""
HALF_DAY = 12 * 60
"""In minutes."""
NEUTRAL = frozenset({"1", "2", "3", "4", "7", "12", "24", "30", "52", "60", "100", "365", "1000"})
"""Numbers that an expression may have though nobody said them: what units, percents and calendars are made of."""
_OF_HUNDREDTHS = re.compile(
    r"%|\bpct\b|per ?cent|prozent|prosent|pour ?cent|por ?cien|por ?cento|procent|százalék|la sută|процент|відсот"
    r"|τοις εκατό|yüzde|phần trăm|百分|パーセント|퍼센트|प्रतिशत|بالمئة|אחוז"
    r"|hundred|centi|\bcents?\b|\bc?m\b|met(?:er|re)|metro|mètre|ratio|share",
    re.IGNORECASE,
)
"""What a hundred has to do with though nobody says it: percents, cents, metres; not with "three times off peak"."""

_FIGURE = r"\d{1,3}(?:[ .,’']\d{3}){1,3}(?!\d)(?:[.,]\d{1,2})?|\d{1,9}(?:[.,]\d{1,4})?"
_LENGTH_OF_TIME = rf"(?<![\d.,:])(?:{_FIGURE}) ?(?:hours?|h|minutes?|mins?|days?|weeks?|months?|nights?)\b"
_SAID_OF_SOMETHING = {
    "calculate": re.compile(
        rf"(?:[€£$] ?|\bthe (?!(?:19|20)\d\d\b))(?:{_FIGURE})(?!\d|(?:st|nd|rd|th)\b|[:.]\d)"
        rf"|(?<![\d.,:])(?:{_FIGURE}) ?(?:[€£$%]|(?:euros?|pounds?|dollars?|quid|bucks|cents?|percent|per cent|kg"
        r"|kilos?|g|grams?|km|kilomet\w+|miles?|m|met(?:re|er)s?|cm|l|lit(?:re|er)s?|ml|people|persons)\b)"
        rf"|{_LENGTH_OF_TIME}",
        re.IGNORECASE,
    ),
    "date_and_time": re.compile(_LENGTH_OF_TIME, re.IGNORECASE),
}
"""Numbers that a message says of something, and not as a name or a year, for a sum and for a date."""

_UNIT_OF_TIME = re.compile(r"hours?|minutes?")
_TIME_LATER = re.compile(
    r"(?P<start>\d{1,2}:\d\d) plus (?P<span>(?:\d{1,4} (?:hours?|minutes?)(?: and )?){1,2}) is (?P<end>\d{1,2}:\d\d)\."
)
_HOUR_AND_MINUTE = re.compile(r"(?<![\d.,:])(\d{1,2}) ?(?:[:h]|uhr ?|heures? ?|u(?=\d))(\d\d)(?![\d:])", re.IGNORECASE)
"""Hour and minute of a time of the day: "6:15", "6h15"."""

_AM_OR_PM = re.compile(r"\d ?[ap]\.?m\b", re.IGNORECASE)
_ASKS_NO_DATE = re.compile(
    r"\W*(?:(?:and|so|but|ok|und|et|y|e|en)\b,? )?(?:how (?:long|much|many|far) (?:did|was|were|had)"
    r"|wie (?:lange|viele?|weit) (?:habe?n?|hat|war|waren|brauchte)|combien (?:de temps )?(?:ai|as|a|avait|avons)"
    r"|cuánto (?:tiempo )?(?:tardé|duró|fue|costó)|quanto (?:tempo )?(?:ho|è durat\w|abbiamo)"
    r"|hoe (?:lang|veel|ver) (?:was|heb|deed|duurde))\b(?!.*\b(?:ago|until|till|since|vor|bis|seit)\b)",
    re.IGNORECASE,
)
"""What a question begins with that no date answers: how long something took on a day."""

Compute = Callable[[str, dict[str, Any]], Awaitable[str]]
"""Has the tool of that name work something out; raises `ToolError`."""


async def compute_answer(model: LanguageModel, turns: Sequence[Turn], tool: str, follows: bool, run: Compute) -> str:
    """What `calculate` or `date_and_time` says to the last message; empty where that cannot be worked out."""
    message = turns[-1].question.content
    timed = _HOUR_AND_MINUTE.search(message) or _AM_OR_PM.search(message)
    if tool != "calculate" and says_open(message) and asks_closing(message) and not timed:
        return ""  # Until when something is open no calendar knows.
    before = turns[-2] if follows and len(turns) > 1 else None
    asked = going_on(before, message) if before else asked_after("", message)
    said = [asked["earlier"], message]
    filled = await _fill_whole(model, tool, asked, said)
    if before and (result := _summed_again(filled.get("expression", ""), before, message)):
        filled = await _fill_whole(model, tool, {**asked, "earlier": f"Answer: <<<{result}>>>\n"}, said)
    arguments = {key: without_year(value, said) for key, value in filled.items()}
    if tool != "calculate":
        arguments = by_clock_said(by_time_said(arguments, message), message)
    if tool == "calculate" and not is_grounded(arguments.get("expression", ""), said):
        return ""
    if not may_mean_place(arguments.get("zone", ""), said):
        return ""
    if tool != "calculate" and set(arguments) == {"start"} and _ASKS_NO_DATE.match(message):
        return ""  # What day it was says not how long something took then.
    try:
        return await run(tool, arguments) if arguments else ""
    except ToolError:
        return ""


def _summed_again(expression: str, before: Turn, message: str) -> str:
    """The result of the sum before, where an expression has that and, once more, a figure of that sum which the message
    does not say: of "56.1 split between 3" small models make (56.1 + 12) / 3. Empty for any other expression."""
    told = answer_text(before).splitlines() or [""]
    summed, _, result = told[-1].rpartition("=")
    taken, results = set(numbers_in(expression)), numbers_in(result)
    again = taken & set(numbers_in(summed)) - set(numbers_in(message)) - {"100"}
    return results[0] if len(results) == 1 and results[0] in taken and again - {results[0]} else ""


async def _fill_whole(model: LanguageModel, tool: str, asked: Mapping[str, str], said: Sequence[str]) -> dict[str, str]:
    """What a model fills in for a tool, `asked` as its prompt has it; once more where that leaves out numbers of the
    message, the last that was `said`, and what it then has leaves out fewer and makes none up."""
    name, schema = ("calculate", EXPRESSION) if tool == "calculate" else ("date", CALENDAR)
    prompt = load_prompt(name).make_prompt(**asked)
    first = await _fill(model, prompt, schema)
    lacking = lacking_numbers(first, said[-1], tool)
    if not first or not lacking:
        return first
    wish = load_prompt("left_out").fill_question(numbers=", ".join(lacking))
    try:
        second = await _fill(model, asked_again(prompt, json.dumps(first, ensure_ascii=False), wish), schema)
    except ReplyBroken:
        return first
    # A date may be written with the number of its month.
    invents = tool == "calculate" and not is_grounded(second.get("expression", ""), said)
    return second if not invents and len(lacking_numbers(second, said[-1], tool)) < len(lacking) else first


async def _fill(model: LanguageModel, prompt: Sequence[Message], schema: dict[str, Any]) -> dict[str, str]:
    values = (await model.fill_schema(prompt, schema)).values
    return {key: str(value) for key, value in values.items() if str(value).strip()}


def lacking_numbers(filled: Mapping[str, str], message: str, tool: str) -> list[str]:
    """The numbers that a message says in figures of something that a tool reckons with, and that nothing filled in has:
    those of money, of percents, with a unit or with "the" before them; of a date lengths and times. Each as it is said.
    """
    told = " ".join(filled.values())
    known, counted = number_readings(told), dict.fromkeys(map(_as_said, _SAID_OF_SOMETHING[tool].finditer(message)))
    lacking = [one.removeprefix("the ") for one in counted if known.isdisjoint(number_readings(one))]
    if tool == "calculate":
        return lacking
    times = {_minute_of_half_day(found) for found in _HOUR_AND_MINUTE.finditer(told)}
    clocks = _HOUR_AND_MINUTE.finditer(message)
    return lacking + [_as_said(clock) for clock in clocks if _minute_of_half_day(clock) not in times]


def _as_said(found: re.Match[str]) -> str:
    return found[0].strip()


def _minute_of_half_day(clock: re.Match[str]) -> int:
    """The minute of a time of the day, noon and midnight being one: "6:15 pm" may be told as 18:15."""
    return int(clock[1]) % 12 * 60 + int(clock[2])


def may_mean_place(place: str, said: Sequence[str]) -> bool:
    """Whether a place whose time is asked for may have been meant: the last message names something, or it was named.
    Of "at what time is he coming?" a small model makes the time in Tokyo."""
    last, told = said[-1], " ".join(said).casefold()
    told_otherwise = language_of(last) not in _PLACES_BY_WORDS or _IN_SOME_PLACE.search(last) or names_in(last)
    return not place or bool(told_otherwise) or any(word[:BEGINNING] in told for word in place.casefold().split())


def by_time_said(arguments: dict[str, str], message: str) -> dict[str, str]:
    """The arguments that begin with the one time that a message says, where they begin with another one: a small model
    makes 20:50 of 晚上7点50分."""
    said, start = times_of_day(message), arguments.get("start", "")
    told = times_of_day(start)
    if len(said) != 1 or len(told) != 1 or arguments.get("until") or language_of(message) not in _PARTS_BEFORE_HOURS:
        return arguments
    meant, filled = minutes_of(said[0])[0], minutes_of(told[0])[0]
    # A time without its half of the day may be that of the evening, which other words of the message tell.
    either_half = any(required[0] == "u" for required in said[0].required)
    if meant == filled or (either_half and meant % HALF_DAY == filled % HALF_DAY):
        return arguments
    hour, minute = divmod(meant, 60)
    return arguments | {"start": f"{start[: told[0].start]}{hour:02}:{minute:02}{start[told[0].end :]}"}


def by_clock_said(arguments: dict[str, str], message: str) -> dict[str, str]:
    """The arguments with the place by whose clock a message gives a time, and the other that it names as the one whose
    time is asked for."""
    said = _CLOCK_OF_PLACE.search(message)
    place = (said["place"] or said["city"]) if said else ""
    if not said or not is_place(place):
        return arguments
    named = [found[group] for found in _IN_PLACE.finditer(message) for group in ("two", "one")]
    other = next((name for name in named if place not in name and is_place(name)), "")
    zone = str(arguments.get("zone", ""))
    start, _ = split_place(str(arguments.get("start", "")))
    if start.casefold() == "now" and _ASKS_NOW.search(message):
        return arguments
    moment = start if set(numbers_in(said["clock"])) <= set(numbers_in(start)) else said["clock"]
    asked = other if not zone or place.casefold() in zone.casefold() else zone
    return arguments | {"start": f"{moment.strip()} {place} time", "zone": asked} if asked else arguments


def without_year(value: str, said: Sequence[str]) -> str:
    """A date in the form of ISO 8601 as day and month, if nobody said the year: the tool knows which one is next."""
    date = _ISO_DATE.fullmatch(value.strip())
    if not date or any(date["year"] in text for text in said):
        return value
    return f"{int(date['day'])} {_MONTH_NAMES[int(date['month']) - 1]}{(date['clock'] or '').replace('T', ' ')}"


def in_figures(told: str) -> str:
    """`19:50 + 1 h 58 min = 21:48` for what the calendar says of times of the day, which any language has; all else as
    it is."""
    found = _TIME_LATER.fullmatch(told.strip())
    if not found:
        return told
    span = found["span"].replace(" and ", " ")
    return f"{found['start']} + {_UNIT_OF_TIME.sub(_short_unit, span)} = {found['end']}"


def _short_unit(unit: re.Match[str]) -> str:
    return "h" if unit[0].startswith("hour") else "min"


def is_grounded(expression: str, said: Sequence[str]) -> bool:
    """Whether all numbers of an expression were said, in figures or in words, and there are some."""
    numbers = set(numbers_in(expression))
    in_words = all_offered(quantity for text in said for quantity in quantities_in(text))
    neutral = NEUTRAL if any(map(_OF_HUNDREDTHS.search, said)) else NEUTRAL - {"100"}
    return bool(numbers) and numbers <= neutral.union(in_words, *map(numbers_in, said))
