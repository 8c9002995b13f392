"""Whether figures stand in a passage as a sentence has them: in one clause, of one day, as money or as a number."""

import re

from chatbot.models.pipeline.leave import speaks_of_leave
from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.reading.expected import Kind, expected_kind, is_money
from chatbot.models.pipeline.reading.sentences import split_sentences
from rag.chunking.tables import without_tables
from rag.documents import Passage
from rag.search.rare_words import telling_words, word_stems
from tools.reckoning.amounts import currency_signs, written_amounts
from tools.reckoning.numerals import numbers_in
from utils.languages.detection import same_language

_CLAUSE_BREAK = re.compile(r"[,;:]\s|[，；：、]")
_CLAUSE_OR_DASH = re.compile(rf"{_CLAUSE_BREAK.pattern}| [-–—] |—| \(| and ")
_COMPARING_WORDS = (
    r"less|more|fewer|lower|higher|lighter|heavier|longer|shorter|older|younger|smaller|bigger|larger|taller|cheaper"
    r"|dearer|slower|faster|quicker|earlier|later|deeper|warmer|colder"
)
_DIFFERENCE = re.compile(
    rf"(?<![\d.,])(?P<figure>\d[\d.,]{{0,12}})(?: (?!and\b|or\b|in\b|has\b|with\b)[^\W\d_]+)?"
    rf" (?:{_COMPARING_WORDS}) than\b",
    re.IGNORECASE,
)
_COMPARISON = re.compile(
    rf"\b(?:{_COMPARING_WORDS}|than|by|fell|rose|lost|gained|sav\w+|above|below|under|ahead|sooner|senior|junior|differ\w*)\b",
    re.IGNORECASE,
)
_FIGURE_OF_YEAR = re.compile(r"1[5-9]\d\d|20\d\d")
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
_TIME_OF_DAY = re.compile(r"\b(\d{1,2}):(\d\d)\b")


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
        clauses = [(figures_in(clause) - known, word_stems(clause)) for clause in split_clauses(whole)]
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
        for clause in split_clauses(whole):
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
        for clause in split_clauses(whole):
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
    """Whether a sentence in English makes a difference of a figure that no line of a text has beside a comparison: of
    "he weighs 3 kilos now" that he weighs 3 kilos less than before. Nor does "he weighs 3 kilos now, 400 grams less"
    say that, where another figure stands in the clause that compares.
    """
    told = {figure for found in _DIFFERENCE.finditer(sentence) for figure in numbers_in(found["figure"])}
    told -= figures_in(question)
    lines = [line for line in split_sentences(text) if told & figures_in(line)]
    return bool(lines) and same_language(text, "en") and not any(_differs_by(line, told) for line in lines)


def _differs_by(line: str, figures: set[str]) -> bool:
    """Whether a line compares by one of some figures, as far as its clauses tell."""
    if not _COMPARISON.search(line):
        return False
    clauses = [clause for clause in _CLAUSE_OR_DASH.split(line) if _COMPARISON.search(clause)]
    comparing = [
        {figure for figure in figures_in(clause) if not _FIGURE_OF_YEAR.fullmatch(figure)} for clause in clauses
    ]
    return any(found & figures for found in comparing) or not any(comparing)


def _counts_money(text: str, sentence: str, question: str) -> bool:
    """Whether a sentence tells for how many what a text has as money alone: of "membership is £24" that there are 24
    members."""
    if expected_kind(question) is not Kind.COUNT or is_money(sentence):
        return False
    paid = [amount for amount in written_amounts(text) if currency_signs(amount)]
    for amount in paid:
        text = text.replace(amount, " ")
    counted = figures_in(sentence) - figures_in(question) - figures_in(text)
    return bool(counted & {number for amount in paid for number in numbers_in(amount)})


_MIXING = (_mixes_prices, _mixes_days, _is_of_other_days, _adds_bound, _adds_difference, _counts_money)


def money_in(text: str) -> list[str]:
    """The numbers of a text that are amounts of money."""
    return [number for amount in written_amounts(text) if is_money(amount) for number in numbers_in(amount)]


def figures_in(text: str) -> set[str]:
    """The times of day and the other numbers of a text: 09:40 is 9:40, and 13:05 says nothing of 5."""
    times = {f"{int(hour)}:{minute}" for hour, minute in _TIME_OF_DAY.findall(text)}
    return times | set(numbers_in(_TIME_OF_DAY.sub(" ", text)))


def split_clauses(sentence: str) -> list[str]:
    """The clauses of a sentence, set apart by commas and their like."""
    return _CLAUSE_BREAK.split(sentence)
