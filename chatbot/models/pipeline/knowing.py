"""What a model knows by itself of a question for which nothing was found: asked in English, told in the user's words.

Small models know most in English: of 26 general questions in 14 languages the 1.5B surely and rightly answers 18 when
it is asked in English, 8 when it is asked as the user did (Sydney is the capital, in French); two wrongly either way.
"""

import re
from collections.abc import Callable

from chatbot.models.base import LanguageModel
from chatbot.models.dialogue import answer_text, attached_texts
from chatbot.models.pipeline.decision.names import names_in
from chatbot.models.pipeline.decision.pointing import points_at_something, points_back
from chatbot.models.pipeline.leave import asks_leave
from chatbot.models.pipeline.plans import Situation
from chatbot.models.pipeline.reading.editions import asks_of_past
from chatbot.models.pipeline.reading.expected import Kind, expected_kind
from chatbot.models.pipeline.reading.sentences import begins_with_whether
from chatbot.models.pipeline.writing.foreign import retelling_prompt, says_the_same
from chatbot.models.pipeline.writing.talking import SURE, Talk, begin_talk, brief_prompt
from chatbot.models.pipeline.writing.written import LENGTHS
from chatbot.prompts.loader import form_instructions
from utils.languages.language_names import language_name

OF_A_PLACE = (Kind.PRICE, Kind.CLOCK)
"""Kinds of answers that change from place to place and from year to year: what a ticket costs a model makes up."""
_ASKS_YOU = re.compile(r"\W*(?:(?:and|but|so|then) )?(?:do|would|could|can|will|have) you\b", re.IGNORECASE)
"""What a question in English begins with that only asks to be told: "do you know who wrote it?"."""


class Knowledge:
    """What a model knows; `instructions` are the user's own, as they are now."""

    def __init__(self, model: LanguageModel, instructions: Callable[[], str]) -> None:
        self._model = model
        self._instructions = instructions

    async def tell(self, at: Situation, *, trusting: bool = False) -> str:
        """A sentence or two about the question as it stands alone, where the model is sure of it; empty otherwise.

        A model that tells no likelihoods is sure of nothing, unless it is trusted.
        """
        foreign = bool(at.intent.english)
        english = at.intent.english or at.intent.question
        if expected_kind(english, at.intent.question) in OF_A_PLACE and not asks_of_past(english):
            return ""
        if _goes_on_from_source(at):
            return ""
        particular = asks_leave(at.said_in_english) or names_in(english)
        whether = begins_with_whether(english) and not _ASKS_YOU.match(english)
        if (at.intent.decision.form == "yesno" or whether) and particular and not trusting:
            # Of yes and no a model is always sure: whether dogs may come in nobody knows but who runs the place.
            return ""
        talk = await self._ask(at, in_english=foreign)
        known = await talk.say_surely(LENGTHS["fact"])
        if known and foreign:
            return await self._tell_in(at, known)
        if talk.logs or not trusting:
            return known
        if foreign:
            talk = await self._ask(at, in_english=False)
            await talk.say_surely(LENGTHS["fact"])
        return talk.said

    async def _tell_in(self, at: Situation, known: str) -> str:
        """What is known in English, in the language of the question; empty where the model writes that badly.

        Of what it told wrongly it was not sure either.
        """
        language, question = at.intent.language, at.intent.question
        prompt = retelling_prompt(known, question, form_instructions()["fact"].format(language=language_name(language)))
        talk = await begin_talk(self._model, prompt, language, at.last_turn.question.content)
        told = await talk.say_surely(LENGTHS["fact"], SURE)
        return told if says_the_same(told, known, f"{question}\n{at.intent.english}") else ""

    async def _ask(self, at: Situation, *, in_english: bool) -> Talk:
        question = at.intent.english if in_english else at.intent.question
        # A question that was not put into words that stand alone may be about what was answered just before.
        own = at.intent.own
        as_said = own is None or at.intent.question.startswith(own.message)
        # One that names what it is about, and points to nothing else, is not about that.
        named = not own and names_in(question) and not points_back(question)
        goes_on = as_said and len(at.turns) > 1 and not (at.intent.decision.alone or named)
        before = at.turns[-2] if goes_on and answer_text(at.turns[-2]).strip() else None
        if own and before:
            question = (own.english if in_english else "") or own.message
        prompt = brief_prompt(question, self._instructions(), before)
        language = "en" if in_english else at.intent.language
        return await begin_talk(self._model, prompt, language, at.last_turn.question.content)


def _goes_on_from_source(at: Situation) -> bool:
    """Whether a message that names nothing itself says only with what pages, files or an attached text told what it
    asks: whether one can park there a model makes up."""
    message = at.last_turn.question.content
    if len(at.turns) < 2 or names_in(message) or not (at.intent.own or points_at_something(message)):
        return False
    return bool(at.turns[-2].cited_sources or attached_texts(at.turns[-2]))
