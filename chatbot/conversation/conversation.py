"""A conversation: its messages in the order in which any model accepts them, and its numbered sources."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta

from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.sources import SourceTable

INTERRUPTED = "(interrupted)"


@dataclass(frozen=True)
class Compaction:
    """A summary that is sent in the place of the first messages of a conversation, which keeps them all the same."""

    summary: str
    covers: Annotated[int, Meta(ge=0)]
    """How many messages it stands for, counted from the first one."""
    tokens_before: int
    tokens_after: int
    """Tokens of the whole prompt."""
    origin: str = ""
    """Where it comes from if it was not made here."""


@dataclass
class Conversation:
    """Messages of all turns; each turn begins with the user's and ends with the assistant's."""

    messages: list[Message] = field(default_factory=list)
    sources: SourceTable = field(default_factory=SourceTable)
    compactions: list[Compaction] = field(default_factory=list)
    """The last one is in force; each stands for all that the one before it stood for, and more."""
    pins: set[int] = field(default_factory=set)
    """Indexes of messages that are sent word for word whatever is compacted."""

    @property
    def turns(self) -> list[list[Message]]:
        """The messages, a list for each turn."""
        turns: list[list[Message]] = []
        for message in self.messages:
            if message.role == "user":
                turns.append([])
            turns[-1].append(message)
        return turns

    @property
    def covered(self) -> int:
        """How many messages the compaction in force stands for."""
        return self.compactions[-1].covers if self.compactions else 0

    @property
    def first_question(self) -> str:
        """What was asked first, as typed; empty before anything was."""
        return next((message.content for message in self.messages if message.role == "user"), "")

    @property
    def called(self) -> set[str]:
        """The names of all tools that were called."""
        return {call.name for message in self.messages for call in message.tool_calls}

    @property
    def last_turn(self) -> list[Message]:
        """The messages from the last question on."""
        return self.messages[start_of_turn(self.messages, 1) :]

    @property
    def last_answer(self) -> str:
        """The text of the last answer, empty before the first."""
        answers = (m.content for m in reversed(self.messages) if m.role == "assistant" and not m.tool_calls)
        return next((answer for answer in answers if answer and answer != INTERRUPTED), "")

    def ending(self, text: str, thinking: str) -> list[Message]:
        """What ends the turn under way with what had arrived, so that no call is left without a result."""
        return cut_off(self.last_turn, text, thinking)

    def restore(self, messages: Sequence[Message], compactions: Sequence[Compaction], pins: Iterable[int]) -> None:
        """Go on with what was said earlier; its sources keep their numbers."""
        self.clear()
        self.messages += messages
        # What was taken in from a file may speak of messages that there are not.
        self.compactions += [compaction for compaction in compactions if compaction.covers <= len(messages)]
        self.pins.update(pin for pin in pins if pin < len(messages))
        for message in messages:
            for source in message.sources:
                self.sources.restore(source)

    def clear(self) -> None:
        """Begin anew."""
        self.messages.clear()
        self.sources.clear()
        self.compactions.clear()
        self.pins.clear()


def cut_off(turn: Sequence[Message], text: str, thinking: str) -> list[Message]:
    """What ends a turn that was cut off: results for its open calls, and what had arrived of its reply."""
    reply = Message("assistant", text or INTERRUPTED, thinking=thinking, interrupted=True)
    return [*map(unanswered, open_calls(turn)), reply]


def open_calls(messages: Sequence[Message]) -> list[ToolCall]:
    """The calls that have no result."""
    answered = {message.call_id for message in messages if message.role == "tool"}
    return [call for message in messages for call in message.tool_calls if call.id not in answered]


def unanswered(call: ToolCall) -> Message:
    """The result of a call that was cut off."""
    return Message("tool", "Interrupted before it finished.", tool_name=call.name, call_id=call.id, interrupted=True)


def start_of_turn(messages: Sequence[Message], count: int) -> int:
    """The index at which the last `count` turns begin, 0 where there are fewer; looks at no message before it."""
    for index in range(len(messages) - 1, -1, -1):
        count -= messages[index].role == "user"
        if not count:
            return index
    return 0
