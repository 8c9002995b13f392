"""What a passage says nearly word for word, and what a sentence makes of that."""

import re
from collections.abc import Iterator, Sequence, Set
from decimal import Decimal
from itertools import combinations, pairwise, product

from chatbot.models.pipeline.decision.names import names_in
from chatbot.models.pipeline.decision.places import says_mine
from chatbot.models.pipeline.reading.calendar.weekdays import UNTIL, days_in
from chatbot.models.pipeline.reading.clauses import figures_in, money_in, split_clauses
from chatbot.models.pipeline.reading.editions import asks_of_past, is_of_another_number, is_of_another_year
from chatbot.models.pipeline.reading.expected import (
    Kind,
    expected_kind,
    minutes_of,
    names_date,
    new_names,
    says_figures,
    times_of_day,
)
from chatbot.models.pipeline.reading.sentences import body_sentences, split_sentences
from rag.chunking.tables import TableRow, table_rows
from rag.documents import Passage
from rag.search.rare_words import telling_words, word_stems
from tools.reckoning.numerals import numbers_in
from utils.languages.detection import language_of, same_language
from utils.languages.dimensions import tells_money_instead
from utils.languages.lexicon import load_lexicon
from utils.languages.opening_words import says_open_or_closed
from utils.languages.quantities import normalize_text

_WORD = re.compile(r"\w+")
_ASKS_LEFT = re.compile(r"\b(?:left|remain\w*)\b(?!-)", re.IGNORECASE)
_ASKS_WHICH_THINGS = re.compile(
    r"^(?:(?:and|but|so|then) )?(?:which|what) "
    r"(?!(?:is|are|was|were|do|does|did|will|would|can|could|has|have|had|happen\w*)\b)\w",
    re.IGNORECASE,
)
_WHO_DOES = re.compile(
    r"^(?:(?:and|but|so|then) )?who (?!(?:is|are|was|were|will|would|can|could|has|have|had|do|does|did|may|must)\b)"
    r"(?P<does>[a-z]+) (?P<whom>.+)",
    re.IGNORECASE,
)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|being|be)\b", re.IGNORECASE)
_BY = re.compile(r"\b(?:by|to|with|for|from)\b", re.IGNORECASE)
_ASKS_SIZE = re.compile(r"\bhow (?P<asked>deep|high|tall|thick|wide|heavy)\b", re.IGNORECASE)
_SIZE = re.compile(
    r"(?<![\d.,])(?P<figure>\d[\d.,]{0,12})(?: [^\W\d_]+)? (?P<said>deep|long|high|tall|wide|thick|heavy)\b"
)
"""What a question in English asks the size of, and the size that an answer tells."""
_OTHER_SIZES = {"heavy": "deep long high tall wide thick", "wide": "deep long high tall heavy thick"} | dict.fromkeys(
    ("deep", "high", "tall", "thick"), "long wide heavy"
)
"""What does not say it: snow may be as deep as it lies high."""
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
_SPAN = re.compile(UNTIL)
_IS = re.compile(r"\b(?:is|are|works?)\b", re.IGNORECASE)
_WAS_ONCE = re.compile(
    r"\b(?:was|were|had been|worked) (?:\w+ )?(?:first|once|originally|initially|formerly|previously)\b"
    r"|\b(?:formerly|used to be)\b",
    re.IGNORECASE,
)
"""What a sentence in English has that tells of what is so no more."""
_PEOPLE = r"(?:adults|grown-ups|people|persons|pensioners|seniors|students|children|kids|of us)"
_SEVERAL_PEOPLE = re.compile(rf"\b(?:two|three|four|five|six|seven|eight|[2-9]|\d\d) {_PEOPLE}\b", re.IGNORECASE)
_FOR_SEVERAL = re.compile(rf"{_SEVERAL_PEOPLE.pattern}|\b(?:both|groups?|famil(?:y|ies)|couples?)\b", re.IGNORECASE)
WHOLE_SENTENCE = 8
"""Words from which on a sentence has some of what it answers; a name or a thing by itself need not."""


def is_of_another(passage: Passage, sentence: str, question: str) -> bool:
    """Whether a passage is of another year than question or sentence say, or of a thing of another number.

    Its lines that have the figures of the sentence must be of the year, no others: "This replaces that of 2025".
    """
    figures = figures_in(sentence) - figures_in(question)
    saying = [line for line in split_sentences(passage.text) if figures & figures_in(line)]
    text = "\n".join(saying) if saying else passage.text
    if is_of_another_number(passage.headed_title, passage.text, question):
        return True
    return is_of_another_year(passage.title, text, f"{question} {sentence}")


def says_as_own(sentence: str, statement: str, language: str) -> bool:
    """Whether a sentence says what the user stated as if it were the speaker's own: with "my", or in their very words.

    `language` is ISO 639-1.
    """
    return says_mine(sentence, language) or _WORD.findall(sentence.casefold()) == _WORD.findall(statement.casefold())


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


def tells_otherwise(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether a sentence tells something else of the passages than a question in English asks for: another hour, none,
    the price of one for several, or as so what is told of the past."""
    checks = (_tells_other_end, _tells_past_as_present, _lacks_hour, _tells_hour_of_another, _tells_price_of_one)
    return any(check(texts, sentence, english) for check in checks)


def _lacks_hour(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether a sentence has no hour for a question until or from when something is on a day of the week, and a line
    about that day has: until November one may climb a tower, and on Saturdays until six."""
    days = days_in(english) if _ASKS_END.search(english) or _ASKS_BEGIN.search(english) else frozenset()
    if not days or times_of_day(sentence):
        return False
    return any(days <= days_in(line) and times_of_day(line) for text in texts for line in body_sentences(text))


def _tells_hour_of_another(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether the hour of opening or closing that is asked for stands only in lines of something else."""
    times = times_of_day(sentence)
    if not times or not _ASKS_OPENING.search(english):
        return False
    rows = {row.spoken: row for text in texts for row in table_rows(text)}
    saying = {line for text in texts for line in split_sentences(text) if says_figures(line, times)}
    other = (_goes(rows[line]) if line in rows else len(times_of_day(line)) == 1 for line in saying)
    return bool(saying) and all(other) and not any(map(says_open_or_closed, saying))


def _goes(row: TableRow) -> bool:
    """Whether a row without spans of times tells when something goes: by its columns, or by its name."""
    name = row.cells[0][1] if row.cells else ""
    by_name = _GOES.search(name) and _FIRST_OR_LAST.search(name)
    goes = by_name or any(_GOES.search(column) for column, _ in row.cells[1:])
    return bool(goes) and next(_time_spans(row.spoken), None) is None


def _tells_price_of_one(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether the price of one is told for several, who are counted in a question in English and in no line that has
    it: what two adults pay is not what adults pay."""
    told = set(money_in(sentence))
    if not told or not _SEVERAL_PEOPLE.search(english) or expected_kind(english) is not Kind.PRICE:
        return False
    clauses = (clause for text in texts for line in body_sentences(text) for clause in split_clauses(line))
    saying = [clause for clause in clauses if told & set(money_in(clause))]
    return bool(saying) and not any(map(_FOR_SEVERAL.search, saying))


def _tells_past_as_present(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether somebody is said to be what they were at first: "he was first a boat builder"."""
    if asks_of_past(english) or not _IS.search(sentence) or _WAS_ONCE.search(sentence):
        return False
    told = telling_words(sentence) - telling_words(english) - word_stems(names_in(sentence))
    saying = [line for text in texts for line in split_sentences(text) if told and told <= word_stems(line)]
    return bool(saying) and all(map(_WAS_ONCE.search, saying))


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


def says_opposite(text: str, sentence: str) -> bool:
    """Whether the lines of a text with the figures of a sentence say the opposite of one of its words: that something
    begins then which is said to end.
    """
    figures, said = figures_in(sentence), _directions(sentence)
    lines = [_directions(line) for line in split_sentences(text) if figures and figures <= figures_in(line)]
    return bool(lines) and all(any((pair, -side) in line - said for pair, side in said - line) for line in lines)


def _directions(text: str) -> set[tuple[int, int]]:
    """On which side of which pairs of opposites the words of a text stand."""
    known = load_lexicon().directions
    return {place for word in _WORD.findall(text.casefold()) for place in known.get(word, ())}


def lacks_side(texts: Sequence[str], question: str) -> bool:
    """Whether texts have some of the names of a question for the one of two things and others not: of the one alone
    they cannot say that it has more.
    """
    names = word_stems(names_in(question))
    missing = names - word_stems("\n".join(texts))
    return bool(missing) and missing != names


def speaks_of_something_else(sentence: str, question: str, english: str, quote: str = "") -> bool:
    """Whether a whole sentence has no word of a question for which things something holds, `english` in English: what
    lacks water, the open school does not. Or tells how long is what was asked how deep, or names others than `quote`,
    the best sentence of the passages, for a question who it is.
    """
    others = tells_money_instead(sentence, english) or _tells_another_size(sentence, english)
    if others or _names_others(quote, sentence, question, english):
        return True
    asks = _ASKS_WHICH_THINGS.match(english) and len(sentence.split()) >= WHOLE_SENTENCE
    if not asks or not same_language(sentence, language_of(question) or "en"):
        return False
    return not word_stems(sentence) & telling_words(question)


def _names_others(quote: str, sentence: str, question: str, english: str) -> bool:
    """Whether a whole sentence names nobody that the best one of the passages does, or, where that names none, has no
    word of a question that it has, for one that asks who it is: who leads the choir, "the concert is in St Odo's" does
    not say, nor who pays less, when it is free."""
    asks = expected_kind(english) is Kind.PERSON and len(sentence.split()) >= WHOLE_SENTENCE
    if not asks or not same_language(sentence, language_of(quote) or "en"):
        return False
    named, said = word_stems(names_in(quote)) - word_stems(question), word_stems(sentence)
    if named:
        return named.isdisjoint(said)
    asked, quoted = telling_words(question), word_stems(quote)
    about = (asked | telling_words(quote)).isdisjoint(said)
    return bool(asked & quoted) and about and not word_stems(names_in(sentence)) - word_stems(question)


def _tells_another_size(sentence: str, english: str) -> bool:
    """Whether all figures of a sentence that a question in English has not are sizes of another kind than asked."""
    asked = _ASKS_SIZE.search(english)
    sizes = list(_SIZE.finditer(sentence))
    if not asked or not sizes:
        return False
    told = {figure for size in sizes for figure in numbers_in(size["figure"])}
    others = _OTHER_SIZES[asked["asked"].casefold()].split()
    return figures_in(sentence) - figures_in(english) <= told and all(size["said"] in others for size in sizes)


def turns_question_round(sentence: str, question: str) -> bool:
    """Whether a sentence makes the one who does something of what it is done to, for a question in English, or tells
    only that it was done.

    Who conducts the choir, "the choir conducts the concerts" does not say; nor "the ring was found in a bush" by whom.
    """
    asked = _WHO_DOES.match(question)
    if not asked:
        return False
    words, does, whom = sentence.split(), asked["does"].casefold(), telling_words(asked["whom"])
    done = _PASSIVE.search(sentence)
    verb = _WORD.search(sentence, done.end()) if done else None
    if done and verb and verb[0].casefold() == does and not (_BY.search(sentence) or new_names(sentence, question)):
        subject = telling_words(sentence[: done.start()])
        return bool(subject) and subject <= whom
    at = next((place for place, word in enumerate(words) if word.casefold() == does), 0)
    before = " ".join(words[:at])
    return bool(whom) and telling_words(before) == whom and not _PASSIVE.search(before)


def left_over(question: str, text: str, figures: Set[str]) -> bool:
    """Whether a question in English asks what is left, and a figure is what one number of a line leaves of another."""
    if len(figures) != 1 or ":" in "".join(figures) or not _ASKS_LEFT.search(question):
        return False
    lines = ([Decimal(number) for number in numbers_in(line)] for line in text.splitlines())
    return any(abs(a - b) == Decimal("".join(figures)) for line in lines for a, b in combinations(line, 2))
