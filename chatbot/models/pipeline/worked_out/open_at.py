"""Whether something is open at an hour: read off the opening hours of its day, which small models compare badly."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.decision.names import names_in
from chatbot.models.pipeline.leave import says_closed
from chatbot.models.pipeline.reading.calendar.timetables import AXES
from chatbot.models.pipeline.reading.calendar.weekdays import UNTIL, days_in
from chatbot.models.pipeline.reading.expected import minutes_of, times_of_day
from chatbot.models.pipeline.reading.namesakes import has_all_names
from chatbot.models.pipeline.reading.sentences import body_sentences
from chatbot.models.pipeline.reading.tables.named_rows import with_asked_columns
from chatbot.models.pipeline.writing.checks.verdicts import word_for
from chatbot.models.pipeline.writing.lists import without_sign
from chatbot.models.pipeline.writing.written import number_marks
from rag.chunking.tables import table_rows, without_tables
from rag.documents import Passage
from rag.search.rare_words import telling_words, word_stems
from utils.languages.opening_words import says_open
from utils.languages.quantities import normalize_text

_ASKS_OPEN = re.compile(
    r"\W*(?:(?:and|but|so|then) )?(?:is|are|will)\b(?P<what>[^?]{0,80})\bopen\b[^?]{0,40}?"
    r"\bat (?P<hour>\d{1,2})(?:[:.](?P<minute>\d\d))?(?!\d)\s*(?P<half>[ap]\.?m\b)?",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(
    r"\b(?:not|closed|easter|christmas|boxing|holidays?|new year\w*|bank|good friday|whit\w*)\b|n['’]t\b", re.IGNORECASE
)
"""What turns the question round, or makes the day another one than its name says."""
_STILL = re.compile(r"\b(?:still|tonight|evening)\b", re.IGNORECASE)
_NO_SUBJECT = word_stems("still already also even be")
_LATE_OPENING = 17 * 60
"""From which on what opens may close after midnight; else 5:30 is half past five in the afternoon."""
_NIGHT_HOUR = 5
"""Before which the hours of the day before may hold."""
_UNTIL = re.compile(UNTIL)
_HALF_OF_DAY, _LAST_HOUR = 12 * 60, 24
Span = tuple[int, int]
"""Minutes since midnight at which it opens and closes; one that closes at night does beyond 1440."""


@dataclass(frozen=True)
class _Hours:
    """What a line says of a day; no spans where it is closed."""

    heading: str
    """The passage's title and what stands above."""
    line: str
    spans: tuple[Span, ...]
    number: int


def tell_open(english: str, sources: Sequence[Source], language: str) -> str:
    """`Yes. “Saturday: 9:00 - 18:30” [2]`; empty where a question in English asks no such, and where it is not clear.

    It names one day and an hour, and the passage has all its names. `language` is the ISO 639-1 code of the answer.
    """
    asked, days = _ASKS_OPEN.match(english), days_in(english)
    if not asked or len(days) != 1 or _OTHERWISE.search(english) or _goes_on_as_name(english[asked.end() :]):
        return ""
    besides = english[: asked.start("hour")] + english[asked.end() :]
    names = word_stems(" ".join(name for name in names_in(besides).split() if not days_in(name)))
    if not names:
        return ""
    about = [one for one in sources if has_all_names(one.passage, names)]
    subject = telling_words(asked["what"]) - names - _NO_SUBJECT
    told = [hours for one in about for hours in _hours_in(one.passage, english, days, one.number)]
    told = [hours for hours in told if subject <= word_stems(f"{hours.heading} {hours.line}")]
    if len({hours.spans for hours in told}) != 1:
        return ""
    is_open = _is_open(told[0].spans, asked, still=bool(_STILL.search(english)))
    if is_open is None:
        return ""
    return f"{word_for(is_open, language)}“{without_sign(told[0].line)}”{number_marks([told[0].number])}"


def _goes_on_as_name(rest: str) -> bool:
    """Whether what stands behind a number makes it the one of a house: "at 21 Mill Street"."""
    word = rest.lstrip().partition(" ")[0]
    return word[:1].isupper() and not days_in(word)


def _hours_in(passage: Passage, english: str, days: frozenset[int], number: int) -> Iterator[_Hours]:
    """What the rows and sentences of a passage say of a day, those that have one span, or say that it is closed."""
    rows = {row.spoken: row for row in table_rows(passage.text)}
    for row in AXES[0].narrow(english, rows).values() if rows else ():
        if row is None or not days <= days_in(row.spoken):
            continue
        said = [cell for _, cell in with_asked_columns(english, row).cells]
        spans = [found for cell in said if (found := spans_in(cell))]
        if len(spans) == 1 or (not spans and any(map(says_closed, said))):
            yield _Hours(passage.headed_title, row.spoken, spans[0] if spans else (), number)
    for sentence in body_sentences(without_tables(passage.text)):
        found, closed = spans_in(sentence), says_closed(sentence)
        if days <= days_in(sentence) and (closed or (found and says_open(sentence))):
            yield _Hours(passage.headed_title, sentence, () if closed else found, number)


def spans_in(text: str) -> tuple[Span, ...]:
    """The spans of hours of a text that has no other times of the day: `10:00 - 13:00, 15 h - 18 h 30`."""
    plain, times = normalize_text(text).casefold(), times_of_day(text)
    spans = []
    for first, last in zip(times[::2], times[1::2], strict=False):
        if not _UNTIL.fullmatch(plain[first.end : last.start]):
            return ()
        opens, closes = (next(iter(minutes_of(time)), None) for time in (first, last))
        if opens is None or closes is None:
            return ()
        if closes <= opens < _LATE_OPENING:
            return ()
        spans.append((opens, closes if closes > opens else closes + 2 * _HALF_OF_DAY))
    return tuple(spans) if len(times) % 2 == 0 else ()


def _is_open(spans: Sequence[Span], asked: re.Match[str], *, still: bool) -> bool | None:
    """Whether one of the spans has the hour; None where 6 may be in the morning and in the evening, and it matters, and
    at night, when the hours of the day before may hold.
    """
    hour, minute, half = int(asked["hour"]), int(asked["minute"] or 0), (asked["half"] or "").casefold()
    if hour > _LAST_HOUR or (half.startswith("a") and hour in (12, *range(_NIGHT_HOUR))):
        return None
    if hour < _NIGHT_HOUR and not half and any(closes > 2 * _HALF_OF_DAY for _, closes in spans):
        return None
    at = hour * 60 + minute
    later = at % _HALF_OF_DAY + _HALF_OF_DAY
    if half.startswith("p") or (still and not half and at < _HALF_OF_DAY):
        at = later
    said = [any(opens <= moment < closes for opens, closes in spans) for moment in (at, later)]
    clear = half or still or at >= _HALF_OF_DAY or said[0] == said[1]
    return said[0] if clear else None
