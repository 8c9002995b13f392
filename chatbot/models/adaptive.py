"""A model served by what it really can: with tools of its own, or in steps where it calls them badly."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import BY_SETTINGS, Call, Done, LanguageModel, ModelInfo, Piece, ReplyOptions
from chatbot.models.pipeline.model import WITHHELD
from chatbot.models.probe.asking import ProbedModel
from chatbot.models.probe.run import look_first
from chatbot.models.state import ModelState
from chatbot.models.text_calls.stream import CallFinder
from chatbot.models.wrapping import WrappingModel
from tools.base import ToolSchema
from utils.errors import ModelError, ToolsUnsupported

Accepts = Callable[[str, dict[str, Any]], bool]


class AdaptiveModel(WrappingModel):
    """A `LanguageModel` around a native one and the same one `stepwise`, which shares it.

    A model that claims tools is believed until a probe says otherwise, it writes a call as text or its server refuses
    tools; that is remembered. A small one is looked at before its first answer. `accepts` says whether a tool takes
    some arguments.
    """

    def __init__(self, native: LanguageModel, stepwise: LanguageModel, accepts: Accepts, state: ModelState) -> None:
        super().__init__(native)
        self._stepwise = stepwise
        self._accepts = accepts
        self._state = state
        self._looking = asyncio.Lock()
        self._looked = False

    async def in_steps(self) -> bool:
        """Whether the model is served in steps."""
        info = await self.model.describe()
        if not info.can_call_tools or await self._state.writes_calls_as_text(info.name):
            return True
        probe = await self._state.probes.find(info.name, info.digest)
        return probe is not None and not probe.native

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
        await self._look_first(messages, tools)
        in_steps = await self._has_steps(messages, tools)
        tools = tools if in_steps or not await self.in_steps() else ()
        for model in [self._stepwise] if in_steps else [self.model, self._stepwise]:
            finder = CallFinder(tools, self._accepts, question_of(messages))
            try:
                async with aclosing(model.reply(messages, tools, options)) as pieces:
                    async for piece in pieces:
                        parts = finder.feed(piece)
                        await self._observe(model, finder.found)
                        if finder.described and model is self.model:
                            parts = await self._make_described(parts, messages, tools)
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
        await self._look_first(messages, tools)
        if not await self.in_steps():
            try:
                await self.model.warm_up(messages, tools)
                return
            except ToolsUnsupported:
                await self._observe(self.model, True)
        await self._stepwise.warm_up(messages, tools)

    async def _has_steps(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> bool:
        """Whether this reply is made in steps: something may be looked up or was, and no picture is to be looked at."""
        if messages and messages[-1].pictures:
            # The steps would look in words for what is before the model's eyes.
            return False
        return await self.in_steps() and (
            bool(tools) or any(message.is_result and message.sources for message in messages)
        )

    async def _look_first(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> None:
        """Find out before its first answer whether a small model calls the tools that it claims; once, ever.

        It is asked with the beginning that its prompts have: what is read for it is not read again.
        """
        if self._looked or not tools:
            return
        async with self._looking:
            if self._looked:
                return
            info = await self.model.describe()
            known = await self._state.probes.find(info.name, info.digest)
            if not (known or info.cites or info.remote or await self.in_steps()):
                beginning = [message for message in messages[:1] if message.role == "system"]
                result = await look_first(ProbedModel(self.model, info, beginning, tools))
                if result is not None:
                    await self._state.note_probe(result)
            self._looked = True

    async def _make_described(
        self, parts: Sequence[Piece], messages: Sequence[Message], tools: Sequence[ToolSchema]
    ) -> list[Piece]:
        """The end of a reply that only speaks of a call, with the calls before it that are made for it in steps.

        A large model is believed to know why it speaks of one.
        """
        if (await self.model.describe()).cites:
            return [*parts]
        await self._observe(self.model, True)
        return [*parts[:-1], *await self._calls_in_steps(messages, tools, parts[-1:])]

    async def _calls_in_steps(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], ended: Sequence[Piece]
    ) -> list[Piece]:
        """What the steps call; nothing where they would answer, for an answer is there already. Then how the reply
        `ended`, with what the steps took.
        """
        calls: list[Piece] = []
        usage = Usage()
        async with aclosing(self._stepwise.reply(messages, tools)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Done):
                    usage = piece.usage
                if not isinstance(piece, Call):
                    break
                calls.append(piece)
        return [*calls, *(replace(one, usage=one.usage + usage) if isinstance(one, Done) else one for one in ended)]

    async def _observe(self, model: LanguageModel, needs_steps: bool) -> None:
        """Remember of the native model that it cannot call tools by itself."""
        if needs_steps and model is self.model:
            await self._state.saw_text_call((await model.describe()).name)


def question_of(messages: Sequence[Message]) -> str:
    """What the user asked last, as typed."""
    return next((message.content for message in reversed(messages) if message.is_question), "")
