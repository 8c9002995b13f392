"""A language model that says what a test tells it to, and remembers what it was sent."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.usage import Usage
from chatbot.models.base import BY_SETTINGS, Call, Done, FilledForm, ModelInfo, Piece, ReplyOptions, Text, WordShares
from tools.base import ToolSchema

USAGE = Usage(prompt_tokens=10, cached_tokens=4, reply_tokens=2)


def says(*deltas: str) -> list[Piece | BaseException]:
    """A reply of text."""
    return [*map(Text, deltas), Done(USAGE)]


def calls(*wanted: tuple[str, dict[str, Any]], text: str = "") -> list[Piece | BaseException]:
    """A reply of tool calls."""
    return [*([Text(text)] if text else []), *(Call(ToolCall(*call)) for call in wanted), Done(USAGE)]


@dataclass
class ScriptedModel:
    """Gives its replies one after the other; an exception among the pieces is raised there, None waits for ever.

    What it is to fill in comes from `filled` in the same way, and is empty when that has no more.
    """

    replies: list[Sequence[Piece | BaseException | None]]
    window: int = 4096
    sent: list[tuple[tuple[Message, ...], tuple[str, ...]]] = field(default_factory=list)
    info: ModelInfo | None = None
    filled: list[dict[str, Any] | BaseException | None] = field(default_factory=list)
    manners: list[tuple[int, float]] = field(default_factory=list)
    """Tokens and temperature of the requests that named a temperature of their own."""
    warmed_up: list[tuple[tuple[Message, ...], tuple[str, ...]]] = field(default_factory=list)
    """The beginnings that it was to read, with the names of their tools."""
    warming_fails: BaseException | None = None
    side_usage: Usage = field(default_factory=Usage)
    """What it says that a form or a choice of words took."""

    async def describe(self) -> ModelInfo:
        return self.info or ModelInfo("scripted", "embedded", self.window, can_call_tools=True, cites=True)

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        self.sent.append((tuple(messages), tuple(tool.name for tool in tools)))
        self.manners += [] if options.temperature is None else [(options.max_tokens, options.temperature)]
        for piece in self.replies.pop(0):
            if piece is None:
                await asyncio.Event().wait()
            elif isinstance(piece, BaseException):
                raise piece
            else:
                yield piece

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        return WordShares({word: 1 / len(words) for word in words}, self.side_usage)

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        said = self.filled.pop(0) if self.filled else {}
        if isinstance(said, BaseException):
            raise said
        if said is None:
            await asyncio.Event().wait()
        return FilledForm(said or {}, self.side_usage)

    async def count_tokens(self, text: str) -> int:
        return len(text.split())

    async def warm_up(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> None:
        self.warmed_up.append((tuple(messages), tuple(tool.name for tool in tools)))
        if self.warming_fails:
            raise self.warming_fails

    async def close(self) -> None:
        return None
