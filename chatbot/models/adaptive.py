"""A model served by what it really can: with tools of its own, or in steps once it was seen to call them badly."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.base import BY_SETTINGS, LanguageModel, ModelInfo, Piece, ReplyOptions
from chatbot.models.pipeline.model import WITHHELD
from chatbot.models.state import ModelState
from chatbot.models.text_calls.stream import CallFinder
from chatbot.models.wrapping import WrappingModel
from tools.base import ToolSchema
from utils.errors import ModelError, ToolsUnsupported

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
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        """Stream a reply; calls written as text come out as calls, whoever wrote them."""
        in_steps = await self.in_steps() and (bool(tools) or any(message.sources for message in messages))
        for model in [self._stepwise] if in_steps else [self.model, self._stepwise]:
            finder = CallFinder(tools, self._accepts, question_of(messages))
            try:
                async with aclosing(model.reply(messages, tools, options)) as pieces:
                    async for piece in pieces:
                        parts = finder.feed(piece)
                        await self._observe(model, finder.found)
                        for part in parts:
                            yield part
                return
            except ModelError as error:
                for part in finder.rest():
                    yield part
                if model is self._stepwise or not isinstance(error, ToolsUnsupported):
                    raise
                await self._observe(model, True)

    async def warm_up(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> None:
        """Have the beginning read that the next reply will need."""
        if not await self.in_steps():
            try:
                await self.model.warm_up(messages, tools)
                return
            except ToolsUnsupported:
                await self._observe(self.model, True)
        await self._stepwise.warm_up(messages, tools)

    async def _observe(self, model: LanguageModel, needs_steps: bool) -> None:
        """Remember of the native model that it cannot call tools by itself."""
        if needs_steps and model is self.model:
            await self._state.saw_text_call((await model.describe()).name)


def question_of(messages: Sequence[Message]) -> str:
    """What the user asked last, as typed."""
    return next((message.content for message in reversed(messages) if message.is_question), "")
