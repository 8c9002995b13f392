"""The next, the first or the last of the times of a list: "the first ferry after 16:00", "the last bus back".

A small model reads a timetable well enough, and takes a time of it that is too early, or of the other direction.
"""

import operator
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.decision.names import names_in
from chatbot.models.pipeline.reading.calendar.months import months_in
from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.expected import Kind, expected_kind, minutes_of, times_of_day
from chatbot.models.pipeline.reading.sentences import split_sentences
from chatbot.models.pipeline.writing.written import number_marks
from rag.chunking.tables import table_rows, without_tables
from rag.documents import Passage
from rag.search.rare_words import telling_words, word_stems

MIN_TIMES = 3
"""Times from which on they are a list of departures; opening hours have two, and their days."""
_ASKS_ONE = re.compile(
    r"\b(?:when|what|which)\b.{0,60}\b(?P<which>next|first|earliest|last|latest|final)\b"
    r"(?:.{0,60}\b(?P<side>after|from|past|before|until|by) (?P<bound>\d.{0,9}))?",
    re.IGNORECASE,
)
_ASKS_FOR_TIME = re.compile(
    r"\W*(?:(?:and|but|so) )?(?:what|which)(?:['’]s| is| are| will be)? (?:\w+ )?(?:is )?(?:the |my )?"
    r"(?:next|first|earliest|last|latest|final)\b",
    re.IGNORECASE,
)
_OTHER_BOUND = re.compile(r"\b(?:after|past|before|until|till|by|around|about)\b", re.IGNORECASE)
_MIDDAY = re.compile(r"\b(?:noon|midday)\b", re.IGNORECASE)
_SAYS_HALF = re.compile(r"[ap]\.?m\b", re.IGNORECASE)
_TRAVELS = re.compile(
    r"\b(?:train|bus|coach|tram|boat|ferry|ship|flight|plane|lift|ride|shuttle|metro|tour|departure|sailing|screening"
    r"|show|performance|class|lesson)s?\b|\b(?:next|first|earliest|last|latest|final) [a-z]{1,2}\d{1,3}\b",
    re.IGNORECASE,
)
"""What goes, or begins, at the times of a list; a line by its name, too."""
_FROM_THE_END = ("last", "latest", "final")
_NOON_MINUTE, _DAY_MINUTES, _EVERY_DAY = 12 * 60, 24 * 60, 7
_EVENING, _MORNING = 18 * 60, 6 * 60
"""The minutes between which a list of the night goes on at midnight."""
_WRITTEN_TIME = re.compile(r"(?<![\d:.,])(?:[01]?\d|2[0-4])[:h][0-5]\d(?![\d:])(?:\s?[ap]\.?m\b\.?)?", re.IGNORECASE)
_DOTTED_TIME = re.compile(r"((?:[01]?\d|2[0-4]))\.([0-5]\d)")
"""A time as Swedish, Danish, Finnish and German tables write it; in a sentence it may be a price."""
_LEAVING_FROM = re.compile(r"from|von|vom|ab|de|du|des|desde|del|da|dal|dalla|van|vanaf|från|fra|z|ze|od|din")
"""Words before the place that something leaves."""
_PLACE_WORD = re.compile(r"[^\W\d_]{3,}")
_BETWEEN_TIMES = re.compile(r"[,;/|](?: and)?|and|und|et|y|e|en|och|og|i|и|та", re.IGNORECASE)
"""What stands between the times of a list; between the first and the last of a span stands something else."""


@dataclass(frozen=True)
class Departures:
    """Times that go on through the day, and what they are of."""

    label: str
    times: tuple[str, ...]
    """As they are written."""
    minutes: tuple[int, ...]
    """The same since the midnight before the first: those of a night go on beyond 1440."""
    heading: str
    """What stands above."""

    @property
    def goes_through_night(self) -> bool:
        """Whether they begin in the evening, and some of them are of the next day."""
        return self.minutes[0] >= _EVENING and self.minutes[-1] >= _DAY_MINUTES


def tell_departure(question: str, english: str, sources: Sequence[Source]) -> str:
    """`From the island: 16:40 [2]`; empty where a question asks for none of several times, or not clearly of one list.

    `english` is the question in English.
    """
    english = _MIDDAY.sub("12:00", english)
    asked = _ASKS_ONE.search(english)
    if not asked or not _TRAVELS.search(english) or _asks_otherwise(asked, english):
        return ""
    words, days = telling_words(f"{question} {english}"), days_in(english)
    names = word_stems(names_in(english.replace(asked["bound"] or "?", " ")))
    for page in _by_page(sources):
        if not names <= word_stems(" ".join(f"{one.passage.headed_title} {one.passage.text}" for one in page)):
            continue
        lists = {one: source for source in page for one in _departures_on(source.passage, days)}
        if (meant := _meant(lists, words, f"{question} {english}")) and (time := _pick(meant, asked)):
            return f"{meant.label}: {time}{number_marks([lists[meant].number])}"
    return ""


def _by_page(sources: Sequence[Source]) -> Iterable[list[Source]]:
    """The passages of each page together, the pages in their order."""
    pages: dict[str, list[Source]] = {}
    for source in sources:
        pages.setdefault(source.passage.source, []).append(source)
    return pages.values()


def _asks_otherwise(asked: re.Match[str], english: str) -> bool:
    """Whether a question asks what no list of times says: a price, a day of the year, or a bound that is not read."""
    timed = bool(_minutes(asked["bound"] or ""))
    bounded = bool(asked["side"]) or _OTHER_BOUND.search(english, asked.end("which")) is not None
    needs_bound = bounded or asked["which"].casefold() == "next"
    kind = expected_kind(english)
    timely = kind in (Kind.MOMENT, Kind.CLOCK) or (kind is Kind.ANYTHING and _ASKS_FOR_TIME.match(english))
    other = not timely or bool(months_in(english))
    return other or (needs_bound and not timed)


def _departures_in(passage: Passage) -> Iterator[Departures]:
    """The lists of times of a passage: columns and rows of its tables, and sentences."""
    filled = [row for row in table_rows(passage.text) if row.cells]
    for _, group in groupby(filled, key=lambda row: (row.heading, row.cells[0][0])):
        rows = list(group)
        if any(days_in(row.cells[0][1]) or months_in(row.cells[0][1]) for row in rows):
            # A time a day is no list of one day.
            continue
        stops = any(any(map(str.isalpha, _WRITTEN_TIME.sub("", row.cells[0][1]))) for row in rows)
        # Down the stops of one run the times rise as well.
        for name in dict.fromkeys(name for row in rows for name, _ in row.cells) if not stops else ():
            yield from _as_departures(name, [dict(row.cells).get(name, "") for row in rows], rows[0].heading)
        for row in rows:
            yield from _as_departures(row.cells[0][1], [cell for _, cell in row.cells[1:]], row.heading)
            for column, cell in row.cells[1:]:
                yield from _in_one_line(f"{row.cells[0][1]}, {column}: {cell}", row.heading)
    for sentence in split_sentences(without_tables(passage.text)):
        yield from _in_one_line(sentence, passage.heading[-1] if passage.heading else "")


def _in_one_line(line: str, heading: str) -> Iterator[Departures]:
    """The times that stand in one line behind what they are of, with nothing but commas between them."""
    label, *between = _WRITTEN_TIME.split(line)
    if all(_BETWEEN_TIMES.fullmatch(piece.strip()) for piece in between[:-1]):
        yield from _as_departures(label.rstrip(" :–-"), _WRITTEN_TIME.findall(line), heading)


def _as_departures(label: str, cells: Sequence[str], heading: str) -> Iterator[Departures]:
    """The times of some cells where all that are filled have one each, and each is later than the one before."""
    filled = [cell.strip() for cell in cells if any(map(str.isalnum, cell))]
    dotted = all(map(_DOTTED_TIME.fullmatch, filled))
    read = [_DOTTED_TIME.sub(r"\1:\2", cell) for cell in filled] if dotted else filled
    minutes = _through_night([minute for cell in read for minute in _minutes(cell)])
    whole = all(_WRITTEN_TIME.fullmatch(cell) for cell in read) and len(read) == len(minutes) >= MIN_TIMES
    if (
        label.strip()
        and not _WRITTEN_TIME.fullmatch(label.strip())
        and whole
        and all(one < other for one, other in pairwise(minutes))
    ):
        yield Departures(label.strip(), tuple(filled), tuple(minutes), heading)


def _through_night(minutes: Sequence[int]) -> list[int]:
    """Minutes since the midnight before the first, where a list goes on at midnight."""
    turns = (at for at, (one, other) in enumerate(pairwise(minutes), 1) if one >= _EVENING and other < _MORNING)
    turn = next(turns, len(minutes))
    return [*minutes[:turn], *(minute + _DAY_MINUTES for minute in minutes[turn:])]


def _departures_on(passage: Passage, days: frozenset[int]) -> Iterator[Departures]:
    """The lists of a passage that hold on some days, or every day where none is given.

    A list without a day is of every day, unless the passage speaks of days and some are given.
    """
    around = days_in(f"{passage.headed_title}\n{passage.text}")
    for one in _departures_in(passage):
        of = days_in(f"{passage.headed_title} {one.heading}: {one.label}")
        if (days <= of if days else len(of) == _EVERY_DAY) if of else not (days and around):
            yield one


def _meant(lists: Iterable[Departures], words: frozenset[str], asked: str) -> Departures | None:
    """The one list that a question means, by its words, or by where it is asked to leave; None where that is not
    clear."""
    fitting = [(len(words & word_stems(f"{one.heading} {one.label}")), one) for one in lists]
    most = max((count for count, _ in fitting), default=0)
    meant = [one for count, one in fitting if count == most]
    leaving = [one for one in meant if _leaves(one.label, asked)]
    meant = leaving if len(meant) > 1 else meant
    return meant[0] if len(meant) == 1 and most else None


def _leaves(label: str, asked: str) -> bool:
    """Whether a question asks what leaves the place that a list is called after: "from Orla to the town"."""
    places = [word for word in _PLACE_WORD.findall(label.casefold()) if not _LEAVING_FROM.fullmatch(word)]
    leaving = rf"\b(?:{_LEAVING_FROM.pattern}) (?:\w{{1,4}} )?"
    return any(re.search(rf"{leaving}{re.escape(place)}\b", asked.casefold()) for place in places)


def _pick(meant: Departures, asked: re.Match[str]) -> str:
    """The time that is asked for; empty where there is none on that side, or 4:30 may be in the afternoon and that is
    another one.
    """
    bound = next(iter(_minutes(asked["bound"] or "")), None)
    picked = _pick_beside(meant, asked, bound)
    if bound is None or bound >= _NOON_MINUTE or meant.goes_through_night or _SAYS_HALF.search(asked["bound"]):
        return picked
    later = _pick_beside(meant, asked, bound + _NOON_MINUTE)
    return picked if later in ("", picked) else ""


def _pick_beside(meant: Departures, asked: re.Match[str], bound: int | None) -> str:
    side = (asked["side"] or "").casefold()
    holds = {"before": operator.lt, "until": operator.le, "by": operator.le, "from": operator.ge}.get(side, operator.gt)
    if bound is not None and bound < meant.minutes[0] and meant.goes_through_night:
        bound += _DAY_MINUTES
    times = [
        time for time, minute in zip(meant.times, meant.minutes, strict=True) if bound is None or holds(minute, bound)
    ]
    if not times:
        return ""
    return times[-1] if asked["which"].casefold() in _FROM_THE_END else times[0]


def _minutes(text: str) -> list[int]:
    """The times of the day that a text says, in minutes since midnight."""
    return [minute for time in times_of_day(text) for minute in minutes_of(time)]
