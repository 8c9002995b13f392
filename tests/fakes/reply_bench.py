"""A model of a scripted server of any API, asked directly: its pieces, and what was told meanwhile."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.base import BY_SETTINGS, Done, Piece, ReplyOptions
from chatbot.models.provider import ModelSurroundings
from chatbot.models.remote.destination import Destination
from chatbot.models.remote.model import RemoteModel
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tools.base import ToolSchema
from utils.network.access import NetworkAccess
from utils.network.api_client import ApiEndpoint

ASK = (Message("system", "Be brief."), Message("user", "What is the weather in Oslo?"))
SEARCH = ToolSchema(
    "web_search",
    "Search the web.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)


class ReplyBench:
    """What a backend's bench begins with; that sets `model`."""

    model: RemoteModel

    def __init__(self, base_url: str, caller: str, key: str, **generation: Any) -> None:
        self.told: list[str] = []
        self.settings = Generation(**{"request_timeout": 5} | generation)
        state = ModelState(Path("/nowhere"), remember=False)
        self.around = ModelSurroundings(Path("/nowhere"), self.settings, NetworkAccess(), state, tell=self.told.append)
        self.where = Destination(ApiEndpoint(base_url, caller, self.settings.request_timeout), key)

    async def pieces(
        self, tools: Sequence[ToolSchema] = (), ask: Sequence[Message] = ASK, options: ReplyOptions = BY_SETTINGS
    ) -> list[Piece]:
        """The reply; the model is closed then."""
        try:
            async with aclosing(self.model.reply(ask, tools, options)) as pieces:
                return [piece async for piece in pieces]
        finally:
            await self.model.close()


def without_seconds(pieces: Sequence[Piece]) -> list[Piece]:
    """The same with no seconds, which were measured."""
    return [
        Done(replace(piece.usage, prompt_seconds=0.0, reply_seconds=0.0), piece.reason)
        if isinstance(piece, Done)
        else piece
        for piece in pieces
    ]
