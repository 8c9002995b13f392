"""A second look at an answer of a model that calls tools itself: its language, and what it claims to have done."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from chatbot.conversation.conversation import Conversation
from chatbot.conversation.events import AnswerDelta, AnswerWithdrawn, TurnEvent
from chatbot.conversation.messages import Message
from chatbot.conversation.promises import claimed_act
from chatbot.conversation.turns import Turn
from chatbot.conversation.usage import Usage
from chatbot.models.base import LanguageModel, Text
from chatbot.prompts.fewshot import again_in, clip_middle
from chatbot.prompts.phrases import fill_phrase
from chatbot.turn.model_reply import ModelReply
from chatbot.turn.whole_reply import take_whole_reply
from rag.search.rare_words import word_stems
from utils.languages.detection import same_language, wanted_language
from utils.languages.language_names import mentioned_languages

MAX_QUESTION = 300
"""Characters of the question that go with an answer that is to be given in another language."""
REWORKED = 0.6
"""The share of an answer's words that a text of about its length has if the answer is a version of that text."""

LOOKS_UP = frozenset({"web_search", "news_search", "fetch_url_content", "search_vector_db", "search_history"})
"""Tools that act for nobody; after any other call an answer may claim an act."""


async def look_again(
    model: LanguageModel, reply: ModelReply, conversation: Conversation, wishes: str
) -> AsyncGenerator[TurnEvent, None]:
    """Have an answer in another language than the question wants said again; replace one that claims what no tool did.

    `conversation` ends with the turn so far; `wishes` are the user's own instructions, which may name a language.
    Whoever is served in steps has looked already.
    """
    if (await model.describe()).in_steps or reply.calls or not reply.text.strip():
        return
    turn, said = conversation.last_turn, conversation.questions
    language = await asyncio.to_thread(wanted_language, said[-1], said[:-1])
    if claimed_act(reply.text) and not has_acted(turn):
        reply.forget_arrived()
        reply.text = fill_phrase("cannot_act", language or "en")
        yield AnswerWithdrawn()
        yield AnswerDelta(reply.text)
        return
    known = [language, *mentioned_languages(said[-1]), *mentioned_languages(wishes)]
    if (
        not language
        or is_version(reply.text, turn.question)
        or await asyncio.to_thread(is_in_one_of, reply.text, known)
    ):
        return
    retold, usage = await tell_again(model, said[-1], reply.text, language)
    reply.usage += usage
    if await asyncio.to_thread(same_language, retold, language):
        reply.forget_arrived()
        events = [AnswerWithdrawn(), *await reply.take_piece(Text(retold)), *await reply.finish_reply()]
        for event in events:
            yield event


async def tell_again(model: LanguageModel, question: str, answer: str, language: str) -> tuple[str, Usage]:
    """An answer in a language (ISO 639-1), and what that cost: the answer as it was where it cannot be had whole.

    The model is sent nothing but question and answer: a prompt longer than the last one might be cut.
    """
    prompt = again_in([Message("user", clip_middle(question, MAX_QUESTION))], answer, language)
    told, usage = await take_whole_reply(model, prompt, "The answer stays in its language")
    return (told if told.strip() else answer), usage


def is_in_one_of(answer: str, languages: Sequence[str]) -> bool:
    """Whether an answer may be in one of some languages (ISO 639-1)."""
    return any(same_language(answer, language) for language in languages if language)


def is_version(answer: str, question: Message) -> bool:
    """Whether an answer is a text of the user's own with changes in it: that stays in its language."""
    words = word_stems(answer)
    texts = (word_stems(question.content), word_stems(question.note))
    return any(len(words & text) >= REWORKED * max(len(words), len(text) / 2) for text in texts)


def has_acted(turn: Turn) -> bool:
    """Whether a tool that does more than look something up was called and did it."""
    return any(not result.failed and result.tool_name not in LOOKS_UP for result in turn.results)
