"""A third backend of models, as whoever adds one would write it: settings, what does the work, the line in the list."""

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.models.base import LanguageModel, ModelInfo
from chatbot.models.provider import ModelBackend, ModelEntry, ModelProvider
from tests.fakes.model import ScriptedModel, calls, says
from utils.settings import Name


@dataclass(frozen=True, kw_only=True)
class ParrotSettings:
    """A bird."""

    word: Name = "Hello"
    """What it says."""
    asleep: bool = False
    """It cannot serve then."""


class ParrotProvider(ModelProvider):
    """Two birds that look something up, then say their word."""

    async def find_obstacle(self) -> str:
        return "The parrot is asleep." if self.settings.asleep else ""

    async def list_models(self) -> Sequence[ModelEntry]:
        return [ModelEntry("parrot:polly", "parrot", tools=True), ModelEntry("parrot:coco", "parrot", size=10**9)]

    def open(self, name: str) -> LanguageModel:
        replies = [calls(("calculate", {"expression": "6 * 7"})), says(f"{self.settings.word} from {name}.")]
        return ScriptedModel(
            [*replies, *replies], info=ModelInfo(name, "parrot", 8192, can_call_tools=True, cites=True)
        )


PARROT = ModelBackend("parrot", ParrotSettings, lambda: ParrotProvider)
