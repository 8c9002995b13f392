"""Answers from passages in another language: written in theirs, where they can be checked, and told in the user's.

Whether a German sentence is what a Spanish page says no word shows: of 15 false ones the check lets 13 pass, and 1
where both are in one language.
"""

import re
from collections.abc import Sequence
from contextlib import aclosing

from chatbot.conversation.messages import Message
from chatbot.models.base import LanguageModel, ReplyOptions, Text
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.answerability import ask_for
from chatbot.models.pipeline.reading.calendar.weekdays import days_in
from chatbot.models.pipeline.writing.written import LENGTHS
from chatbot.prompts.loader import form_instructions
from tools.reckoning.amounts import currencies_paid, currency_signs
from utils.languages.detection import language_of, same_language
from utils.languages.language_names import language_name
from utils.languages.quantities import Quantity, all_offered, quantities_in

_NOON = re.compile(r"\b(?:noon|midday|mittags?|midi|mediodía|mezzogiorno|meio-dia)\b", re.IGNORECASE)
MIN_CHARS_TOLD_BY = 60
"""Characters of passages from which on their language is told by them."""
CHECKED_ABROAD = ("fact", "yesno")
"""Forms of answers that are written in the language of the passages first: they are a sentence."""


def written_language(reading: Reading, form: str, language: str) -> str:
    """The language in which an answer is written that is wished for in another one, both ISO 639-1.

    That of the passages where they have numbers and are in one that is known; else the user's.
    """
    text = "\n".join(reading.numbered_texts)
    if form not in CHECKED_ABROAD or len(text) < MIN_CHARS_TOLD_BY or same_language(text, language):
        return language
    return language_of(text) or language


def is_written_in(sentence: str, wanted: str, language: str) -> bool:
    """Whether a sentence is in the wanted language, or at least not in the user's where that is another one."""
    return same_language(sentence, wanted) or (wanted != language and not same_language(sentence, language))


def retelling_prompt(sentence: str, question: str, instruction: str) -> list[Message]:
    """The prompt in which a model reads its own sentence as it does any passage, and answers from it as instructed.

    From that it tells it better than it translates it: of 17 sentences it put 13 well into 12 languages.
    """
    return [*ask_for(Reading(sentence), question), Message("assistant", "yes"), Message("user", instruction)]


async def whole_text(model: LanguageModel, prompt: Sequence[Message], max_tokens: int) -> str:
    """All that a model writes, on one line, whatever its language."""
    written = ""
    async with aclosing(model.reply(prompt, options=ReplyOptions(max_tokens))) as pieces:
        async for piece in pieces:
            written += piece.delta if isinstance(piece, Text) else ""
    return " ".join(written.split())


async def retell(model: LanguageModel, sentence: str, question: str, wordings: str, form: str, language: str) -> str:
    """A sentence that answers a question as the model tells it in a language (ISO 639-1); empty where it does not tell
    the same. `wordings` are those in which the question is known, whose figures it may say or leave out."""
    instruction = form_instructions()[form].format(language=language_name(language))
    told = await whole_text(model, retelling_prompt(sentence, question, instruction), LENGTHS[form])
    return told if is_retold(told, sentence, wordings, language) else ""


def is_retold(told: str, sentence: str, question: str, language: str) -> bool:
    """Whether a sentence was told in a language (ISO 639-1), with the figures and days that it has."""
    return same_language(told, language) and says_the_same(told, sentence, question)


def says_the_same(told: str, sentence: str, question: str) -> bool:
    """Whether two sentences have the same figures, currencies and days, but for those that the question has.

    The question in both languages, where it is known in both: 15 may be 十五 in one of them.
    """
    if currencies_paid(told) - currency_signs(f"{sentence} {question}"):
        return False  # 6.20 euros are not £6.20.
    asked = _quantities_of(question)
    same_days = days_in(told) | days_in(question) == days_in(sentence) | days_in(question)
    ours, theirs = _quantities_of(told), _quantities_of(sentence)
    return same_days and _are_among(ours, [*theirs, *asked]) and _are_among(theirs, [*ours, *asked])


def _quantities_of(text: str) -> list[Quantity]:
    """Numbers, dates and times of a text in any language."""
    return quantities_in(_NOON.sub("12:00", text))


def _are_among(some: Sequence[Quantity], others: Sequence[Quantity]) -> bool:
    offered = all_offered(others)
    return all(quantity.required & offered for quantity in some if quantity.exact)
