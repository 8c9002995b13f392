"""One model call: its prompt is assembled and sent, what arrives becomes events; it knows nothing of tools' work."""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from chatbot.citations.stream import CitationCheck
from chatbot.conversation.events import AnswerDelta, AnswerWithdrawn, Notice, Quoted, ThinkingDelta, TurnEvent
from chatbot.conversation.messages import ToolCall
from chatbot.conversation.usage import Usage
from chatbot.models.base import Call, Done, LanguageModel, Piece, Quote, Text, Thinking
from chatbot.turn.ports import Recorder
from chatbot.window.assemble import PromptAssembler
from chatbot.window.context import AssembledPrompt, Sendable
from tools.base import ToolSchema
from utils.errors import PromptCut, PromptTooLong

# A server that counts a prompt as too long is asked again with a smaller one this often.
RETRIES = 3
AGAIN = "What it answered to that does not count; it is asked again with less."


@dataclass
class ModelReply:
    """What has arrived of a model's reply."""

    check: CitationCheck
    numbered_call: Callable[[ToolCall], ToolCall]
    """Gives a call its own number."""
    text: str = ""
    thinking: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    truncated: bool = False

    def __post_init__(self) -> None:
        self._noted = tuple(self.check.cited), tuple(self.check.unknown), tuple(self.check.unsupported)

    def forget_arrived(self) -> None:
        """Forget what had arrived, for it does not count."""
        self.text = self.thinking = ""
        self.calls.clear()
        self.check.rewind(*self._noted)

    async def take_piece(self, piece: Piece) -> list[TurnEvent]:
        """Add a piece; what there is to show of it."""
        match piece:
            case Text(delta):
                shown = await self.check.feed(delta)
                self.text += shown
                return [AnswerDelta(shown)] if shown else []
            case Thinking(delta):
                self.thinking += delta
                return [ThinkingDelta(delta)]
            case Quote(number, sentence):
                source = self.check.find_source(number)
                return [Quoted(source, sentence)] if source else []
            case Call(call):
                self.calls.append(self.numbered_call(call))
            case Done(usage, reason):
                self.usage += usage
                self.truncated = reason == "length"
        return []

    async def finish_reply(self) -> list[TurnEvent]:
        """What was still held back, and whether the text turned out to be no answer."""
        events: list[TurnEvent] = []
        if rest := await self.check.finish():
            self.text += rest
            events.append(AnswerDelta(rest))
        if self.calls and self.text.strip():
            events.append(AnswerWithdrawn())
        return events


@dataclass
class _Attempt:
    """One time that a model is asked."""

    model: LanguageModel
    reply: ModelReply
    sendable: Sendable
    tools: Sequence[ToolSchema]
    again: bool
    """Whether it may be asked once more with less."""
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
        for left in reversed(range(RETRIES + 1)):
            attempt = _Attempt(model, reply, sendable, tools, again=left > 0)
            yield self._assembler.make_fit(sendable)
            yield self._send(attempt)
            if attempt.whole:
                return

    async def _send(self, attempt: _Attempt) -> AsyncGenerator[TurnEvent, None]:
        prompt, reply = await self._assembler.assemble(attempt.sendable), attempt.reply
        reply.check.trust_numbers((await attempt.model.describe()).in_steps)
        for event in self._window_news(attempt.sendable, prompt):
            yield event
        try:
            async with aclosing(attempt.model.reply(prompt.messages, attempt.tools)) as pieces:
                async for piece in pieces:
                    for event in await self._taken(attempt, prompt, piece):
                        yield event
            for event in await self._drafted(reply, await reply.finish_reply()):
                yield event
            attempt.whole = True
        except PromptTooLong as error:
            for event in await self._drafted(reply, withdraw_reply(reply, error)):
                yield event
            if not attempt.again:
                raise
            await self._budget.learn_excess(attempt.sendable, prompt, error)

    def _window_news(self, sendable: Sendable, prompt: AssembledPrompt) -> list[TurnEvent]:
        loss = self._budget.tell_loss(sendable.conversation)
        return [prompt.used, Notice(loss, "warning")] if loss else [prompt.used]

    async def _taken(self, attempt: _Attempt, prompt: AssembledPrompt, piece: Piece) -> list[TurnEvent]:
        """Add a piece to the reply; what there is to show of it."""
        events = await self._drafted(attempt.reply, await attempt.reply.take_piece(piece))
        if isinstance(piece, Done) and piece.usage.prompt_tokens:
            await self._budget.learn_count(replace(attempt.sendable, tools=attempt.tools), prompt, piece)
            events.append(prompt.used.with_measured_total(piece.usage.prompt_tokens, piece.usage.cached_tokens))
        return events

    async def _drafted(self, reply: ModelReply, events: list[TurnEvent]) -> list[TurnEvent]:
        """Have written down how far a reply is, if these events tell something new of it."""
        if self._recorder and any(isinstance(event, AnswerDelta | ThinkingDelta | AnswerWithdrawn) for event in events):
            await self._recorder.draft(reply.text, reply.thinking)
        return events


def withdraw_reply(reply: ModelReply, error: PromptTooLong) -> list[TurnEvent]:
    """Forget a reply to a prompt that was not read whole, and say so to whoever has seen it."""
    reply.forget_arrived()
    return [AnswerWithdrawn(), Notice(f"{error.problem} {AGAIN}", "warning")] if isinstance(error, PromptCut) else []
