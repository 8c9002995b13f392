"""A conversation: its messages in the order in which any model accepts them, and its numbered sources."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from msgspec import Meta

from chatbot.conversation.messages import Message
from chatbot.conversation.sources import SourceTable
from chatbot.conversation.turns import INTERRUPTED_MARK, Turn, cut_off, questions_among, split_turns, start_of_turn


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
    def turns(self) -> list[Turn]:
        """The messages as turns, oldest first."""
        return split_turns(self.messages)

    @property
    def questions(self) -> list[str]:
        """All that was asked, as typed, oldest first."""
        return questions_among(self.messages)

    @property
    def covered_count(self) -> int:
        """How many messages the compaction in force stands for."""
        return self.compactions[-1].covers if self.compactions else 0

    @property
    def first_question(self) -> str:
        """What was asked first, as typed; empty before anything was."""
        return next((message.content for message in self.messages if message.is_question), "")

    @property
    def called_tools(self) -> set[str]:
        """The names of all tools that were called."""
        return {call.name for message in self.messages for call in message.tool_calls}

    @property
    def last_turn(self) -> Turn:
        """The turn of the last question; of nothing before anything was asked."""
        start = start_of_turn(self.messages, 1)
        return Turn(start, tuple(self.messages[start:]))

    @property
    def last_answer(self) -> str:
        """The text of the last answer, empty before the first."""
        answers = (message.content for message in reversed(self.messages) if message.is_answer)
        return next((answer for answer in answers if answer and answer != INTERRUPTED_MARK), "")

    def end_turn(self, text: str, thinking: str) -> list[Message]:
        """What ends the turn under way with what had arrived, so that no call is left without a result."""
        return cut_off(self.last_turn.messages, text, thinking)

    def add_messages(self, messages: Iterable[Message]) -> None:
        """Go on with what was said; its sources keep their numbers."""
        for message in messages:
            self.messages.append(message)
            for source in message.sources:
                self.sources.restore_source(source)

    def restore_messages(
        self, messages: Sequence[Message], compactions: Sequence[Compaction], pins: Iterable[int]
    ) -> None:
        """Go on with what was said earlier; its sources keep their numbers."""
        self.clear()
        self.add_messages(messages)
        # What was taken in from a file may speak of messages that there are not.
        self.compactions += [compaction for compaction in compactions if compaction.covers <= len(messages)]
        self.pins.update(pin for pin in pins if pin < len(messages))

    def clear(self) -> None:
        """Begin anew."""
        self.messages.clear()
        self.sources.clear()
        self.compactions.clear()
        self.pins.clear()
