"""How a reply of a server that may be hostile ends: soundly, or in one clear sentence that has no key in it."""

from collections.abc import Sequence
from contextlib import aclosing

from chatbot.conversation.messages import Message
from chatbot.models.base import Call, Done, LanguageModel, Piece, Text
from tools.base import ToolSchema
from utils.errors import ModelError

SENT_KEY = "sk-quiet-magpie-4815162342"
SEARCH = ToolSchema(
    "web_search",
    "Search.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)


async def ending(model: LanguageModel, tools: Sequence[ToolSchema] = (SEARCH,)) -> str:
    """A failure's kind, the names of the calls, or else the text; anything but that is raised."""
    pieces = list[Piece]()
    try:
        async with aclosing(model.reply([Message("user", "Hello?")], tools)) as reply:
            async for piece in reply:
                pieces.append(piece)
    except ModelError as error:
        assert error.problem and error.remedy
        assert "\n" not in str(error) and len(str(error)) < 900 and SENT_KEY not in repr((error, error.__cause__))
        return type(error).__name__
    finally:
        await model.close()
    assert isinstance(pieces[-1], Done) and sum(isinstance(piece, Done) for piece in pieces) == 1
    called = [piece.call.name for piece in pieces if isinstance(piece, Call)]
    return " ".join(called) if called else "".join(piece.delta for piece in pieces if isinstance(piece, Text))


def patience(mode: str) -> float:
    """Seconds of silence after which a mode is given up: few where there is nothing else that ends it."""
    # Elsewhere it is to be ended by its bound, and not by the time on a slow machine.
    return 1.0 if "hang" in mode or "alone" in mode else 60.0
