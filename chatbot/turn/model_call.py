"""One model call: its prompt is assembled and sent, what arrives becomes events; it knows nothing of tools' work."""

from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from chatbot.conversation.events import (
    AnswerDelta,
    AnswerWithdrawn,
    Notice,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
)
from chatbot.conversation.messages import Message, ToolCall
from chatbot.models.base import Done, LanguageModel, Piece, ServerFound
from chatbot.turn.cut_prompt import send_until_whole, withdraw_reply
from chatbot.turn.model_reply import ModelReply
from chatbot.turn.ports import Recorder
from chatbot.window.assemble import PromptAssembler
from chatbot.window.context import AssembledPrompt, Sendable
from chatbot.window.shrinking import numbered_passage
from tools.base import ToolSchema
from utils.errors import PromptTooLong

SERVER_SEARCH = "web_search"
"""The tool in whose name a search is kept that the server of a model made by itself."""
SEARCHED_BY_SERVER = "{host} searched the web by itself. These are its results as it tells them; none was opened here."


@dataclass
class _Call:
    """What a model is asked, however often it is sent."""

    model: LanguageModel
    reply: ModelReply
    sendable: Sendable
    tools: Sequence[ToolSchema]
    whole: bool = False
    """Whether the reply has arrived to its end."""


class ModelCall:
    """Sends prompts that fit; one that the server counts as too long, or cuts, is shrunk and sent again."""

    def __init__(self, assembler: PromptAssembler, recorder: Recorder | None = None) -> None:
        self._assembler = assembler
        self._budget = assembler.budget
        self._recorder = recorder

    def steps(
        self, model: LanguageModel, reply: ModelReply, sendable: Sendable, tools: Sequence[ToolSchema]
    ) -> Iterator[AsyncGenerator[TurnEvent, None]]:
        """Fill `reply`, which may call `tools`, step by step; a step raises a `ModelError` or `QuestionTooLong`."""
        call = _Call(model, reply, sendable, tools)
        return send_until_whole(
            lambda: self._assembler.make_fit(sendable), lambda again: self._send(call, again), lambda: call.whole
        )

    async def _send(self, call: _Call, again: bool) -> AsyncGenerator[TurnEvent, None]:
        prompt, reply = await self._assembler.assemble(call.sendable), call.reply
        reply.check.trust_numbers((await call.model.describe()).in_steps)
        for event in self._window_news(call.sendable, prompt):
            yield event
        try:
            async with aclosing(call.model.reply(prompt.messages, call.tools)) as pieces:
                async for piece in pieces:
                    for event in await self._taken(call, prompt, piece):
                        yield event
            for event in await self._drafted(reply, await reply.finish_reply()):
                yield event
            call.whole = True
        except PromptTooLong as error:
            for event in await self._drafted(reply, withdraw_reply(reply, error)):
                yield event
            if not again:
                raise
            await self._budget.learn_excess(call.sendable, prompt, error)

    def _window_news(self, sendable: Sendable, prompt: AssembledPrompt) -> list[TurnEvent]:
        loss = self._budget.tell_loss(sendable.conversation)
        return [prompt.used, Notice(loss, "warning")] if loss else [prompt.used]

    async def _taken(self, call: _Call, prompt: AssembledPrompt, piece: Piece) -> list[TurnEvent]:
        """Add a piece to the reply; what there is to show of it."""
        if isinstance(piece, ServerFound):
            return await self._keep_found(call, piece)
        events = await self._drafted(call.reply, await call.reply.take_piece(piece))
        if isinstance(piece, Done) and piece.as_given and piece.usage.prompt_tokens:
            await self._budget.learn_count(replace(call.sendable, tools=call.tools), prompt, piece)
            events.append(prompt.used.with_measured_total(piece.usage.prompt_tokens, piece.usage.cached_tokens))
        return events

    async def _keep_found(self, call: _Call, found: ServerFound) -> list[TurnEvent]:
        """Number what the server has found by itself, and keep it as a search that was called; nothing was opened."""
        conversation = call.sendable.conversation
        # Whoever is served in steps has looked at what was found here, and at none of this.
        call.reply.check.trust_numbers(False)
        numbered = {number: conversation.sources.add_passage(one) for number, one in found.passages.items()}
        call.reply.own_numbers |= {number: source.number for number, source in numbered.items()}
        made = call.reply.numbered_call(ToolCall(SERVER_SEARCH, {"query": conversation.questions[-1]}))
        made = replace(made, shown=f"search by {found.host}")
        sources = tuple({source.number: source for source in numbered.values()}.values())
        text = "\n\n".join([SEARCHED_BY_SERVER.format(host=found.host), *map(numbered_passage, sources)])
        said = Message("tool", text, tool_name=made.name, call_id=made.id, sources=sources)
        messages = (Message("assistant", "", tool_calls=(made,)), said)
        conversation.messages += messages
        if self._recorder:
            await self._recorder.add(*messages)
        return [ToolStarted(made), ToolFinished(made, True, text, 0.0, sources)]

    async def _drafted(self, reply: ModelReply, events: list[TurnEvent]) -> list[TurnEvent]:
        """Have written down how far a reply is, if these events tell something new of it."""
        if self._recorder and any(isinstance(event, AnswerDelta | ThinkingDelta | AnswerWithdrawn) for event in events):
            await self._recorder.draft(reply.text, reply.thinking)
        return events
