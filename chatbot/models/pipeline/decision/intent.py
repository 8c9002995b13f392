"""What the last message of a conversation wants: the decision, and the question as it stands alone."""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from chatbot.conversation.capitals import with_capitals
from chatbot.conversation.messages import Source
from chatbot.conversation.turns import Turn
from chatbot.conversation.wishes import is_courtesy
from chatbot.models.base import LanguageModel
from chatbot.models.dialogue import answer_text, attached_texts, standing_question
from chatbot.models.pipeline.comparing import compares, sides_of_difference
from chatbot.models.pipeline.decision.arguments import (
    MAX_QUESTION_CHARS,
    asked_after,
    in_english,
    write_line,
)
from chatbot.models.pipeline.decision.forms import (
    as_asked,
    asks_to_code,
    listing_of,
    of_duties,
    of_record,
    of_several_cases,
    speaks_of_text,
    wants_made_up,
)
from chatbot.models.pipeline.decision.going_on import (
    asking_entry,
    asking_leave,
    beginning_elsewhere,
    going_on_in_library,
    going_on_in_pasted,
    going_on_looking,
    going_on_wishing,
    opening_named,
    surely_answered,
)
from chatbot.models.pipeline.decision.names import names_in, with_names, without_addresses
from chatbot.models.pipeline.decision.places import names_place, without_place
from chatbot.models.pipeline.decision.router import ACT_WORDS, ANSWER, TAKEN_APART, TOOL_WORDS
from chatbot.models.pipeline.decision.standing_alone import stand_alone
from chatbot.models.pipeline.decision.tool_choice import (
    Decision,
    LibraryLook,
    decide_tool,
)
from chatbot.models.pipeline.duties import asks_duties_alone
from chatbot.models.pipeline.parts import (
    asks_of_each,
    joining_words,
    may_be_several,
    split_at_question_word,
    split_question,
    with_subject,
)
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.sentences import asks_something, begins_with_whether, count_words
from chatbot.models.pipeline.translations import wish_for_translation, with_days_of
from chatbot.prompts.fewshot import clip_middle, load_prompt
from rag.search.rare_words import word_stems
from tools.base import ToolSchema
from utils.languages.detection import language_of, wanted_language
from utils.languages.language_names import mentioned_languages
from utils.languages.message_parts import without_aside
from utils.languages.question_words import asking_part
from utils.languages.reasons import without_reason

MAX_REWORKING_WORDS = 12
"""Words of a wish to have the last answer put otherwise, at most."""
_OF_ONESELF = re.compile(r"\bI\b(?=['’]| [a-z])|\b(?:me|us|[Mm]y|[Ww]e|[Oo]ur)\b")
LIKELY_ASKED = 0.6
"""The share of answering from which on the model itself is asked to explain something."""
MIN_QUERY_WORDS = 2
"""Words of a query that a model writes of a long question, at least."""
MAX_SEARCHED_WORDS = 40
"""Words beyond which a question is not what is searched for: then the model writes a query."""


@dataclass(frozen=True)
class Wording:
    """A message that goes on from before, as it was said."""

    message: str
    named: str
    """With the names of what was asked before."""
    english: str


@dataclass(frozen=True)
class Intent:
    """What a message wants."""

    question: str
    """The message as it is understood without the conversation."""
    decision: Decision
    language: str
    """ISO 639-1 of the answer; English where the message does not tell."""
    parts: tuple[str, ...]
    """The questions that it asks: itself, or several that are looked up one by one."""
    english: str = ""
    """The question in English, if it is in another language and no long one."""
    own: "Wording | None" = None
    """The message in the user's own words, where the model put it into others."""

    @property
    def said(self) -> str:
        """What the message asks in the user's own words, but for where that is to be looked for."""
        return self.own.message if self.own else self.question

    def with_names_of(self, sources: Sequence[Source]) -> "Intent":
        """The same with the names that were typed small as what was found has them."""
        texts = [source.passage.text for source in sources]
        own = self.own and replace(
            self.own, message=with_capitals(self.own.message, texts), named=with_capitals(self.own.named, texts)
        )
        parts = tuple(with_capitals(part, texts) for part in self.parts)
        return replace(self, question=with_capitals(self.question, texts), parts=parts, own=own)

    def form_of(self, part: str) -> str:
        """The form of the answer to one of the questions: one of several asks for one thing, or whether it is so."""
        if len(self.parts) == 1:
            return self.decision.form
        return "yesno" if self.language == "en" and begins_with_whether(part) else "fact"


class IntentReader:
    """Reads what a turn's message wants; keeps what it found, for a turn asks several times."""

    def __init__(
        self,
        model: LanguageModel,
        finder: EvidenceFinder,
        look: Callable[[str], Awaitable[LibraryLook]] | None,
    ) -> None:
        self._model = model
        self._finder = finder
        self._look = look
        self._known: tuple[tuple[str, ...], Intent] | None = None

    async def read_intent(self, turns: Sequence[Turn], tools: Sequence[ToolSchema]) -> Intent:
        """The intent of the last turn; raises `EmbedderUnavailable`."""
        key = tuple(turn.question.content for turn in turns)
        if not self._known or self._known[0] != key:
            self._known = (key, await self._read_intent(turns, tools))
        return self._known[1]

    async def _read_intent(self, turns: Sequence[Turn], tools: Sequence[ToolSchema]) -> Intent:
        message = turns[-1].question.content
        message = message if is_courtesy(message) else without_aside(message)
        english = await put_in_english(self._model, message)
        decision = await self._decide(turns, tools, message, english)
        said = [turn.question.content for turn in turns[:-1]]
        language = language_reworked(decision, turns, english) or wanted_language(message, said) or "en"
        # Why it is asked may say what is to be done; searched for and read with the question it only dilutes that.
        if (asked := without_reason(message)) != message:
            english = await put_in_english(self._model, asked)
        question = asked
        if decision.follows and len(turns) > 1:
            decision = going_on_in_library(going_on_looking(decision, turns), turns)
            if decision.doubted_tool or decision.best_wish not in (ANSWER, *ACT_WORDS):
                question = await stand_alone(self._model, turns, asked, certainly=decision.certainly)
        own = None
        if question != asked:
            own = Wording(asked, with_names(asked, standing_question(turns[-2])), english)
        if decision.best_wish in TOOL_WORDS:
            question = without_place(without_addresses(question))
        parts = await self._take_apart(turns, Intent(question, decision, language, (), english, own))
        if question != asked:
            english = await put_in_english(self._model, question)
        return Intent(question, decision, language, parts or (question,), english, own)

    async def _decide(self, turns: Sequence[Turn], tools: Sequence[ToolSchema], message: str, english: str) -> Decision:
        """What is wished for, and in which form: by the fitted decision, and by words that say it for certain."""
        decision = await decide_tool(self._finder, turns, tools, self._look, english)
        texts = any(map(attached_texts, turns))
        to_code = asks_to_code(english or message) and not (names_place(message) or texts)
        if to_code or (is_courtesy(message) and not attached_texts(turns[-1])):
            return surely_answered(decision)
        said = [turn.question.content for turn in turns[:-1]]
        decision = listing_of(asking_leave(decision, turns, english or message), english or message)
        decision = of_record(naming_in_doubt(decision, english or message), english or message)
        decision = of_several_cases(asking_entry(decision, turns, english or message), turns, english or message)
        decision = as_asked(decision, wish_for_translation([*said, message]) or message, english)
        decision = of_duties(decision, turns, english or message)
        decision = beginning_elsewhere(decision, turns)
        return going_on_in_pasted(going_on_wishing(opening_named(decision, turns), turns), turns)

    async def _take_apart(self, turns: Sequence[Turn], intent: Intent) -> tuple[str, ...]:
        """The questions of a message that asks several; empty for one. `intent.english` is that of what was said."""
        question, asked = intent.question, intent.said
        together = intent.decision.form == "list" and asks_duties_alone(intent.english or asked)
        if together or not _is_read(intent.decision, turns):
            return ()
        if sides := sides_of_difference(question):
            return sides
        several = may_be_several(question, intent.decision.form, intent.language)
        # What the model has not put into words that stand alone is taken apart with what it goes on from.
        before = standing_question(turns[-2]) if len(turns) > 1 else ""
        two = before and joining_words(intent.language).search(before)
        of_two = compares(intent.english or asked) or (two and asks_of_each(asked))
        goes_on = intent.own and (of_two or (several and question.startswith(asked)))
        if not goes_on and not several:
            return ()
        parts = await split_question(self._model, asked if goes_on else question, before if goes_on else "")
        parts = with_subject(parts, question, asked) if goes_on and not of_two else parts
        # What small models put into words of their own is not always taken for a part.
        return parts or (() if goes_on else split_at_question_word(question))


def _is_read(decision: Decision, turns: Sequence[Turn]) -> bool:
    """Whether a message is answered from something that is read: what was found, or a text that it came with or that
    is talked about."""
    with_text = decision.best_wish == ANSWER and speaks_of_text(decision, turns)
    return decision.best_wish in TAKEN_APART or with_text


async def put_in_english(model: LanguageModel, question: str) -> str:
    """The question in English, of its own days; empty where it is in English, or long."""
    foreign = (language_of(question) or "en") != "en" and count_words(question) <= MAX_SEARCHED_WORDS
    return with_days_of(question, await in_english(model, question)) if foreign else ""


def language_reworked(decision: Decision, turns: Sequence[Turn], english: str) -> str:
    """The language of the last answer where a message has that put otherwise; empty for what is no such wish.

    "Make it more polite", said of a translation into German, wants German.
    """
    message = turns[-1].question.content
    reworks = decision.form == "text" and decision.follows and len(turns) > 1 and not attached_texts(turns[-1])
    if not reworks or asks_something(message) or mentioned_languages(message) or wants_made_up(english or message):
        return ""
    return (language_of(answer_text(turns[-2])) or "") if count_words(message) <= MAX_REWORKING_WORDS else ""


def naming_in_doubt(decision: Decision, english: str) -> Decision:
    """What asks to have something explained that has a name is looked up where the model is not likely to be asked: of
    the rules of a game that nobody knows it makes up others."""
    tool, named = decision.lookup_tool, bool(names_in(english)) and not _OF_ONESELF.search(english)
    named = named and asks_something(english)
    in_doubt = decision.best_wish == ANSWER and decision.share_of(ANSWER) < LIKELY_ASKED
    return decision.wishing(tool) if tool and named and in_doubt and decision.form == "explain" else decision


async def write_query(model: LanguageModel, question: str) -> str:
    """What is searched for: the question, or one line of it where it is long."""
    if count_words(question) <= MAX_SEARCHED_WORDS:
        return question
    query = await write_line(model, load_prompt("query").make_prompt(**asked_after("", question)))
    said, asked = word_stems(query), word_stems(question)
    # Of many conditions a small model makes "Ge Ge Ge Ge", and a page about it.
    if len(said) >= MIN_QUERY_WORDS and len(said & asked) >= len(said - asked):
        return query
    part = with_names(asking_part(question), question)
    return part if count_words(part) <= MAX_SEARCHED_WORDS else clip_middle(question, MAX_QUESTION_CHARS)
