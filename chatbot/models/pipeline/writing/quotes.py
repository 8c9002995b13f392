"""Which sentence of a reading is quoted where the passages do not bear out what the model made of them."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from chatbot.models.pipeline.comparing import means_more
from chatbot.models.pipeline.decision.names import new_names
from chatbot.models.pipeline.leave import asks_leave, speaks_of_leave
from chatbot.models.pipeline.reading.answer_evidence import FOREIGN_LIKENESS, Reading
from chatbot.models.pipeline.reading.answerability import DENYING_LIKENESS, denies, times_day_of
from chatbot.models.pipeline.reading.calendar.timetables import rows_of_the_days
from chatbot.models.pipeline.reading.clauses import figures_in, money_in
from chatbot.models.pipeline.reading.expected import (
    Kind,
    expected_kind,
    is_money,
    is_of_kind,
    new_figures,
    says_figures,
)
from chatbot.models.pipeline.reading.headings import headed_sentence
from chatbot.models.pipeline.reading.namesakes import is_on_subject
from chatbot.models.pipeline.reading.sentences import (
    asks_reason,
    asks_something,
    body_sentences,
    is_head,
)
from chatbot.models.pipeline.reading.tables.named_rows import share_form
from chatbot.models.pipeline.writing.checks.told_hours import tells_other_day
from chatbot.models.pipeline.writing.checks.word_for_word import is_of_another
from chatbot.models.pipeline.writing.checks.yes_no_cells import said_in_cells
from chatbot.models.pipeline.writing.completing import denies_knowing
from chatbot.models.pipeline.writing.lists import items_behind, without_sign
from rag.search.rare_words import telling_words, word_stems
from utils.languages.detection import language_of, same_language

QUOTABLE = 0.55
"""Likeness of the best sentence from which on it is shown in the place of an answer that no passage bears out."""
MIN_COVERED_SHARE = 0.5
"""The same where no vector knows the language: the share of the question's words that its passage has."""
MAX_NEAREST_CHARS = 300
"""Of a sentence that is shown as what comes nearest: the rows of a whole table say nothing at a glance."""
_COUNTED_THING = re.compile(
    r"\bhow (?:many (?!(?:people|persons|inhabitants|residents|citizens|members|employees|staff|years|months|weeks|days"
    r"|hours|minutes|seconds|times)\b)"
    r"|much (?!(?:do|does|did|is|are|was|were|will|would|can|could|should|must|may|has|have|it|of|more|less|time|money"
    r"|longer|further|notice|people)\b))((?:\w+ ){0,3}?\w+)"
    r"(?= (?:do|does|did|are|is|were|was|can|may|must|will|should|has|have|there|in|at|on|goes|go)\b)",
    re.IGNORECASE,
)
"""What a question in English counts or measures; for people texts have many words."""
_MEASURED = re.compile(r"\d\s[^\W\d_]+ of \w")
"""What a sentence in English measures: "60 grams of alum"."""
COUNTING = (Kind.COUNT, Kind.FIGURE)
"""Kinds of answers that must name what is counted, where a question says it."""
_WHOLE_WORD = 4
"""Letters of a word that may be a part of another one: rooms, bedrooms."""
_BARE_WORDS = 2
"""Words of a number with the word that it counts, at most."""
_GIVES_REASON = re.compile(
    r"\b(?:because|so that|due to|in order to|weil|denn|damit|(?-i:wegen)|aufgrund|parce|puisque|afin|grâce|à cause"
    r"|en raison|porque|ya que|debido|a causa|perché|poiché|siccome|omdat|doordat|ponieważ|eftersom|på grund av|fordi"
    r"|потому|поскольку|из-за|так как|тому що)\b|, (?:car|da|want|bo|pois)\b|因为",
    re.IGNORECASE,
)
"""What a sentence has that gives a reason."""
MIN_DENIED_WORDS = 2
"""Telling words of a question that a denial has which answers it."""


def find_quote(reading: Reading, question: str, form: str, kind: Kind, refused: Sequence[str]) -> str:
    """The sentence that likeliest answers a question, as it stands; empty where none is near enough.

    `refused` is what the model said and no passage bears out; `kind` is what the question asks for.
    """
    nearest = reading.quote if _is_quotable(reading, question, form, kind) else ""
    # Where no vector knows the language a line that has the question's words and a figure says it likeliest.
    in_row = reading.quotes_row_named_in(question)
    if form == "fact" and denies_knowing(refused, question) and not (in_row or times_day_of(question, reading)):
        return ""
    sure = (reading.alike == FOREIGN_LIKENESS and figures_in(nearest)) or in_row
    told = "" if nearest and sure else _find_told(reading, question, kind, refused)
    said = word_stems(" ".join(refused))
    # A line that has but a date of what was said is not what it was said of.
    return told if told and len(word_stems(told) & said) >= len(word_stems(nearest) & said) else nearest


def _find_told(reading: Reading, question: str, kind: Kind, refused: Sequence[str]) -> str:
    """The one sentence of the passages that has the figures, or the name, of what the model said in other words.

    Lines of a list say too little to bear out a whole sentence: "£13.50 a month" below a heading.
    """
    said = " ".join(refused)
    lines = set(reading.lines)
    if kind is Kind.NAME:
        wanted = new_names(said, question)
        told = {line for line in lines if wanted and wanted <= new_names(line, question)}
    else:
        figures = new_figures(said, question)
        told = {line for line in lines if figures and says_figures(line, figures)}
    answers = [
        line
        for line in told
        if is_of_kind(line, kind, question)
        and (kind not in COUNTING or counts_thing(line, question, lines))
        and not tells_other_day(line, question)
    ]
    return answers[0] if len(told) == len(answers) == 1 else ""


def _is_quotable(reading: Reading, question: str, form: str, kind: Kind) -> bool:
    """Whether the best sentence is near enough: by its words where no vector knows the language.

    A row of a table that says yes or no is near enough to a question for that, and one whose column is asked for.
    """
    if not _may_answer(reading, question, form, kind):
        return False
    if reading.alike == FOREIGN_LIKENESS:
        # The words that the passage has of it may all stand in another sentence.
        comparable = language_of(reading.quote) and same_language(reading.quote, language_of(question) or "en")
        has_words = share_form(telling_words(question), word_stems(reading.headed_quote))
        near = reading.coverage >= MIN_COVERED_SHARE and (has_words or not comparable)
    else:
        near = reading.alike >= QUOTABLE
    near = near or (
        form == "yesno" and (bool(said_in_cells(reading.quoted_row, question)) or _denies(reading, question))
    )
    return near or reading.quotes_row_named_in(question) or times_day_of(question, reading)


def _may_answer(reading: Reading, question: str, form: str, kind: Kind) -> bool:
    """Whether the best sentence says something of the kind that is asked for."""
    quote = reading.quote
    if not quote or is_head(quote) or asks_something(quote) or not is_of_kind(quote, kind, question):
        return False
    if kind in COUNTING and not counts_thing(quote, question, reading.lines):
        return False
    if form != "yesno" and tells_other_day(quote, question):
        return False
    of_thing = reading.says_of_thing(question)
    if form == "yesno" and asks_leave(question) and not (speaks_of_leave(quote) or of_thing):
        return False
    return kind is not Kind.PERSON or of_thing or bool(new_names(quote, question))


def _denies(reading: Reading, question: str) -> bool:
    """Whether the best sentence, or its heading, denies or forbids something that it names and a question too: the
    sentence two things, for a hall may be heated that is not open on Mondays."""
    by_heading = denies(reading.headed_quote) and not denies(reading.quote)
    shared = len(telling_words(question) & word_stems(reading.quote))
    by_itself = denies(reading.quote) and shared >= MIN_DENIED_WORDS
    return (by_heading or by_itself) and reading.alike >= DENYING_LIKENESS and reading.says_of_thing(question)


def counts_thing(sentence: str, question: str, lines: Iterable[str] = ()) -> bool:
    """Whether a sentence has what is counted: kinds are no visitors. A number alone may be, and other languages may.

    What is measured may have another word, "16 GB of RAM", unless one of some other `lines` measures it by its own.
    What readers pay says not how many they are.
    """
    counted = _COUNTED_THING.search(question)
    if (
        counted is None
        or means_more(counted[1]) is not None
        or len(sentence.split()) <= _BARE_WORDS
        or not same_language(sentence, "en")
    ):
        return True
    things = word_stems(counted[1])
    if counted[0].casefold().startswith("how much"):
        known = any(_names_thing(line, things) and figures_in(line) for line in lines)
        return not (known and _MEASURED.search(sentence)) or _names_thing(sentence, things)
    return _names_thing(sentence, things) and not _is_money_alone(sentence, question)


def _is_money_alone(sentence: str, question: str) -> bool:
    """Whether all figures of a sentence are amounts of money, for a question that asks how many there are."""
    paid = set(money_in(sentence))
    counted = [figure for figure in new_figures(sentence, question) if not figure.required & paid]
    return bool(paid) and not counted and not is_money(question)


def _names_thing(sentence: str, things: frozenset[str]) -> bool:
    said = sentence.casefold()
    return share_form(things, word_stems(sentence)) or any(len(one) >= _WHOLE_WORD and one in said for one in things)


def nearest_sentence(reading: Reading, question: str, english: str, form: str) -> tuple[str, int]:
    """The best sentence of a reading that may answer a question, with its number, 0 for one that has none; empty where
    it cannot."""
    asked = english if english and same_language(reading.quote, "en") else question
    kind = expected_kind(english or question, question) if form == "fact" else Kind.ANYTHING
    if not _may_answer(reading, asked, form, kind):
        return "", 0
    shown, number = with_number(reading, reading.quote, question, asked, english or question, form)
    return (without_sign(shown), number) if 0 < len(shown) <= MAX_NEAREST_CHARS else ("", 0)


def with_number(reading: Reading, quote: str, question: str, asked: str, english: str, form: str) -> tuple[str, int]:
    """A sentence of a reading as it is shown, and the number of what has it, 0 for what has none; empty where it is of
    something else than the question. `asked` is this in the language of the sentence, `english` in English.
    """
    if not reading.passage_numbers:
        having = [source.number for source in reading.given if quote in source.passage.text]
        attached = any(not source.number for source in reading.sources)
        return quote if attached else "", having[0] if having else 0
    meant = [source.passage for source in reading.numbered_sources if is_on_subject(question, source.passage)]
    if all(is_of_another(passage, quote, question) for passage in meant):
        return "", 0
    return as_shown(quote, asked, english, form, reading)


def as_shown(quote: str, question: str, english: str, form: str, reading: Reading) -> tuple[str, int]:
    """A quoted sentence as it is shown, and the number of the passage that has it: the first one where none has.

    Of the row of a table what is of the day and the column that the question names. Whether something is so its heading
    says: "Not accepted: batteries and oil". Why it is so the next sentence may, unless this one gives a reason. What
    announces a list has its items behind it.
    """
    for source in reading.numbered_sources:
        text = source.passage.text
        if quote in text or quote in body_sentences(text):
            told = headed_sentence(source, quote) if form == "yesno" else quote
            if asks_reason(english) and not _GIVES_REASON.search(quote):
                told += _sentence_behind(quote, text)
            items = ", ".join(items_behind(text, quote))
            told += f" {items}" if 0 < len(items) <= MAX_NEAREST_CHARS - len(told) else ""
            return rows_of_the_days(question, text, [quote], reading.rows).get(quote) or told, source.number
    return quote, reading.numbered_sources[0].number


def _sentence_behind(sentence: str, text: str) -> str:
    """What follows a sentence in its line, with the space before it if there is one; empty at its end."""
    for before, behind in pairwise(body_sentences(text)):
        if before == sentence and not asks_something(behind):
            return next((f"{gap}{behind}" for gap in (" ", "") if f"{before}{gap}{behind}" in text), "")
    return ""
