"""Cells of tables that say yes or no: a small model reads "Breakage, not packed | no" as covered if not packed."""

import re
from functools import cache

from chatbot.models.pipeline.leave import says_closed
from chatbot.models.pipeline.writing.checks.verdicts import word_for, words_by_language
from rag.chunking.tables import TableRow
from rag.search.rare_words import STEM, telling_words, word_stems
from utils.languages.lexicon import load_lexicon
from utils.languages.opening_words import says_open
from utils.languages.scripts import WORD_SIGNS

_RUN = re.compile(rf"(?:[^\W\d_]|[{WORD_SIGNS}])+(?:['’][^\W\d_]+)*")
_ASKS_DENIAL = re.compile(
    r"\b(?:exclud|forbid|prohibit|barred|banned|closed|refus|denied|rejected|missing|lacking|unavailable|impossible|illegal)"
    r"|n['’]t\b|\bnot (?!\w+ed\b)",
    re.IGNORECASE,
)
"""What a question in English may ask for of which a cell for yes is a no: "is it excluded?"."""
_YES_MARKS, _NO_MARKS = "✓✔☑", "✗✘☒"


def contradicts_cell(row: TableRow | None, sentence: str, question: str) -> bool:
    """Whether a row of a table says yes where a sentence denies, or no where it affirms.

    Of several such cells those count whose columns the question names most; where they do not say the same, none does.
    What a sentence denies in the question's own words is no denial: "if it was not packed". Who asks whether something
    is open on a day whose row says that it is closed must be told that.
    """
    if _is_shut(row, question):
        return not says_closed(sentence) and _affirms(sentence, question)
    said = said_in_cells(row, question)
    return len(said) == 1 and _affirms(sentence, question) not in said


def plain_word(row: TableRow | None, question: str, english: str, language: str) -> str:
    """The word for yes or no that a row answers a question with; empty where it has none, or a denial is asked for.

    `english` is the question in it, `language` the ISO 639-1 code of the answer.
    """
    said = said_in_cells(row, english) or said_in_cells(row, question)
    if _is_shut(row, english) or _is_shut(row, question):
        said = {False}
    if len(said) != 1 or _ASKS_DENIAL.search(english):
        return ""
    return word_for(said.pop(), language)


def said_in_cells(row: TableRow | None, question: str) -> set[bool]:
    """What the cells of a row say to a question, but for the first one, which says what the row is about.

    Empty where they say neither yes nor no.
    """
    if row is None:
        return set()
    asked = telling_words(question)
    told = [(len(word_stems(column) & asked), cell_says(cell)) for column, cell in row.cells[1:]]
    known = [(named, says) for named, says in told if says is not None]
    most = max((named for named, _ in known), default=0)
    return {says for named, says in known if named == most}


def _is_shut(row: TableRow | None, question: str) -> bool:
    """Whether a question asks for what is open, and all cells of a row say that it is closed, and nothing else."""
    if row is None or len(row.cells) < 2 or not says_open(question) or says_closed(question):
        return False
    return all(says_closed(cell) and len(cell.split()) == 1 for _, cell in row.cells[1:])


def cell_says(cell: str) -> bool | None:
    """Yes or no, where a cell begins with that: "yes, up to 2,200"."""
    yes, no = _patterns()
    return True if yes.match(cell) else False if no.match(cell) else None


def _affirms(sentence: str, question: str) -> bool:
    yes, no = _patterns()
    said = sentence.strip()
    begun = yes.match(said) or no.match(said)
    if begun and said[begun.end() :].startswith((",", ".", ":", ";", "!")):
        return yes.match(said) is not None
    return set(_denied_words(sentence)) <= set(_denied_words(question))


def _denied_words(text: str) -> list[str]:
    """The word that each denial of a text is about: the next one that says something, else the last one before."""
    lexicon, words = load_lexicon(), [word.casefold().replace("’", "'") for word in _RUN.findall(text)]
    denials = [at for at, word in enumerate(words) if word in lexicon.negations or word.endswith("n't")]
    telling = [at for at, word in enumerate(words) if not (at in denials or word in lexicon.stopwords)]
    about = [next((at for at in telling if at > denial), max(telling, default=-1)) for denial in denials]
    return [words[at][:STEM] for at in about if at >= 0]


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What a cell for yes, and one for no, begins with, in the languages that Magpie speaks."""
    told = zip(*words_by_language().values(), strict=True)
    yes, no = (
        re.compile(rf"\s*(?:[{marks}]|(?:{'|'.join(map(re.escape, sorted(set(kind))))})(?!\w|\.\s?\d))", re.IGNORECASE)
        for kind, marks in zip(told, (_YES_MARKS, _NO_MARKS), strict=True)
    )
    return yes, no
