"""A message that asks for several things, taken apart: each is looked up, read and answered by itself."""

import re
from collections.abc import Set
from dataclasses import dataclass
from functools import cache
from typing import Any

from chatbot.conversation.wishes import is_courtesy
from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.comparing import compares
from chatbot.models.pipeline.decision.arguments import MAX_QUESTION_CHARS
from chatbot.models.pipeline.decision.names import names_in, with_names
from chatbot.models.pipeline.decision.pointing import points_at_something, points_back
from chatbot.models.pipeline.duties import asks_duties
from chatbot.models.pipeline.reading.answer_evidence import APART, Reading
from chatbot.models.pipeline.reading.editions import asks_of_past, present_in, years_in
from chatbot.models.pipeline.reading.sentences import asks_something, count_words, split_sentences
from chatbot.models.pipeline.reading.tables.columns import asks_extreme
from chatbot.prompts.fewshot import clip_middle, load_prompt
from rag.search.rare_words import telling_words, word_stems
from utils.errors import ReplyBroken
from utils.languages.detection import language_of
from utils.languages.language_names import locale_of, mentioned_languages
from utils.languages.question_words import asking_part

JOINABLE = ("fact", "yesno", "list", "explain")
"""Forms that say one thing, in which a message may ask for several if it joins them by a word."""
MAX_PARTS = 4
"""Questions that one message is taken apart into at most."""
FEW_WORDS = 1
"""Telling words of a part that hardly says what it is about, at most."""
_QUESTION_WORDS = word_stems("who whose whom what which when where why how")
_WISHES_OR_ANNOUNCES = re.compile(
    r"\W*(?:please|bitte|tell|give|show|list|name|explain|compare|find|look|i (?:need|want|have|would)|i['’]d"
    r"|ich (?:brauche|möchte|will|habe)|sag\w*|nenn\w*|gib|zeig\w*|dis|donne\w*|dime|dame|dimmi|dammi)\b",
    re.IGNORECASE,
)
"""What a sentence begins with that wishes for something, or announces questions, in some languages."""
_COUNTED_SIDES = word_stems("first second third former latter")
_SAY_NOTHING = word_stems("many much now")
"""Words that tell nothing in a question, and are no stop words."""
_WITH_YEAR = re.compile(r"(?: \w{1,3} | ?)(?<!\d)(?:19|20)\d\d(?!\d)")
"""A year with the short word before it: "in 2025"."""
_JOINED_QUESTIONS = re.compile(
    r"\b(?:and|or)(?: \w+)? (?:who|whose|whom|what|which|when|where|why|how)\b", re.IGNORECASE
)
"""How English joins a second question to a first."""
_CIRCUMSTANCE = re.compile(
    r"\b(?:in|on|at|for|with|without|during|im|am|in der|für|mit|ohne|en|pour|avec|sans|pendant|para|con|sin|durante"
    r"|per|senza|voor|met|zonder) (?!(?:total|all|general|short|one|a|that|this|it|case|fact|mind|the end)\b)(?:the )?"
    r"(?:(?:high|low|peak|off|school|bank|summer|winter) )?[^\W\d_]{3,20}(?=\W|$)",
    re.IGNORECASE,
)
"""What says when, where or for whom something is asked."""
_ASKING_WORDS = {
    "en": "what|when|where|why|how much|how many|how long|how old|how far|how often",
    "de": "was|wann|wo|warum|wie|wer",
    "fr": "quand|où|combien|pourquoi|comment",
    "es": "cuándo|dónde|cuánt\\w{1,2}|cómo|quién",
    "it": "quando|dove|quant\\w|perché",
    "pt": "quando|onde|quant\\w{1,2}|como",
    "nl": "wanneer|waar|hoeveel|hoe|wat",
}
"""Words that begin a question and seldom a clause of one, by the language (ISO 639-1)."""
_PREPOSITIONS = (
    r"(?:with|by|at|for|from|since|until|to|in|on|of|mit|um|bis|ab|seit|von|zu|bei|nach|vor|auf|avec|à|de|depuis|pour"
    r"|dans|sur|vers|en|con|desde|hasta|a|por|para|da|per|com|até|met|om|vanaf|tot|op|voor)\b"
)
"""Words that stand before one that asks: "with how many percent?"."""
_TWO_QUESTIONS = (
    r"(?P<first>(?:(?:and|und|et|y|e|en),? )?(?:{words}|what|who|which)\b[^?,.;]{{8,80}}),? (?:and|und|et|y|e|en) "
    r"(?P<second>(?:" + _PREPOSITIONS + r" )?(?:{words}) [^?,.;]{{6,80}}\?)"
)
"""Two questions that a word joins."""
_OF_EACH = re.compile(
    r"\b(?:each(?! other\b| (?:day|week|month|year|time|way|night|morning)\b)|both|either of"
    r"|the two(?!-| o['’]clock| days| hours)|jede[rsn]? (?:von|der)|beide[nrs]?|chacune?"
    r"|(?<!tous )(?<!toutes )les deux(?! jours| heures)|cada un[oa]|amb[oa]s|entramb[ie]|ciascun[oa]|os dois|as duas"
    r"|(?<!a )(?<!desde )(?<!hasta )(?<!sobre )l[ao]s dos|allebei)\b",
    re.IGNORECASE,
)
"""What asks the same of two things that were named before, in seven languages."""
_FIGURE_OF_EXTREME = re.compile(
    r",? and how (?:many|much|long|high|tall|far|deep|heavy|old|big|fast|expensive|warm|hot|cold)\b[^?]{0,40}?"
    r"\b(?:is|was|were|are|does|did) (?:it|that|this|they)\b[^?]{0,20}\?\W*$",
    re.IGNORECASE,
)
"""What asks in English for the figure of what was just asked for: "and how many kilometres was it?"."""
_ASKING_MARK, _GREEK_ASKING_MARK = re.compile(r"[?？؟](?!\s*[\"”’'»)])"), re.compile(r"[?;](?!\s*[\"”’'»)])")
"""What ends a question, but for one in quotation marks: the name of a film asks nothing."""
MIN_ASKING_WORDS = 3
"""Words of a question by itself: "really?" is none."""
QUESTIONS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "questions": {
            "type": "array",
            "items": {"type": "string", "maxLength": 160},
            "minItems": 1,
            "maxItems": MAX_PARTS,
        }
    },
    "required": ["questions"],
}


ASKED = ("fact", "yesno", "several")
"""Forms of questions that one place of a text answers."""


@dataclass(frozen=True)
class Part:
    """One question of a message, and what its answer is written from."""

    question: str
    form: str
    """One of the router's `FORMS`."""
    reading: Reading
    read: bool = False
    """Whether the reading is known to hold the answer."""
    chosen: bool = False
    """Whether it is read around the sentence that likeliest answers it."""


@cache
def joining_words(language: str) -> re.Pattern[str]:
    """The words for and and or of a language, as they stand between two things."""
    patterns = locale_of(language).list_patterns
    words = {patterns[kind]["end"].replace("{0}", "").replace("{1}", "").lstrip(",،、") for kind in ("standard", "or")}
    return re.compile("|".join(re.escape(word) for word in words), re.IGNORECASE)


def may_be_several(question: str, form: str, language: str) -> bool:
    """Whether it is worth asking if a question asks for several things; `language` is ISO 639-1."""
    if asks_extreme(question) and _FIGURE_OF_EXTREME.search(question):
        # Which month it was most in, and how much that was, one row says.
        return False
    marks = _GREEK_ASKING_MARK if language == "el" else _ASKING_MARK
    *asked, _ = marks.split(question)
    asked = [one for one in asked if count_words(one) >= MIN_ASKING_WORDS and not is_courtesy(one)]
    if form in JOINABLE and len(asked) > 1:
        return True
    # "She is 30 and has a licence. Does she need one more?" asks one thing.
    asking = _asked_behind_told(question) or question
    # "I like the Arlo and the Beam. How heavy is each of them?" asks two.
    asking = question if asks_of_each(asking) else asking
    return form in APART or (form in JOINABLE and bool(joining_words(language).search(asking)))


def asks_of_each(question: str) -> bool:
    """Whether a question asks the same of two things that were named before: "what does each of them weigh?"."""
    return bool(_OF_EACH.search(question))


def asks_of_another_time(question: str, before: str) -> bool:
    """Whether a question in English asks how something is now, and the one before it of a year; or of another year."""
    years, earlier = years_in(question), years_in(before)
    return bool(earlier and (not earlier & years if years else present_in(question)))


def joins_questions(english: str) -> bool:
    """Whether a message in English joins two questions by a word: "what is my name, and where do I live?"."""
    return bool(_JOINED_QUESTIONS.search(english))


def asks_place(form: str, english: str) -> bool:
    """Whether a question is answered by what a text says of it somewhere, and not by the text as a whole."""
    return form in ASKED or (form == "list" and asks_duties(english))


async def split_question(model: LanguageModel, message: str, earlier: str = "") -> tuple[str, ...]:
    """The questions that a message asks, each understood by itself; empty where it asks one, or they say other things.

    `earlier` is the question that it goes on from: "which of them is heavier" names nothing.
    """
    said = f"<<<{clip_middle(message, MAX_QUESTION_CHARS)}>>>"
    if earlier:
        said = f"Earlier: <<<{clip_middle(earlier, MAX_QUESTION_CHARS)}>>>\nMessage: {said}"
    try:
        filled = await model.fill_schema(load_prompt("parts").make_prompt(message=said), QUESTIONS)
    except ReplyBroken:
        return ()
    asked, known = word_stems(message), word_stems(f"{message} {earlier}")
    of_question = telling_words(_asked_behind_told(message))
    parts = dict.fromkeys(" ".join(str(part).split()) for part in filled.values.get("questions", ()))
    # Small models split off the earlier question as well, in nearly its words.
    again = word_stems(earlier)
    parts = {part: None for part in parts if not (earlier and _asks_again(part, again))}
    kept = tuple(part for part in parts if _is_asked(part, asked, of_question) and _named_words(part) <= known)
    if any(_COUNTED_SIDES & (word_stems(part) - known) for part in kept):
        return ()  # Of "my two quotes" a small model makes the first and the second one, which no text is called.
    named = tuple(_named_part(part, kept[0], message, earlier) for part in kept) if len(kept) > 1 else ()
    return with_circumstances(named, message)


def with_circumstances(parts: tuple[str, ...], message: str) -> tuple[str, ...]:
    """The questions of a message with what it says of when, where or for whom and none has: "in high season", "now"."""
    whole = " ".join(parts)
    known, now = word_stems(whole), "" if present_in(whole) else present_in(asking_part(message))
    told = [found[0].strip() for found in _CIRCUMSTANCE.finditer(message)]
    lost = [phrase for phrase in told if telling_words(phrase) and not telling_words(phrase) & known]
    lost = [phrase for phrase in lost if not mentioned_languages(phrase)]
    # What it cost in 2024, or who founded it, and how it is now are two questions.
    told_of = [lost + ([now] if now and not asks_of_past(part) else []) for part in parts]
    return tuple(f"{part} ({', '.join(said)})" if said else part for part, said in zip(parts, told_of, strict=True))


def with_subject(parts: tuple[str, ...], question: str, asked: str) -> tuple[str, ...]:
    """The parts of what was `asked`, those without a name with what the `question` has in brackets behind it: in "how
    long do they bake, and how hot? (Rye buns)" it is asked of these how hot.

    German writes every noun as a name: there those that point back, or say hardly anything.
    """
    subject = question.removeprefix(asked).strip()
    if not (subject.startswith("(") and subject.endswith(")")):
        return parts
    by_itself = [bool(names_in(part)) for part in parts]
    if language_of(question) == "de":
        by_itself = [not points_back(part) and len(telling_words(part) - _SAY_NOTHING) > FEW_WORDS for part in parts]
    return tuple(part if named else f"{part} {subject}" for part, named in zip(parts, by_itself, strict=True))


def split_at_question_word(message: str) -> tuple[str, ...]:
    """The two questions of a message that a word and a question word join, as they stand: "what do I owe, and when is
    it due?"; empty where it is no such."""
    words = _ASKING_WORDS.get(language_of(message) or "en")
    if not words or compares(message) or len(message) > MAX_QUESTION_CHARS:
        return ()
    asked = re.fullmatch(_TWO_QUESTIONS.format(words=words), message.strip(), re.IGNORECASE)
    if not asked or re.search(rf"\b(?:{words})$", asked["first"], re.IGNORECASE):
        return ()
    if min(map(count_words, (asked["first"], asked["second"]))) < MIN_ASKING_WORDS:
        return ()
    first, second = f"{asked['first']}?", asked["second"]
    return first, _named_part(second, first, message, "")


def _asked_behind_told(message: str) -> str:
    """The sentences of a message that ask, where others tell something and wish for nothing; else empty."""
    sentences = split_sentences(message)
    told = [one for one in sentences if not asks_something(one)]
    asking = [one for one in sentences if asks_something(one)]
    return " ".join(asking) if told and not any(_WISHES_OR_ANNOUNCES.match(one) for one in told) else ""


def _is_asked(part: str, asked: frozenset[str], of_question: Set[str]) -> bool:
    """Whether a part has words of its message, and of what this asks: of "she is 30. Does she need a badge?" small
    models make the question how old she is.
    """
    words = word_stems(part)
    return bool(words & asked) and not (of_question and not words & of_question)


def _asks_again(part: str, again: frozenset[str]) -> bool:
    """Whether a part has no other words than a question before, and asks as that does: where it is, and not when."""
    return telling_words(part) <= again and word_stems(part) & _QUESTION_WORDS <= again


def _named_part(part: str, first: str, message: str, earlier: str) -> str:
    """A part that names nothing with the names of the message, or of what it goes on from; one of few words, "by how
    many points?", with the first part.

    What it is now is not asked of the year of that one.
    """
    # "Mit wie viel Vorsprung?" has a noun, which German writes as a name.
    if names_in(part) and not re.match(_PREPOSITIONS, part, re.IGNORECASE):
        return part
    if part != first and len(telling_words(part) - _SAY_NOTHING) <= FEW_WORDS:
        return f"{part} ({_WITH_YEAR.sub('', first) if present_in(part) else first})"
    if names_in(part):
        return part
    named = with_names(part, message if names_in(message) else earlier)
    # "It" is what the first one asks about, where nothing has a name.
    return f"{part} ({first})" if named == part != first and points_at_something(part) else named


def _named_words(part: str) -> frozenset[str]:
    """What a part names, where its script tells: a side that nobody named comes from an example of the prompt."""
    return word_stems(names_in(part)) if part.lower() != part.upper() else frozenset()
