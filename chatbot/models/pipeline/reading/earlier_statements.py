"""What the user said earlier that answers a question: looked for before any tool is, for it stands nowhere else."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from chatbot.conversation.messages import Source
from chatbot.conversation.turns import Turn
from chatbot.models.base import LanguageModel
from chatbot.models.pipeline.decision.places import asks_of_mine, says_mine, says_one_of
from chatbot.models.pipeline.decision.router import ACT_WORDS
from chatbot.models.pipeline.decision.statements import tells_of_life
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.answerability import clipped_log_odds, measured_value
from chatbot.models.pipeline.reading.evidence import Evidence, EvidenceFinder
from chatbot.models.pipeline.reading.sentences import split_sentences, told_before_asking
from chatbot.prompts.fewshot import load_prompt
from rag.documents import Passage
from rag.search.rare_words import telling_words, word_stems
from utils.fence import has_outside, without_fences
from utils.languages.detection import language_of

LIKE = 0.3
"""Cosine of question and sentence below which the model is not asked: 20 questions about what was said had 0.34 and
more, and in each the sentence that answers it was the nearest."""
YES = {"1.5b": 2.0, "0.5b": 0.0}
"""By a part of the model's name: the log-odds of yes from which on a sentence is taken to answer a question.

Of 20 such questions 19 and 9 reached it, of 23 that are near to something said but not answered by it 0 and 2.
"""
RECALLED = {"1.5b": 0.0}
"""The same where the question is what was said: of 25 in three languages 22 reached it, of 15 about others none."""
MAX_STATEMENTS_WEIGHED = 5
"""Sentences that a model is asked about for a question of what was said, likeliest first: a second for all, about."""
MIN_COVERED_BY_STATEMENT = 0.5
"""The share of the question's words that a statement must have more of where the model's word was not measured."""
_NUMBER = word_stems("number numéro nummer número numero")
_WHICH = _NUMBER | word_stems("mine ours one meins unseres mien mienne mío mía mio mia meu minha")
_AGAIN = word_stems("again nochmal noch gleich déjà mesmo alweer")
"""Words of a question that no statement need have: "which locker is mine", "my locker number again"."""
_TELLS_WHICH = re.compile(
    r"(?:\b(?:is|was|number|no|nr|ist|nummer|est|numéro|es|número|è|numero|é)\b|[,:=])[.\s]{0,3}"
    r"(?:(?:number|no|nr|nummer|the|le|la|el|il|o|die)\b[.\s]{0,3})?#?\s?[a-z]{0,2}-?\d[\d -]{0,20}"
    r"(?: ?(?:and a half|einhalb|½))?\W*$",
    re.IGNORECASE,
)
"""What a statement ends with that says which one something is: "my locker is 79", and not how much it has or cost.

Asked for once more, or remembered, what it is needs no "my": "the code of the shed"."""
_OF_BIRTH = re.compile(
    r"\b(?:born|birthdays?|bday|geboren|geburtstag|née?|naissance|anniversaire|nació|nacid[oa]|cumpleaños|nat[oa]"
    r"|compleanno|nasceu|nascid[oa]|aniversário|verjaardag|urodziny|urodził\w*)\b",
    re.IGNORECASE,
)
"""A birthday and being born, which is one thing to ask."""
_ASKS_BIRTHDAY = re.compile(
    r"\b(?:when|what day|which day|wann|quand|cuándo|quando|wanneer|kiedy)\b.{0,60}" + _OF_BIRTH.pattern, re.IGNORECASE
)
"""Asks when one was born: "when was Ida's birthday again?"."""
STATEMENTS_OF_ONESELF, MAX_OWN_CHARS = 6, 200
"""Sentences of the user's own that a wish for words of one's own is told, at most, and characters of one."""
_I = {
    "de": r"ich|wir",
    "fr": r"je|nous",
    "es": r"yo|soy|vivo|trabajo|tengo|me llamo",
    "it": r"io|vivo|lavoro|abito|mi chiamo",
    "pt": r"eu|sou|moro|vivo|trabalho|tenho|chamo-me",
    "nl": r"ik|wij",
    "sv": r"jag|vi",
    "da": r"jeg|vi",
    "no": r"jeg|vi",
    "pl": r"jestem|mieszkam|pracuję|nazywam|mam",
    "cs": r"jsem|bydlím|pracuji|jmenuji",
    "ru": r"я|меня|мы",
    "uk": r"я|мене|ми",
}
"""By the language, words with which one tells of oneself; in English `tells_of_life` knows that."""
_NOTE_OF_ANSWER = re.compile(r"^- Assistant: .*$", re.MULTILINE)
_NOTE_OF_USER = "- User: "
"""How a summary of older turns tells what was said by whom (`chatbot.window.compaction`)."""
LATEST_STATEMENTS = 3
"""Sentences that are told again where nothing was named."""
MAX_SENTENCES_COMPARED = 400
"""Sentences that are compared at most, the latest ones."""


async def read_told(
    model: LanguageModel, finder: EvidenceFinder, turns: Sequence[Turn], question: str, facts: Sequence[str] = ()
) -> Reading | None:
    """The sentence of an earlier turn, or the remembered fact, that answers a question of the last one; None without.

    Raises `EmbedderUnavailable`. The model's word is taken where it was measured, and from no other.
    """
    certain = await measured_value(model, YES)
    earlier = [turn.question.content for turn in turns[:-1] if not is_wish(turn)]
    said = dict(statement for text in earlier for statement in text_statements(text))
    said |= dict.fromkeys(facts, False)
    if certain is None or not said:
        return None
    compared = [_as_source(text) for text in list(said)[-MAX_SENTENCES_COMPARED:]]
    best = (await finder.rank_evidence(question, compared))[0]
    statement = best.source.passage.text
    reading = Reading(statement, outside=said[statement], quote=statement, certain=True)
    told = replace(reading, text=f"The user said: {reading.text}")
    if _is_asked_of(statement, question) and (
        asks_of_mine(question, language_of(question) or "en")
        or (_TELLS_WHICH.search(statement) and (statement in facts or telling_words(question) & _AGAIN))
        or (statement in facts and _ASKS_BIRTHDAY.search(question))
    ):
        return told
    if best.similarity < LIKE:
        return None
    check = load_prompt("read").make_prompt(passage=reading.prompt_text, question=question)
    judged = await model.weigh_words(check, ("yes", "no"))
    return told if clipped_log_odds(judged.shares["yes"]) >= certain else None


def _is_asked_of(statement: str, question: str) -> bool:
    """Whether a statement has all that a question of something of the user's own names; of theirs, and which one it is,
    where that is asked."""
    words = telling_words(_OF_BIRTH.sub("birth", question)) - _AGAIN
    named = words - _WHICH
    if named <= word_stems("birth"):
        return False
    if named != words and not (_TELLS_WHICH.search(statement) and says_mine(statement, language_of(statement) or "en")):
        return False
    return bool(named) and named <= word_stems(_OF_BIRTH.sub("birth", statement))


def statement_sources(turns: Sequence[Turn], facts: Sequence[str]) -> list[Source]:
    """What the user said before the last question, and the remembered facts: the latest ones, numbered."""
    said = list(dict.fromkeys([*_own_statements(turns[:-1]), *facts]))[-MAX_SENTENCES_COMPARED:]
    return [replace(_as_source(statement), number=number) for number, statement in enumerate(said)]


async def meant_statements(model: LanguageModel, question: str, ranked: Sequence[Evidence]) -> list[str]:
    """Of the user's sentences, likeliest first, those that a question of what was said asks for, as they were said."""
    certain, meant = await measured_value(model, RECALLED), list[Source]()
    for evidence in ranked[:MAX_STATEMENTS_WEIGHED]:
        if certain is None:
            is_meant = evidence.coverage > MIN_COVERED_BY_STATEMENT
        else:
            passage = f"What the user told earlier: {evidence.source.passage.text}"
            check = load_prompt("read").make_prompt(passage=passage, question=question)
            judged = await model.weigh_words(check, ("yes", "no"))
            is_meant = clipped_log_odds(judged.shares["yes"]) >= certain
        if is_meant:
            meant.append(evidence.source)
    return [source.passage.text for source in sorted(meant, key=lambda source: source.number)]


def latest_statements(turns: Sequence[Turn]) -> list[str]:
    """The last sentences in which the user told something, before the last question."""
    return list(_own_statements(turns[:-1]))[-LATEST_STATEMENTS:]


def statements_of_oneself(turns: Sequence[Turn]) -> list[str]:
    """The last sentences, of some words and not long, in which the user told something of themselves."""
    own = [said for said in _own_statements(turns[:-1]) if len(said) <= MAX_OWN_CHARS and _tells_of_oneself(said)]
    return own[-STATEMENTS_OF_ONESELF:]


def _tells_of_oneself(said: str) -> bool:
    """Whether a sentence tells something of who says it: "write me a poem" does not."""
    language = language_of(said) or "en"
    if language == "en":
        return tells_of_life(said)
    return says_mine(said, language) or says_one_of(_I, said, language)


def _own_statements(turns: Sequence[Turn]) -> Iterator[str]:
    """What the user said in their own words, wishes left out: of these the remembered facts tell."""
    for turn in turns:
        if not is_wish(turn):
            yield from (said for said, outside in text_statements(turn.question.content) if not outside)


def is_wish(turn: Turn) -> bool:
    """Whether a turn had something remembered, forgotten or reminded of: of that the facts themselves tell."""
    return any(call.name in ACT_WORDS for call in turn.calls)


def text_statements(text: str) -> Iterator[tuple[str, bool]]:
    """The sentences of a text that ask nothing, each with whether it may come from outside: as a summary's may, of
    which those of the user count."""
    for sentence in split_sentences(_NOTE_OF_ANSWER.sub("", without_fences(text))):
        if told := told_before_asking(sentence.removeprefix(_NOTE_OF_USER)):
            yield told, has_outside(text)


def _as_source(text: str) -> Source:
    return Source(0, Passage(text, "", "", "file"))
