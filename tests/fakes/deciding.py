"""A scripted model that is sure of the step to take, under the name of a model that the router knows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.base import FilledForm, ModelInfo, WordShares
from tests.fakes.model import ScriptedModel
from tools.base import ToolSchema


@dataclass
class DecidingModel(ScriptedModel):
    """`words` are what it chooses, whatever it is asked; what it fills in is `filled`."""

    words: tuple[str, ...] = ("answer", "yes")
    filled: Any = field(default_factory=dict)
    warmed: list[str] = field(default_factory=list)
    keeps_beginnings: bool = True

    async def describe(self) -> ModelInfo:
        return ModelInfo("qwen2.5-coder-1.5b", "embedded", self.window, keeps_beginnings=self.keeps_beginnings)

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        weights = {word: 1.0 if word in self.words else 1e-9 for word in words}
        return WordShares({word: weight / sum(weights.values()) for word, weight in weights.items()}, self.side_usage)

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        return FilledForm(self.filled, self.side_usage)

    async def warm_up(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> None:
        self.warmed.append(messages[0].content)


@dataclass
class ReadingModel(DecidingModel):
    """Says yes of passages with the words `holds`, and chooses the line that has `chooses`; else all alike.

    `doubts` is the share of yes for any other passage.
    """

    holds: str = ""
    chooses: str = ""
    doubts: float = 0.01

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        asked = messages[-1].content
        if "yes" in words:
            sure = 0.95 if self.holds in asked else self.doubts
            return WordShares({"yes": sure, "no": 1 - sure})
        having = [line.partition(".")[0] for line in asked.splitlines() if self.chooses and self.chooses in line]
        return WordShares({word: 0.9 if word in having else 0.01 for word in words})
