"""Whether something is open at an hour: read off the opening hours of its day, which small models compare badly."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.decision.names import names_in
from chatbot.models.pipeline.leave import says_closed
from chatbot.models.pipeline.reading.evidence import body_sentences
from chatbot.models.pipeline.reading.expected import times_of_day
from chatbot.models.pipeline.reading.named_rows import with_asked_columns
from chatbot.models.pipeline.reading.timetables import AXES
from chatbot.models.pipeline.reading.weekdays import UNTIL, days_in
from chatbot.models.pipeline.writing.lists import without_sign
from chatbot.models.pipeline.writing.verdicts import word_for
from chatbot.models.pipeline.writing.written import number_marks
from rag.chunking.tables import table_rows, without_tables
from rag.documents import Passage
from rag.search.rare_words import word_stems
from utils.languages.quantities import normalize_text

_ASKS_OPEN = re.compile(
    r"\b(?:is|are|will|do|does)\b[^?]{0,80}\bopen(?:ed)?\b[^?]{0,40}?\bat (?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?"
    r"(?!\d)\s*(?P<half>[ap]\.?m\b)?",
    re.IGNORECASE,
)
_STILL = re.compile(r"\b(?:still|tonight|evening)\b", re.IGNORECASE)
_UNTIL = re.compile(UNTIL)
_HALF_OF_DAY, _LAST_HOUR = 12 * 60, 24
Span = tuple[int, int]
"""Minutes since midnight at which it opens and closes; one that closes at night does beyond 1440."""


@dataclass(frozen=True)
class _Hours:
    """What a line says of a day; no spans where it is closed."""

    line: str
    spans: tuple[Span, ...]
    number: int


def tell_open(english: str, sources: Sequence[Source], language: str) -> str:
    """`Yes. “Saturday: 9:00 - 18:30” [2]`; empty where a question in English asks no such, and where it is not clear.

    It names one day and an hour, and the passage has all its names. `language` is the ISO 639-1 code of the answer.
    """
    asked, days = _ASKS_OPEN.search(english), days_in(english)
    if not asked or len(days) != 1:
        return ""
    besides = english[: asked.start("hour")] + english[asked.end() :]
    names = word_stems(" ".join(name for name in names_in(besides).split() if not days_in(name)))
    if not names:
        return ""
    about = [one for one in sources if names <= word_stems(f"{one.passage.headed_title} {one.passage.text}")]
    told = [hours for one in about for hours in _hours_in(one.passage, english, days, one.number)]
    if len({hours.spans for hours in told}) != 1:
        return ""
    is_open = _is_open(told[0].spans, asked, still=bool(_STILL.search(english)))
    if is_open is None:
        return ""
    return f"{word_for(is_open, language)}“{without_sign(told[0].line)}”{number_marks([told[0].number])}"


def _hours_in(passage: Passage, english: str, days: frozenset[int], number: int) -> Iterator[_Hours]:
    """What the rows and sentences of a passage say of a day, those that have one span, or say that it is closed."""
    rows = {row.spoken: row for row in table_rows(passage.text)}
    for row in AXES[0].narrow(english, rows).values() if rows else ():
        if row is None or not days <= days_in(row.spoken):
            continue
        said = [cell for _, cell in with_asked_columns(english, row).cells]
        spans = [found for cell in said if (found := spans_in(cell))]
        if len(spans) == 1 or (not spans and any(map(says_closed, said))):
            yield _Hours(row.spoken, spans[0] if spans else (), number)
    for sentence in body_sentences(without_tables(passage.text)):
        if days_in(sentence) == days and (found := spans_in(sentence)):
            yield _Hours(sentence, found, number)


def spans_in(text: str) -> tuple[Span, ...]:
    """The spans of hours of a text that has no other times of the day: `10:00 - 13:00, 15 h - 18 h 30`."""
    plain, times = normalize_text(text), times_of_day(text)
    spans = []
    for first, last in zip(times[::2], times[1::2], strict=False):
        if not _UNTIL.fullmatch(plain[first.end : last.start]):
            return ()
        opens, closes = (_minute(quantity.required) for quantity in (first, last))
        if opens is None or closes is None:
            return ()
        spans.append((opens, closes if closes > opens else closes + 2 * _HALF_OF_DAY))
    return tuple(spans) if len(times) % 2 == 0 else ()


def _minute(required: frozenset[str]) -> int | None:
    return next((int(said[1:]) for said in required if said.startswith("t")), None)


def _is_open(spans: Sequence[Span], asked: re.Match[str], *, still: bool) -> bool | None:
    """Whether one of the spans has the hour; None where 6 may be in the morning and in the evening, and it matters."""
    hour, minute, half = int(asked["hour"]), int(asked["minute"] or 0), (asked["half"] or "").casefold()
    if hour > _LAST_HOUR:
        return None
    at = hour * 60 + minute
    later = at % _HALF_OF_DAY + _HALF_OF_DAY
    if half.startswith("p") or (still and not half and at < _HALF_OF_DAY):
        at = later
    said = [any(opens <= moment < closes for opens, closes in spans) for moment in (at, later)]
    clear = half or still or at >= _HALF_OF_DAY or said[0] == said[1]
    return said[0] if clear else None
