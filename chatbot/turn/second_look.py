"""A second look at an answer of a model that calls tools itself: its language, and what it claims to have done."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from chatbot.context import Sendable
from chatbot.events import AnswerDelta, AnswerWithdrawn, TurnEvent
from chatbot.messages import Message
from chatbot.models.base import LanguageModel
from chatbot.models.fewshot import again_in
from chatbot.phrases import phrase
from chatbot.promises import claimed_act
from chatbot.replies import Replier, Reply
from utils.language import same_language, wanted_language
from utils.language_names import mentioned_languages

LOOKS_UP = frozenset({"web_search", "news_search", "fetch_url_content", "search_vector_db", "search_history"})
"""Tools that act for nobody; after any other call an answer may claim an act."""


async def look_again(
    model: LanguageModel, replier: Replier, reply: Reply, sendable: Sendable
) -> AsyncGenerator[TurnEvent, None]:
    """Have an answer in another language than the question wants given once more, and replace one that claims what no
    tool did; `sendable` ends with the turn so far. Raises a `ModelError`.

    Whoever is served in steps has looked already.
    """
    if (await model.describe()).in_steps or reply.calls or not reply.text.strip():
        return
    said = [message.content for message in sendable.conversation.messages if message.role == "user"]
    language = await asyncio.to_thread(wanted_language, said[-1], said[:-1]) or "en"
    if not await asyncio.to_thread(is_understood, reply.text, said[-1], language):
        again = again_in(sendable.conversation.messages, reply.text, language)
        reply.restart()
        yield AnswerWithdrawn()
        longer = replace(sendable, conversation=replace(sendable.conversation, messages=again))
        async with aclosing(replier.stream(model, reply, longer, ())) as events:
            async for event in events:
                yield event
    if claimed_act(reply.text) and not has_acted(sendable.conversation.last_turn):
        reply.restart()
        reply.text = phrase("cannot_act", language)
        yield AnswerWithdrawn()
        yield AnswerDelta(reply.text)


def is_understood(answer: str, question: str, language: str) -> bool:
    """Whether an answer is in a language (ISO 639-1), or in one that the question names."""
    return any(same_language(answer, known) for known in (language, *mentioned_languages(question)))


def has_acted(turn: Sequence[Message]) -> bool:
    """Whether a tool that does more than look something up was called and did it."""
    return any(m.role == "tool" and not m.failed and m.tool_name not in LOOKS_UP for m in turn)
