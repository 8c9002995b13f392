"""What a passage says nearly word for word: a row of a table, which no sentence is alike to, and figures."""

import re
from collections.abc import Sequence, Set
from decimal import Decimal
from itertools import combinations

from chatbot.models.pipeline.decision.names import names_in
from chatbot.models.pipeline.decision.places import says_mine
from chatbot.models.pipeline.leave import speaks_of_leave
from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.editions import is_of_another_number, is_of_another_year
from chatbot.models.pipeline.reading.expected import is_money, names_date, new_names, says_figures, times_of_day
from chatbot.models.pipeline.reading.named_rows import most_asked, named_rows
from chatbot.models.pipeline.reading.sentences import split_sentences
from rag.chunking.tables import TableRow, table_rows, without_tables
from rag.documents import Passage
from rag.search.rare_words import telling_words, word_stems
from tools.reckoning.amounts import written_amounts
from tools.reckoning.numerals import numbers_in
from utils.languages.detection import language_of, same_language
from utils.languages.lexicon import load_lexicon

_CLAUSE_BREAK = re.compile(r"[,;:]\s|[，；：、]")
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
_BY = re.compile(r"\bby\b", re.IGNORECASE)
_ASKS_DIMENSION = re.compile(r"\bhow (?P<asked>deep|long|high|tall|wide|thick|heavy)\b", re.IGNORECASE)
_DIMENSION = re.compile(
    r"(?<![\d.,])\d[\d.,]{0,12}(?: [^\W\d_]+)? (?P<said>deep|long|high|tall|wide|thick|heavy)\b", re.IGNORECASE
)
"""What a question in English asks the size of, and the size that an answer tells."""
_SAME_DIMENSION = {"tall": "high"}
_COMPARING_WORDS = (
    r"less|more|fewer|lower|higher|lighter|heavier|longer|shorter|older|younger|smaller|bigger|larger|taller|cheaper"
)
_DIFFERENCE = re.compile(
    rf"(?<![\d.,])(?P<figure>\d[\d.,]{{0,12}})(?: [^\W\d_]+){{0,3}} (?:{_COMPARING_WORDS}) than\b", re.IGNORECASE
)
_COMPARISON = re.compile(rf"\b(?:{_COMPARING_WORDS})\b", re.IGNORECASE)
_BOUND_WORDS = (
    r"up to|at (?:most|least)|(?:no |not )?(?:more|less|fewer) than|max(?:imum|imal|imaal)?|min(?:imum|imal|imaal)?"
    r"|bis zu|höchstens|mindestens|au (?:plus|moins)|(?:como|al) (?:máximo|menos)|al massimo|almeno|no máximo"
    r"|pelo menos|hooguit|minstens|ten hoogste|najwyżej|co najmniej|högst|minst"
)
_LOOSE_BOUNDS = (
    r"limit\w*|until|till|from|over|under|within|above|below|older|younger|bis|ab|unter|über|innerhalb|jusqu|partir|dès|moins"
    r"|desde|hasta|menos|fino|entro|oltre|até|tot|vanaf"
)
"""Other words by which a line may have a figure for a bound, or people up to which it goes: "16 and over"."""
_BOUND_WORD = re.compile(rf"\b(?:{_BOUND_WORDS}|{_LOOSE_BOUNDS})\b|\d\+", re.IGNORECASE)
_BOUND_FIGURE = re.compile(rf"\b(?:{_BOUND_WORDS})\s+(?P<figure>\S*\d\S*)", re.IGNORECASE)
WHOLE_SENTENCE = 8
"""Words from which on a sentence has some of what it answers; a name or a thing by itself need not."""
_TIME_OF_DAY = re.compile(r"\b(\d{1,2}):(\d\d)\b")


def told_by_row(text: str, sentence: str, question: str) -> bool | None:
    """Whether the row of a table that a question means has the figures of a sentence that the question does not say.

    Meant is the row that has most of the question's words, and of its cells those whose columns have most of them: of
    two prices in a row, the one for students. None where no row is meant: rows of several tables, or none, are; and
    where the text says them outside of its tables too, but for a question that names row and column.
    """
    figures, asked = set(numbers_in(sentence)) - set(numbers_in(question)), word_stems(question)
    rows = table_rows(text)
    most = max((len(asked & word_stems(row.spoken)) for row in rows), default=0)
    meant = [row for row in rows if len(asked & word_stems(row.spoken)) == most]
    if figures and (named := named_rows(question, rows)):
        return any(figures <= set(numbers_in(_meant_cells(row, asked))) for row in named)
    in_rows = any(figures & set(numbers_in(row.spoken)) for row in rows)
    if not in_rows or figures <= set(numbers_in(without_tables(text))):
        return None
    if len({row.heading for row in meant}) > 1:
        return None
    return any(figures <= set(numbers_in(_meant_cells(row, asked))) for row in meant)


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


def is_of_another_clause(passage: Passage, sentence: str, question: str) -> bool:
    """Whether the figures of a sentence stand in clauses alone beside which another one has a word of the question that
    theirs lack, and figures of its own: of "adults £9, students £6" the £9 are not what students pay.

    Words of the title say nothing: every clause is about that. Nor is it "£9 for those above 65", if these pay less.
    """
    if any(mixes(passage.text, sentence, question) for mixes in _MIXING):
        return True
    known = figures_in(question)
    figures, asked = figures_in(sentence) - known, telling_words(question) - word_stems(passage.headed_title)
    found = False
    for whole in split_sentences(without_tables(passage.text)) if figures else ():
        clauses = [(figures_in(clause) - known, word_stems(clause)) for clause in _CLAUSE_BREAK.split(whole)]
        for own in (words for numbers, words in clauses if figures <= numbers):
            found = True
            if not any((words & asked) - own for numbers, words in clauses if numbers and not figures & numbers):
                return False
    return found


def _mixes_prices(text: str, sentence: str, question: str) -> bool:
    """Whether a sentence tells the price of one clause with another figure of a clause that has a price of its own."""
    paid = set(money_in(sentence))
    others = figures_in(sentence) - figures_in(question) - paid
    mixed = False
    for whole in split_sentences(without_tables(text)) if paid and others else ():
        for clause in _CLAUSE_BREAK.split(whole):
            money = set(money_in(clause))
            if others & (figures_in(clause) - money):
                if money & paid:
                    return False
                mixed = mixed or bool(money)
    return mixed


def _mixes_days(text: str, sentence: str, question: str) -> bool:
    """Whether a sentence tells figures of the day that a question names together with those of other days."""
    asked, own, others = days_in(question), set[str](), set[str]()
    for whole in split_sentences(without_tables(text)) if asked else ():
        for clause in _CLAUSE_BREAK.split(whole):
            if days := days_in(clause):
                (own if asked & days else others).update(figures_in(clause))
    figures = figures_in(sentence) - figures_in(question)
    return bool(figures & own and (figures & others) - own)


def _is_of_other_days(text: str, sentence: str, question: str) -> bool:
    """Whether a sentence tells, without a day, figures of which each line that has them is of other days than asked."""
    asked, figures = days_in(question), figures_in(sentence) - figures_in(question)
    if not asked or not figures or days_in(sentence):
        return False
    lines = [line for line in split_sentences(without_tables(text)) if figures & figures_in(line)]
    return bool(lines) and all(days_in(line) and not days_in(line) & asked for line in lines)


def _adds_bound(text: str, sentence: str, question: str) -> bool:
    """Whether a sentence makes a bound of a figure that no line of a text has for one: of "some 640 tools" up to 640.

    What may be done so often may be done up to so often.
    """
    figures = {figure for bound in _BOUND_FIGURE.finditer(sentence) for figure in numbers_in(bound["figure"])}
    lines = [line for line in split_sentences(text) if figures & figures_in(line)]
    bounded = any(_BOUND_WORD.search(line) or speaks_of_leave(line) for line in [question, *lines])
    return bool(lines) and not bounded


def _adds_difference(text: str, sentence: str, question: str) -> bool:
    """Whether a sentence makes a difference of a figure that no line of a text has beside a comparison: of "he weighs
    3 kilos now" that he weighs 3 kilos less than before."""
    told = {figure for found in _DIFFERENCE.finditer(sentence) for figure in numbers_in(found["figure"])}
    lines = [line for line in split_sentences(text) if (told - figures_in(question)) & figures_in(line)]
    return bool(lines) and not any(_COMPARISON.search(line) for line in lines)


def _counts_money(text: str, sentence: str, question: str) -> bool:
    """Whether a sentence tells as a number of something else what a text has as money alone: of "membership is £24"
    that there are 24 members."""
    paid = [amount for amount in written_amounts(text) if is_money(amount)]
    counted = figures_in(sentence) - figures_in(question) - set(money_in(sentence))
    for amount in paid if counted else ():
        text = text.replace(amount, " ")
    return bool(counted & {number for amount in paid for number in numbers_in(amount)} - figures_in(text))


_MIXING = (_mixes_prices, _mixes_days, _is_of_other_days, _adds_bound, _adds_difference, _counts_money)


def _meant_cells(row: TableRow, asked: frozenset[str]) -> str:
    """The heading, the first cell, which says what the row is about, and those that the question means."""
    return " ".join([row.heading, *(cell for _, cell in [*row.cells[:1], *most_asked(asked, row.cells)])])


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
    clauses = [clause for line in split_sentences(text) for clause in _CLAUSE_BREAK.split(line)]
    saying = [clause for clause in clauses if says_figures(clause, times)]
    return bool(saying) and all(map(names_date, saying))


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


def speaks_of_something_else(sentence: str, question: str, english: str) -> bool:
    """Whether a whole sentence has no word of a question for which things something holds, `english` in English: what
    lacks water, the open school does not. Or tells how long is what was asked how deep.
    """
    if _tells_another_size(sentence, english):
        return True
    asks = _ASKS_WHICH_THINGS.match(english) and len(sentence.split()) >= WHOLE_SENTENCE
    if not asks or not same_language(sentence, language_of(question) or "en"):
        return False
    return not word_stems(sentence) & telling_words(question)


def _tells_another_size(sentence: str, english: str) -> bool:
    asked = _ASKS_DIMENSION.search(english)
    said = {_SAME_DIMENSION.get(one, one) for one in map(str.casefold, _DIMENSION.findall(sentence))}
    size = asked["asked"].casefold() if asked else ""
    return bool(size and said) and _SAME_DIMENSION.get(size, size) not in said


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
    if done and not _BY.search(sentence) and not new_names(sentence, question):
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


def money_in(text: str) -> list[str]:
    """The numbers of a text that are amounts of money."""
    return [number for amount in written_amounts(text) if is_money(amount) for number in numbers_in(amount)]


def figures_in(text: str) -> set[str]:
    """The times of day and the other numbers of a text: 09:40 is 9:40, and 13:05 says nothing of 5."""
    times = {f"{int(hour)}:{minute}" for hour, minute in _TIME_OF_DAY.findall(text)}
    return times | set(numbers_in(_TIME_OF_DAY.sub(" ", text)))
