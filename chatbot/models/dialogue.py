"""The messages of a chat read as turns: a question, what was called and found, an answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from chatbot.messages import Message, Source, ToolCall

# A scheme or www, or a host whose last label is letters; one slash or none may follow.
ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>\"'`{}|\\^]+"
    r"|(?<![\w@./-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,24}(?![\w@.-])(?:[:/?#][^\s<>\"'`{}|\\^]*)?",
    re.IGNORECASE,
)
_CITED = re.compile(r"(?: \[\d+\])+\s*$")


@dataclass
class Turn:
    """One question with what came of it so far."""

    question: Message
    calls: list[ToolCall] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)
    answer: Message | None = None

    @property
    def sources(self) -> list[Source]:
        """The passages that this turn's calls handed out, each once, in their order."""
        return self.first_sources(None)

    def first_sources(self, count: int | None) -> list[Source]:
        """Of each call's passages that many, each once."""
        found = {source.number: source for message in self.results for source in message.sources[:count]}
        return list(found.values())

    @property
    def cited(self) -> list[Source]:
        """The passages whose numbers stand at the end of the answer: those it was written from."""
        match = _CITED.search(self.answer.content) if self.answer else None
        numbers = [int(number) for number in re.findall(r"\d+", match[0])] if match else []
        known = {source.number: source for source in self.sources}
        return [known[number] for number in numbers if number in known]

    @property
    def answer_text(self) -> str:
        """The answer as the model wrote it, without the numbers that were put behind it."""
        text = self.answer.content if self.answer else ""
        return _CITED.sub("", text) if self.cited else text


def read_turns(messages: Sequence[Message]) -> list[Turn]:
    """The turns of a chat, oldest first; what stands before the first question is left out."""
    turns: list[Turn] = []
    for message in messages:
        if message.role == "user":
            turns.append(Turn(message))
        elif not turns or message.role == "system":
            continue
        elif message.role == "tool":
            turns[-1].results.append(message)
        elif message.tool_calls:
            turns[-1].calls += message.tool_calls
        else:
            turns[-1].answer = message
    return turns


def addresses_in(text: str) -> list[str]:
    """The web addresses of a text, without what ends the sentence that they stand in."""
    return [match.rstrip(".,;:!?)]") for match in ADDRESS.findall(text)]


def addresses(turns: Sequence[Turn]) -> list[str]:
    """The web addresses that a chat holds, the latest turn's first: of its texts, then of its passages."""
    found: list[str] = []
    for turn in reversed(turns):
        texts = [turn.question.content, turn.answer.content if turn.answer else ""]
        found += [address for text in texts for address in addresses_in(text)]
        found += [s.passage.source for s in turn.sources if s.passage.source.startswith(("http://", "https://"))]
    return list(dict.fromkeys(found))
