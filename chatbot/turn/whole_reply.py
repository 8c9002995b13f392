"""A reply beside the answer, taken only where it is there whole."""

import logging
from collections.abc import Sequence
from contextlib import aclosing

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import Done, LanguageModel, Text
from utils.errors import ModelError

log = logging.getLogger(__name__)


async def take_whole_reply(model: LanguageModel, prompt: Sequence[Message], otherwise: str) -> tuple[str, Usage]:
    """What a model replies, and what that cost; empty where it was cut, or fails: `otherwise` is logged of that."""
    told, usage, whole = "", Usage(), False
    try:
        async with aclosing(model.reply(prompt)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Text):
                    told += piece.delta
                elif isinstance(piece, Done):
                    usage, whole = piece.usage, piece.reason != "length"
    except ModelError as error:
        log.info("%s: %s", otherwise, error.problem)
    return (told if whole else ""), usage
