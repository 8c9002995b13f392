"""A model served by what it really can: with tools of its own, or in steps once it was seen to call them badly."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from chatbot.conversation.messages import Message, ToolCall
from chatbot.models.base import Call, LanguageModel, ModelInfo, Piece
from chatbot.models.pipeline.model import WITHHELD
from chatbot.models.state import ModelState
from chatbot.models.text_calls.stream import with_text_calls
from chatbot.models.wrapping import WrappingModel
from tools.base import ToolSchema
from utils.errors import ToolsUnsupported

Accepts = Callable[[str, dict[str, Any]], bool]


class AdaptiveModel(WrappingModel):
    """A `LanguageModel` around a native one and the same one `stepwise`, which shares it.

    A model that claims tools is believed until it writes a call as text or its server refuses tools; that is
    remembered under its name. `accepts` says whether a tool takes some arguments.
    """

    def __init__(self, native: LanguageModel, stepwise: LanguageModel, accepts: Accepts, state: ModelState) -> None:
        super().__init__(native)
        self._stepwise = stepwise
        self._accepts = accepts
        self._state = state

    async def in_steps(self) -> bool:
        """Whether the model is served in steps."""
        info = await self.model.describe()
        return not info.can_call_tools or await self._state.writes_calls_as_text(info.name)

    async def describe(self) -> ModelInfo:
        """What the model says of itself; in steps it calls no tools itself and is spared writing source numbers."""
        info = await self.model.describe()
        in_steps = await self.in_steps()
        stepwise = replace(info, can_call_tools=False, cites=False, in_steps=True, withheld=WITHHELD)
        return stepwise if in_steps else info

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        *,
        max_tokens: int = 0,
        temperature: float | None = None,
    ) -> AsyncGenerator[Piece, None]:
        """Stream a reply; calls written as text come out as calls, whoever wrote them."""
        stepwise = await self.in_steps() and (bool(tools) or any(message.sources for message in messages))
        if not stepwise:
            try:
                async with aclosing(self._native_reply(messages, tools, max_tokens, temperature)) as pieces:
                    async for piece in pieces:
                        yield piece
                return
            except ToolsUnsupported:
                await self._remember()
        question = question_of(messages)
        async with (
            aclosing(self._stepwise.reply(messages, tools, max_tokens=max_tokens, temperature=temperature)) as steps,
            aclosing(with_text_calls(steps, tools, self._accepts, question)) as pieces,
        ):
            async for piece in pieces:
                yield piece

    async def _native_reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema],
        max_tokens: int,
        temperature: float | None,
    ) -> AsyncGenerator[Piece, None]:
        real: list[ToolCall] = []

        async def noted(pieces: AsyncIterator[Piece]) -> AsyncGenerator[Piece, None]:
            async for piece in pieces:
                if isinstance(piece, Call):
                    real.append(piece.call)
                yield piece

        async with (
            aclosing(self.model.reply(messages, tools, max_tokens=max_tokens, temperature=temperature)) as reply,
            aclosing(with_text_calls(noted(reply), tools, self._accepts, question_of(messages))) as pieces,
        ):
            async for piece in pieces:
                if isinstance(piece, Call) and not any(piece.call is call for call in real):
                    await self._remember()
                yield piece

    async def warm_up(self, messages: Sequence[Message]) -> None:
        """Have the beginning read that the next reply will need."""
        await (self._stepwise if await self.in_steps() else self.model).warm_up(messages)

    async def _remember(self) -> None:
        await self._state.saw_text_call((await self.model.describe()).name)


def question_of(messages: Sequence[Message]) -> str:
    """What the user asked last, as typed."""
    return next((message.content for message in reversed(messages) if message.role == "user"), "")
