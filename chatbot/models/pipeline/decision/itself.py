"""Questions about Magpie and what it remembers, which the program answers: a model knows another maker and tools."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache

import numpy as np

from chatbot.models.dialogue import FACTS_HEAD
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.sentences import split_sentences
from chatbot.prompts.loader import FOLDER
from utils.languages.message_parts import asks_translation

MIN_QUESTION_LIKENESS = 0.6
"""Cosine of a message and a question about Magpie from which on it is one: of 2,740 English messages of which four are,
those four reach it (.66 to 1) and no other does (.56 at most). Of 397 that address it one asks whether it tires, and
reaches it (.97); no other does (.52)."""
SENTENCES_COMPARED = 4
"""The message and its first sentences."""
_ADDRESSED = re.compile(r"\b(?:you|your|yourself|magpie|this (?:program|assistant|bot|tool|chat))\b", re.IGNORECASE)
"""Who is asked: "What is my name?" is as near to a question about Magpie as any other."""
_OF_SPEAKER = re.compile(r"\b(?:(?:am|do|did|was) I|my|mine|me|myself|ours?)\b", re.IGNORECASE)
_GREETED = re.compile(
    r"\bhow(?: are|['’]re) (?:you|things)(?: (?:doing|today|feeling|going)){0,2}(?=\s*(?:[?!.,]|$))", re.IGNORECASE
)
"""A greeting that is near to "What are you?"."""
_REMEMBERING = re.compile(
    r"\b(?:know|remember|told|tell|sav|stor|kept|keep|facts?)\w{0,6}\b[^\n]{0,60}?\b(?:me|myself)\b", re.IGNORECASE
)
"""What is asked about the user: "What do you think about me?" is as near to it."""
_ABLE_TO_READ = re.compile(
    r"\W*(?:(?:and|so|but) )?(?:(?:can|could) you|are you able to) (?:also |even )?"
    r"(?:read|open|handle|understand|process|work with|deal with) "
    r"(?!(?:this|that|these|those|it|the|my|our)\b)(?:[\w'’]+ ){0,4}?"
    r"(?:pdfs?|files?|documents?|web ?pages?|websites?|images?|pictures?|photos?|spreadsheets?)\b"
    r"(?: (?:files?|documents?))?(?: (?:too|as well|(?:if|that|which|when) i\b[^?.]{0,40}))?\W*$",
    re.IGNORECASE,
)
"""What asks whether it reads things of a kind, and to read none of them now."""
ABILITIES = "what_i_can_do"
"""The name of the phrase that says what it does."""


async def about_itself(finder: EvidenceFinder, message: str, own: str = "") -> tuple[str, ...]:
    """The names of the phrases that answer a message in English, `who_i_am` and others of `itself.json`; or none.

    `own` is the message as the user said it, where a model put it so that it stands alone: "what is my profession?"
    small models turn into "what is your profession?".
    """
    message = _GREETED.sub("", message)
    if _OF_SPEAKER.search(own) and not _ADDRESSED.search(own):
        return ()
    if not _ADDRESSED.search(message) or asks_translation(message):
        return ()
    if _ABLE_TO_READ.match(message):
        return (ABILITIES,)
    asked = _questions_about_itself()
    # A greeting before it makes a question less like: each sentence is compared.
    said = [message, *split_sentences(message)][:SENTENCES_COMPARED]
    vectors = await finder.embed_texts([*said, *(question for questions in asked.values() for question in questions)])
    alike, start, meant = (vectors[len(said) :] @ vectors[: len(said)].T).max(axis=1), 0, []
    for name, questions in asked.items():
        fits = name != FACTS_HEAD or _REMEMBERING.search(message)
        if fits and float(np.max(alike[start : start + len(questions)])) >= MIN_QUESTION_LIKENESS:
            meant.append(name)
        start += len(questions)
    return tuple(meant)


@cache
def _questions_about_itself() -> Mapping[str, Sequence[str]]:
    """What is asked about Magpie, in English, by the name of the phrase that answers it."""
    questions: dict[str, list[str]] = json.loads((FOLDER / "itself.json").read_text(encoding="utf-8"))
    return questions
