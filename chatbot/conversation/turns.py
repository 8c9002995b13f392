"""A conversation as turns: a question, what was called and found, an answer; and what ends one that is cut off."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.conversation.messages import Message, Source, ToolCall

INTERRUPTED_MARK = "(interrupted)"
_CITED_NUMBER = re.compile(r" ?\[(\d+)\]")


@dataclass(frozen=True)
class Turn:
    """One question with what came of it so far."""

    start: int
    """The index of its question among the messages of the conversation."""
    messages: tuple[Message, ...]

    @property
    def question(self) -> Message:
        """What was asked, with its note."""
        return self.messages[0]

    @property
    def calls(self) -> list[ToolCall]:
        """The calls of all its rounds, in order."""
        return [call for message in self.messages for call in message.tool_calls]

    @property
    def first_calls(self) -> list[ToolCall]:
        """Of the calls those that were made at once, before anything was found."""
        return next((list(message.tool_calls) for message in self.messages if message.tool_calls), [])

    @property
    def results(self) -> list[Message]:
        """What the calls brought."""
        return [message for message in self.messages if message.is_result]

    @property
    def answer(self) -> Message | None:
        """The last answer; None as long as there is none."""
        return next((message for message in reversed(self.messages) if message.is_answer), None)

    @property
    def spoken(self) -> list[int]:
        """The indexes, in the conversation, of the question and of what was answered."""
        answers = (index for index, message in enumerate(self.messages) if message.is_answer)
        return [self.start, *(self.start + index for index in answers)]

    @property
    def sources(self) -> list[Source]:
        """The passages that this turn's calls handed out, each once, in their order."""
        return self.first_sources(None)

    def first_sources(self, count: int | None) -> list[Source]:
        """Of each call's passages that many, each once."""
        found = {source.number: source for message in self.results for source in message.sources[:count]}
        return list(found.values())

    @property
    def cited_sources(self) -> list[Source]:
        """The passages, or texts that came with the question, whose numbers stand in the answer: those that say it."""
        numbers = map(int, _CITED_NUMBER.findall(self.answer.content)) if self.answer else ()
        known = {source.number: source for source in [*self.question.sources, *self.sources]}
        return [known[number] for number in dict.fromkeys(numbers) if number in known]

    def without_cited(self, text: str) -> str:
        """A text without the numbers of the passages that the answer cites."""
        numbers = {str(source.number) for source in self.cited_sources}
        return (
            _CITED_NUMBER.sub(lambda match: "" if match[1] in numbers else match[0], text).rstrip() if numbers else text
        )


def split_turns(messages: Sequence[Message]) -> list[Turn]:
    """The turns of a conversation, oldest first; what stands before the first question is left out."""
    starts = [index for index, message in enumerate(messages) if message.is_question]
    ends = [*starts, len(messages)][1:]
    return [Turn(start, tuple(messages[start:end])) for start, end in zip(starts, ends, strict=True)]


def turn_at(messages: Sequence[Message], index: int, end: int) -> Turn:
    """The turn that the message at this index belongs to, up to `end`; looks at no other turn."""
    start = index
    while start and not messages[start].is_question:
        start -= 1
    stop = next((place for place in range(start + 1, end) if messages[place].is_question), end)
    return Turn(start, tuple(messages[start:stop]))


def start_of_turn(messages: Sequence[Message], count: int) -> int:
    """The index at which the last `count` turns begin, 0 where there are fewer; looks at no message before it."""
    for index in range(len(messages) - 1, -1, -1):
        count -= messages[index].is_question
        if not count:
            return index
    return 0


def questions_among(messages: Sequence[Message]) -> list[str]:
    """What was asked in these messages, as typed, oldest first."""
    return [message.content for message in messages if message.is_question]


def has_ended(messages: Sequence[Message]) -> bool:
    """Whether the last of these messages is an answer, so that the turn waits for nothing more."""
    return bool(messages) and messages[-1].is_answer


def cut_off(turn: Sequence[Message], text: str, thinking: str) -> list[Message]:
    """What ends a turn that was cut off: results for its open calls, and what had arrived of its reply."""
    reply = Message("assistant", text or INTERRUPTED_MARK, thinking=thinking, interrupted=True)
    return [*map(unanswered_result, open_calls(turn)), reply]


def open_calls(messages: Sequence[Message]) -> list[ToolCall]:
    """The calls that have no result."""
    answered = {message.call_id for message in messages if message.is_result}
    return [call for message in messages for call in message.tool_calls if call.id not in answered]


def unanswered_result(call: ToolCall) -> Message:
    """The result of a call that was cut off."""
    return Message("tool", "Interrupted before it finished.", tool_name=call.name, call_id=call.id, interrupted=True)
