"""A reply whose text is searched for calls, as a model that is served by what it can does it."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence

from chatbot.models.base import Piece
from chatbot.models.text_calls.parser import Accepts
from chatbot.models.text_calls.stream import CallFinder
from tools.base import ToolSchema
from utils.errors import ModelError


async def with_text_calls(
    pieces: AsyncIterator[Piece], offered: Sequence[ToolSchema], accepts: Accepts, question: str
) -> AsyncGenerator[Piece, None]:
    """The pieces of a reply with calls in the place of their text; what was held back where it breaks."""
    finder = CallFinder(offered, accepts, question)
    try:
        async for piece in pieces:
            for part in finder.feed(piece):
                yield part
    except ModelError:
        for part in finder.rest():
            yield part
        raise
