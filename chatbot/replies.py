"""One model call: its prompt is assembled and sent, what arrives becomes events; it knows nothing of tools' work."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from chatbot.context import ContextBudget, Prompt
from chatbot.events import AnswerDelta, AnswerWithdrawn, Notice, ThinkingDelta, TurnEvent
from chatbot.messages import Message, ToolCall
from chatbot.models.base import Call, Done, LanguageModel, Piece, Text, Thinking, Usage
from chatbot.sources import CitationCheck
from tools.base import ToolSchema
from utils.errors import PromptTooLong

# A server that counts a prompt as too long is asked again with a smaller one this often.
RETRIES = 3


@dataclass(frozen=True)
class Sendable:
    """What a call has to say, before any of it gives way to the window."""

    system: Message
    messages: Sequence[Message]
    tools: Sequence[ToolSchema]
    """The tools that the prompt has room for, whether they may be called this time or not."""


@dataclass
class Reply:
    """What has arrived of a model's reply."""

    check: CitationCheck
    numbered_call: Callable[[ToolCall], ToolCall]
    """Gives a call its own number."""
    text: str = ""
    thinking: str = ""
    calls: list[ToolCall] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    truncated: bool = False

    def take(self, piece: Piece) -> list[TurnEvent]:
        """Add a piece; what there is to show of it."""
        match piece:
            case Text(delta):
                shown = self.check.feed(delta)
                self.text += shown
                return [AnswerDelta(shown)] if shown else []
            case Thinking(delta):
                self.thinking += delta
                return [ThinkingDelta(delta)]
            case Call(call):
                self.calls.append(self.numbered_call(call))
            case Done(usage, reason):
                self.usage += usage
                self.truncated = reason == "length"
        return []

    def finish(self) -> list[TurnEvent]:
        """What was still held back, and whether the text turned out to be no answer."""
        events: list[TurnEvent] = []
        if rest := self.check.finish():
            self.text += rest
            events.append(AnswerDelta(rest))
        if self.calls and self.text.strip():
            events.append(AnswerWithdrawn())
        return events


class Replier:
    """Sends prompts that fit; one that the server counts as too long is shrunk and sent again."""

    def __init__(self, budget: ContextBudget) -> None:
        self._budget = budget

    async def stream(
        self, model: LanguageModel, reply: Reply, sendable: Sendable, tools: Sequence[ToolSchema]
    ) -> AsyncGenerator[TurnEvent, None]:
        """Fill `reply`, which may call `tools`; raises a `ModelError` or `QuestionTooLong`."""
        for attempt in range(RETRIES + 1):
            prompt = await self._budget.assemble(sendable.system, sendable.messages, sendable.tools)
            yield prompt.used
            if loss := self._budget.loss(sendable.messages):
                yield Notice(loss, "warning")
            try:
                async with aclosing(_sent(model, reply, prompt, tools)) as events:
                    async for event in events:
                        yield event
                return
            except PromptTooLong as error:
                if attempt == RETRIES:
                    raise
                self._budget.learn(error, prompt.used.used)


async def _sent(
    model: LanguageModel, reply: Reply, prompt: Prompt, tools: Sequence[ToolSchema]
) -> AsyncGenerator[TurnEvent, None]:
    async with aclosing(model.reply(prompt.messages, tools)) as pieces:
        async for piece in pieces:
            for event in reply.take(piece):
                yield event
            if isinstance(piece, Done) and piece.usage.prompt_tokens:
                yield prompt.used.measured(piece.usage.prompt_tokens)
    for event in reply.finish():
        yield event
