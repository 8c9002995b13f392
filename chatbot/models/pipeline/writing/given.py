"""What is written from texts without a number: attached ones, what a tool worked out, what the user said."""

import re
from collections.abc import Awaitable, Callable, Sequence

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.decision.names import names_in, new_names
from chatbot.models.pipeline.parts import Part, joins_questions
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.clauses import figures_in
from chatbot.models.pipeline.reading.expected import Kind, expected_kind
from chatbot.models.pipeline.writing.checks.word_for_word import left_over, says_opposite
from chatbot.models.pipeline.writing.lists import has_item
from rag.search.rare_words import word_stems
from utils.languages.detection import language_of, same_language

Supports = Callable[[str, Sequence[Source], str], Awaitable[bool]]
"""Whether passages say a sentence that answers a question."""
BRIEF = ("fact", "yesno", "told")
"""Forms of answers that say one thing, with no figure of the model's own."""
LIKELIEST = 3
"""Parts of attached texts of which it is asked whether they bear a sentence out: those with most of its words."""
_EVERYBODY = re.compile(
    r"no ?body|none|every(?:one|body)|some(?:one|body)|any(?:one|body)|both|each|all|niemand|jeder?|alle|jemand"
    r"|personne|chacun|tous|nadie|nessuno|tutti|ninguém|iedereen",
    re.IGNORECASE,
)
_UNIT_SIGNS = "%‰€$£¥"
"""What a model makes 72.5 to, where a tool that worked it out said no unit."""


async def find_given(
    given: Sequence[Source], sentence: str, question: str, supports: Supports, *, is_item: bool
) -> list[int]:
    """The number of the attached text of which a part bears a sentence, or an item of a list, out; none without one."""
    said = word_stems(sentence)
    for source in sorted(given, key=lambda part: -len(said & word_stems(part.passage.text)))[:LIKELIEST]:
        if (is_item and has_item(source.passage.text, sentence)) or await supports(sentence, [source], question):
            return [source.number]
    return []


def says_given(part: Part, sentence: str, english: str, language: str) -> bool:
    """Whether a text without a number says all the figures of a sentence; what is told at length may reckon.

    `english` is the question in it, `language` the ISO 639-1 code of the answer.
    """
    text = part.reading.text
    new = figures_in(sentence) - figures_in(text) - figures_in(part.question) if part.form in BRIEF else set()
    if part.form in BRIEF and (says_opposite(text, sentence) or _names_unknown(part, sentence, english)):
        return False
    if part.form == "told":
        tells_new = _retells(part.reading.quote, sentence, part.question, english, language)
    else:
        tells_new = _tells_result(part.reading, sentence, part.question)
    return tells_new and (not new or left_over(english, text, new))


def _names_unknown(part: Part, sentence: str, english: str) -> bool:
    """Whether a sentence names none that the text has, for a question who it is or what it is called: whom a letter
    without a name is from a small model makes up."""
    kind, text = expected_kind(english or part.question, part.question), part.reading.text
    if kind not in (Kind.PERSON, Kind.NAME) or part.reading.certain or not same_language(sentence, language_of(text)):
        return False
    names = word_stems(" ".join(name for name in new_names(sentence, part.question) if not _EVERYBODY.fullmatch(name)))
    return bool(names) and names.isdisjoint(word_stems(text))


def _retells(statement: str, sentence: str, question: str, english: str, language: str) -> bool:
    """Whether a sentence has something of what the user said that was not asked, and every name of it where several
    things were asked."""
    new = word_stems(statement) - word_stems(question)
    if not new or not same_language(statement, language):
        return True
    names = word_stems(names_in(statement)) & new if joins_questions(english) else frozenset[str]()
    said = word_stems(sentence)
    return bool(new & said) and names <= said


def _tells_result(reading: Reading, sentence: str, question: str) -> bool:
    """Whether a sentence has something of what a tool worked out that was not asked; true of any other text."""
    if not reading.certain or reading.sources:
        return True
    result = reading.quote.rpartition(" is ")[2].partition("; ")[0]
    new_figures = figures_in(result) - figures_in(question)
    units = {sign for sign in sentence if sign in _UNIT_SIGNS} - set(f"{reading.text} {question}")
    return not units and (not new_figures or bool(new_figures & figures_in(sentence)))
