"""A second look at an answer of a model that calls tools itself: what it claims to have done."""

import asyncio
from collections.abc import Sequence

from chatbot.events import AnswerDelta, AnswerWithdrawn, TurnEvent
from chatbot.messages import Message
from chatbot.models.base import LanguageModel
from chatbot.phrases import phrase
from chatbot.promises import claimed_act
from chatbot.replies import Reply
from utils.language import wanted_language

LOOKS_UP = frozenset({"web_search", "news_search", "fetch_url_content", "search_vector_db", "search_history"})
"""Tools that act for nobody; after any other call an answer may claim an act."""


async def look_again(model: LanguageModel, reply: Reply, turn: Sequence[Message]) -> list[TurnEvent]:
    """Replace an answer that claims what no tool did; `turn` are the messages of the turn so far, the question first.

    Whoever is served in steps has looked already.
    """
    if (await model.describe()).in_steps or not claimed_act(reply.text) or has_acted(turn):
        return []
    language = await asyncio.to_thread(wanted_language, turn[0].content)
    reply.restart()
    reply.text = phrase("cannot_act", language or "en")
    return [AnswerWithdrawn(), AnswerDelta(reply.text)]


def has_acted(turn: Sequence[Message]) -> bool:
    """Whether a tool that does more than look something up was called and did it."""
    return any(m.role == "tool" and not m.failed and m.tool_name not in LOOKS_UP for m in turn)
