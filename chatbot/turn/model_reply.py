"""What has arrived of a model's reply, and what there is to show of it."""

from collections.abc import Callable
from dataclasses import dataclass, field

from chatbot.citations.stream import CitationCheck
from chatbot.conversation.events import AnswerDelta, AnswerWithdrawn, Quoted, ThinkingDelta, TurnEvent
from chatbot.conversation.messages import ToolCall
from chatbot.conversation.usage import Usage
from chatbot.models.base import Call, Done, Piece, Quote, ServerCited, Text, Thinking


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
    own_numbers: dict[int, int] = field(default_factory=dict)
    """By the server's numbers of what it found by itself, those of the conversation."""

    def __post_init__(self) -> None:
        self._noted = tuple(self.check.cited), tuple(self.check.unknown), tuple(self.check.unsupported)

    def forget_arrived(self) -> None:
        """Forget what had arrived, for it does not count."""
        self.text = self.thinking = ""
        self.calls.clear()
        self.own_numbers.clear()
        self.check.rewind(*self._noted)

    async def take_piece(self, piece: Piece) -> list[TurnEvent]:
        """Add a piece; what there is to show of it."""
        match piece:
            case Text(delta):
                return await self._take_text(delta)
            case ServerCited(numbers):
                own = dict.fromkeys(self.own_numbers[number] for number in numbers if number in self.own_numbers)
                return await self._take_text("".join(f"[{number}]" for number in own))
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

    async def _take_text(self, delta: str) -> list[TurnEvent]:
        shown = await self.check.feed(delta)
        self.text += shown
        return [AnswerDelta(shown)] if shown else []

    async def finish_reply(self) -> list[TurnEvent]:
        """What was still held back, and whether the text turned out to be no answer."""
        events: list[TurnEvent] = []
        if rest := await self.check.finish():
            self.text += rest
            events.append(AnswerDelta(rest))
        if self.calls and self.text.strip():
            events.append(AnswerWithdrawn())
        return events
