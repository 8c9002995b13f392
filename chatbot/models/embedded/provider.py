"""The models that Magpie runs itself: those whose weights it knows, and a file of the user's."""

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from chatbot.models.base import LanguageModel
from chatbot.models.embedded.gguf_files import KNOWN
from chatbot.models.embedded.model import EmbeddedModel
from chatbot.models.embedded.settings import EmbeddedSettings, Size
from chatbot.models.provider import ModelEntry, ModelProvider

PREFIX = "embedded:"
GOOD_FOR = {"embedded:1.5b": "for short questions", "embedded:0.5b": "for the simplest questions"}


class EmbeddedProvider(ModelProvider):
    """The weights that can be run here; they are located, or fetched, when a model first replies."""

    async def find_obstacle(self) -> str:
        """None: the engine is installed with Magpie, and weights that are missing are said by who looks for them."""
        return ""

    async def list_models(self) -> Sequence[ModelEntry]:
        """The known weights, smallest first."""
        return tuple(ModelEntry(f"{PREFIX}{size}", "embedded", weights.size) for size, weights in KNOWN.items())

    async def find_model(self, name: str) -> str:
        """`embedded` alone is the model that the settings name."""
        own = self._own_name()
        return own if name in ("embedded", own) else await super().find_model(name)

    async def pick_model(self) -> str:
        """The model that the settings name."""
        return self._own_name()

    def open(self, name: str) -> LanguageModel:
        """The model of a full name; nothing is started yet."""
        around = self.around
        return EmbeddedModel(self.settings_of(name), self.generation, around.data_dir, around.progress, around.reach)

    async def tell_ability(self, name: str, model: LanguageModel) -> str:
        """Known of the weights that Magpie knows; the model itself would have to be loaded."""
        return GOOD_FOR.get(name, "")

    def settings_of(self, name: str) -> EmbeddedSettings:
        """The settings by which the model of a full name is run."""
        own: EmbeddedSettings = self.settings
        if name == self._own_name():
            return own
        return replace(own, size=cast(Size, name.removeprefix(PREFIX)), model_path=None)

    def _own_name(self) -> str:
        own: EmbeddedSettings = self.settings
        return f"{PREFIX}{own.model_path.name if own.model_path else own.size}"
