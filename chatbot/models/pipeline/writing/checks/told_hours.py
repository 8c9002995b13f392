"""The hours that a sentence tells: a small model takes the beginning for the end, and those of another thing."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, product

from chatbot.models.pipeline.reading.calendar.weekdays import UNTIL, days_in
from chatbot.models.pipeline.reading.clauses import split_clauses
from chatbot.models.pipeline.reading.expected import minutes_of, names_date, says_figures, times_of_day
from chatbot.models.pipeline.reading.sentences import begins_with_whether, body_sentences, split_sentences
from rag.chunking.tables import TableRow, table_rows, without_tables
from utils.languages.opening_words import says_open_or_closed
from utils.languages.quantities import Quantity, normalize_text
from utils.languages.question_words import asking_part

_ASKS_END = re.compile(
    r"\b(?:until|till) (?:when|what (?:time|hour))\b|\bhow (?:late|long (?:is|are|will))\b.{0,60}\bopen\b"
    r"|\b(?:when|what time) (?:do|does|did|will)\b.{0,80}\b(?:close|shut|end|finish)\b",
    re.IGNORECASE,
)
_ASKS_BEGIN = re.compile(
    r"\bfrom (?:when|what (?:time|hour))\b"
    r"|\b(?:when|what time|how early) (?:do|does|did|will)\b.{0,80}\b(?:open|begin|start)\b",
    re.IGNORECASE,
)
"""What a question in English has that asks when something ends, and when it begins."""
_ASKS_OPENING = re.compile(r"\b(?:open|opens|opened|opening|close|closes|closed|closing|shuts?)\b", re.IGNORECASE)
_GOES = re.compile(
    r"\b(?:bus(?:es)?|trains?|trams?|ferr(?:y|ies)|boats?|sailings?|depart(?:s|ures?|ing)?|leaves"
    r"|züge?|fähren?|abfahrt\w*|départs?|navettes?|salidas?|autobús|tren|ferris|partenz\w|treno|traghett\w"
    r"|vertrek\w*|trein|veer\w*|partidas?|comboio)\b",
    re.IGNORECASE,
)
_FIRST_OR_LAST = re.compile(
    r"\b(?:first|last|next|erste\w?|letzte\w?|premi\w+|derni\w+|primer\w?|prim[ao]|[úu]ltim[ao]|eerste|laatste)\b",
    re.IGNORECASE,
)
"""What rows of tables have that tell when something goes, and not when it is open, in some seven languages: in the
names of columns, and with the first or last of it in their own."""
_OF_NO_SUCH_DAY = re.compile(r"\b(?:next|after|before|except|not|closed|instead|other|else)\b", re.IGNORECASE)
"""What names a day in English and asks about others."""
_SPAN = re.compile(UNTIL)


def tells_other_hour(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether a sentence tells another hour of the passages than a question in English asks for, or none."""
    checks = (_tells_other_end, _lacks_hour, _tells_hour_of_another, _tells_hour_of_other_day)
    return tells_other_day(sentence, english) or any(check(texts, sentence, english) for check in checks)


def loses_day(text: str, sentence: str, question: str) -> bool:
    """Whether a sentence tells times of the day without the days which all clauses of a text that say them have.

    "Tuesdays from 19:30" is told as "from 19:30"; a question that names the day has said it.
    """
    times = times_of_day(sentence)
    if not times or names_date(f"{sentence} {question}"):
        return False
    clauses = [clause for line in split_sentences(text) for clause in split_clauses(line)]
    saying = [clause for clause in clauses if says_figures(clause, times)]
    return bool(saying) and all(map(names_date, saying))


def _lacks_hour(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether a sentence has no hour for a question until or from when something is on a day of the week, and a line
    about that day has: until November one may climb a tower, and on Saturdays until six."""
    days = days_in(english) if _ASKS_END.search(english) or _ASKS_BEGIN.search(english) else frozenset()
    if not days or times_of_day(sentence):
        return False
    return any(days <= days_in(line) and times_of_day(line) for text in texts for line in body_sentences(text))


def tells_other_day(sentence: str, question: str) -> bool:
    """Whether a sentence tells times of other days alone than those that a question names; that it is open on others
    answers whether it is on one."""
    asked = asking_part(question)
    days, told = days_in(asked), days_in(sentence)
    other = bool(days and told) and days.isdisjoint(told)
    other = other and not (begins_with_whether(asked) or _OF_NO_SUCH_DAY.search(asked))
    return other and bool(times_of_day(sentence))


def _tells_hour_of_another(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether the hour of opening or closing that is asked for stands only in lines of something else."""
    times = times_of_day(sentence)
    if not times or not _ASKS_OPENING.search(english):
        return False
    rows = {row.spoken: row for text in texts for row in table_rows(text)}
    saying = {line for text in texts for line in split_sentences(text) if says_figures(line, times)}
    other = (_goes(rows[line]) if line in rows else len(times_of_day(line)) == 1 for line in saying)
    return bool(saying) and all(other) and not any(map(says_open_or_closed, saying))


def _tells_hour_of_other_day(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether the hours of a sentence stand in rows and clauses about other days alone than those that a question
    names: those of Saturday are told of Thursday. Of which day it tells a sentence may say itself."""
    asked, times = asking_part(english), times_of_day(sentence)
    days = days_in(asked)
    if not (days and times) or days_in(sentence) - days or _OF_NO_SUCH_DAY.search(asked):
        return False
    told = [found for text in texts for found in _days_of_times(text, times)]
    return bool(told) and all(found and found.isdisjoint(days) for found in told)


def _days_of_times(text: str, times: Sequence[Quantity]) -> Iterator[frozenset[int]]:
    """The days of each row of a table, and of each clause, that says some times: in a clause those before the times,
    for behind them it may say when it is closed."""
    for row in table_rows(text):
        if says_figures(row.spoken, times):
            yield days_in(row.spoken)
    for clause in (one for line in split_sentences(without_tables(text)) for one in split_clauses(line)):
        if says_figures(clause, times) and (found := times_of_day(clause)):
            yield days_in(clause[: found[0].start])


def _goes(row: TableRow) -> bool:
    """Whether a row without spans of times tells when something goes: by its columns, or by its name."""
    name = row.cells[0][1] if row.cells else ""
    by_name = _GOES.search(name) and _FIRST_OR_LAST.search(name)
    goes = by_name or any(_GOES.search(column) for column, _ in row.cells[1:])
    return bool(goes) and next(_time_spans(row.spoken), None) is None


def _tells_other_end(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether a sentence tells when something begins, for a question in English that asks until when it lasts, or the
    other way: of "11:00 to 22:15" a small model says that it opens at 11."""
    ends, begins = _ASKS_END.search(english), _ASKS_BEGIN.search(english)
    told = times_of_day(sentence)
    if bool(ends) == bool(begins) or not told:
        return False
    spans = [span for text in texts for line in split_sentences(text) for span in _time_spans(line)]
    asked, other = ({span[side] for span in spans} for side in ((1, 0) if ends else (0, 1)))
    said = [minute for time in told for minute in minutes_of(time)]
    return any(minute in other for minute in said) and not any(minute in asked for minute in said)


def _time_spans(line: str) -> Iterator[tuple[int, int]]:
    """The first and the last minute of the day of each span of times in a line."""
    # As the places of times are counted.
    plain = normalize_text(line).casefold()
    for first, last in pairwise(times_of_day(line)):
        if _SPAN.fullmatch(plain[first.end : last.start]):
            yield from product(minutes_of(first)[:1], minutes_of(last)[:1])
