"""A conversation: its messages in the order in which any model accepts them, and its numbered sources."""

from dataclasses import dataclass, field

from chatbot.messages import Message, ToolCall
from chatbot.sources import SourceTable

INTERRUPTED = "(interrupted)"


@dataclass
class Conversation:
    """Messages of all turns; each turn begins with the user's and ends with the assistant's."""

    messages: list[Message] = field(default_factory=list)
    sources: SourceTable = field(default_factory=SourceTable)

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
    def last_answer(self) -> str:
        """The text of the last answer, empty before the first."""
        answers = (m.content for m in reversed(self.messages) if m.role == "assistant" and not m.tool_calls)
        return next((answer for answer in answers if answer and answer != INTERRUPTED), "")

    def interrupt(self, text: str, thinking: str) -> None:
        """End the turn under way with what had arrived, so that no call is left without a result."""
        answered = {message.call_id for message in self.messages if message.role == "tool"}
        for call in [call for message in self.messages for call in message.tool_calls]:
            if call.id not in answered:
                self.messages.append(unanswered(call))
        self.messages.append(Message("assistant", text or INTERRUPTED, thinking=thinking, interrupted=True))

    def clear(self) -> None:
        """Begin anew."""
        self.messages.clear()
        self.sources.clear()


def unanswered(call: ToolCall) -> Message:
    """The result of a call that was cut off."""
    return Message("tool", "Interrupted before it finished.", tool_name=call.name, call_id=call.id, interrupted=True)
