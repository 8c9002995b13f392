"""A scripted model that is asked by a probe: it calls tools well, or only says that it would."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chatbot.conversation.messages import Message, ToolCall
from chatbot.models.base import (
    BY_SETTINGS,
    Call,
    Done,
    FilledForm,
    ModelInfo,
    Piece,
    ReplyOptions,
    Text,
    Thinking,
    WordShares,
)
from chatbot.models.probe.checks import MUSEUM, REPORT
from tests.fakes.model import USAGE, ScriptedModel
from tools.base import ToolSchema

CALLED: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "weather in Oslo": [("web_search", {"query": "weather Oslo"})],
    "my own files": [("search_vector_db", {"query": "lease of the flat"})],
    REPORT: [("fetch_url_content", {"url": REPORT})],
    "17 %": [("calculate", {"expression": "2340 * 17 / 100"})],
    "Lisbon": [("web_search", {"query": "weather Lisbon"}), ("web_search", {"query": "weather Riga"})],
    "museum of Halden": [("fetch_url_content", {"url": MUSEUM})],
}
SAID = {
    "7 degrees": "It is 7 degrees in Oslo [1].",
    "no network": "The search did not work.",
    "ferry leave": "It leaves at 7:45 [1].",
    "How many rooms": "It has 58 rooms [3].",
    "room in the hotel cost": "NOT SAID",
    "bridge of Vik": "It is 312 metres long [1].",
    "harbour master": "It is heliotrope [1].",
    "Himmel": "Weil das Licht der Sonne in der Luft gestreut wird.",
    "my cat": "Miso",
    "9.9 or 9.11": "9.9",
    "colour is this square": "Green.",
    "verse": "The sea is wide,\nand so is the tide.",
}
SKILLED = ModelInfo("skilled", "ollama", 8192, can_call_tools=True, can_think=True, can_see=True)


@dataclass
class SkilledModel(ScriptedModel):
    """Does all that a probe asks for."""

    replies: list[Any] = field(default_factory=list)
    info: ModelInfo | None = field(default_factory=lambda: SKILLED)
    asked: list[str] = field(default_factory=list)
    """What it was asked last, question by question."""

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        self.sent.append((tuple(messages), tuple(tool.name for tool in tools)))
        self.asked.append(messages[-1].content)
        yield Thinking("Hm.")
        for piece in self.pieces_for(messages[-1].content, [message.content for message in messages], bool(tools)):
            yield piece
        yield Done(USAGE)

    def pieces_for(self, last: str, said: Sequence[str], tools: bool) -> list[Piece]:
        """What it does about the last message."""
        answer = next((text for words, text in SAID.items() if words in last), "You are welcome.")
        wanted = next((calls for words, calls in CALLED.items() if any(words in one for one in said)), [])
        answers = not tools or any(words in last for words in SAID)
        return [Text(answer)] if answers or not wanted else [Call(ToolCall(*call)) for call in wanted]

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        right = "yes" if "France" in messages[-1].content else "no"
        return WordShares({word: float(word == right) for word in words})

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        return FilledForm({"name": "Ann Berg", "age": 34, "city": "Bergen"})


@dataclass
class TalkingModel(SkilledModel):
    """Speaks of the calls that it should make."""

    def pieces_for(self, last: str, said: Sequence[str], tools: bool) -> list[Piece]:
        pieces = super().pieces_for(last, said, tools)
        called = [piece.call.name for piece in pieces if isinstance(piece, Call)]
        return [Text(f"To find that, I would use the `{called[0]}` function.")] if called else pieces


@dataclass
class WritingModel(SkilledModel):
    """Writes its calls as text."""

    def pieces_for(self, last: str, said: Sequence[str], tools: bool) -> list[Piece]:
        pieces = super().pieces_for(last, said, tools)
        calls = [piece.call for piece in pieces if isinstance(piece, Call)]
        written = "\n".join(f'{{"name": "{call.name}", "arguments": {{"query": "x", "url": "y"}}}}' for call in calls)
        return [Text(written)] if calls else pieces
