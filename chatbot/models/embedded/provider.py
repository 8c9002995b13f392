"""The models that Magpie runs itself: those whose weights it knows, and a file of the user's."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from chatbot.conversation.events import Progress
from chatbot.models.base import LanguageModel, meant_name
from chatbot.models.embedded.catalogue import KNOWN
from chatbot.models.embedded.gguf_files import has_weights, obtain_weights, weights_identity
from chatbot.models.embedded.model import EmbeddedModel
from chatbot.models.embedded.settings import EmbeddedSettings, Size
from chatbot.models.provider import FetchableModel, ModelEntry, ModelProvider, not_found
from chatbot.models.wrapping import AliasedModel
from utils.files import expand_home
from utils.network.model_hub import Hub
from utils.platform import available_memory

PREFIX = "embedded:"
LARGER = "/pull lists larger models that run without Ollama"


class EmbeddedProvider(ModelProvider):
    """The weights that can be run here; they are located, or fetched, when a model first replies."""

    async def find_obstacle(self) -> str:
        """None: the engine is installed with Magpie, and weights that are missing are said by who looks for them."""
        return ""

    async def list_models(self) -> Sequence[ModelEntry]:
        """The user's file, then the weights that packages bring and those that were fetched, smallest first."""
        known = [
            ModelEntry(f"{PREFIX}{name}", "embedded", KNOWN[name].size, tools=KNOWN[name].calls_tools)
            for name in self._known_here()
        ]
        return (*await self._list_own(), *known)

    async def list_fetchable(self) -> Sequence[FetchableModel]:
        """The weights that are not here, smallest first."""
        room = available_memory()
        return tuple(
            FetchableModel(f"{PREFIX}{name}", one.size, one.memory, one.licence, room is None or one.memory <= room)
            for name, one in KNOWN.items()
            if not (one.is_packaged or has_weights(one, self._folder))
        )

    async def find_model(self, name: str) -> str:
        """`embedded` alone is the model that the settings name; its file has its name and, where no other model goes by
        that, what is shown of it.
        """
        own = self._own_name()
        here = (f"{PREFIX}{known}" for known in self._known_here())
        return own if name == "embedded" else meant_name(name, (own, *here))

    async def pick_model(self) -> str:
        """The model that the settings name."""
        return self._own_name()

    def open(self, name: str) -> LanguageModel:
        """The model of a full name; nothing is started yet."""
        around = self.around
        model = EmbeddedModel(self.settings_of(name), self.generation, around.data_dir, around.progress, around.reach)
        self.opened.add(model)
        # Weights are called by their file; the user, the settings and the accounts know them by this.
        return AliasedModel(model, name, 0)

    async def tell_ability(self, name: str, model: LanguageModel) -> str:
        """Known of the weights that Magpie knows; the model itself would have to be loaded."""
        weights = KNOWN.get(name.removeprefix(PREFIX))
        return weights.good_for if weights else ""

    async def tell_larger(self, name: str) -> str:
        """That /pull lists larger ones, of those that packages bring."""
        weights = KNOWN.get(name.removeprefix(PREFIX))
        return LARGER if weights and weights.is_packaged and await self.list_fetchable() else ""

    async def pull(self, name: str) -> AsyncGenerator[Progress, None]:
        """Fetch weights from the hub, going on where an earlier try stopped; they are checked by their SHA-256."""
        weights = KNOWN.get(name.removeprefix(PREFIX))
        if weights is None:
            raise not_found(name, [f"{PREFIX}{known}" for known in KNOWN])
        steps: asyncio.Queue[Progress | None] = asyncio.Queue()

        def note_step(label: str, done: int, total: int) -> None:
            steps.put_nowait(Progress(label, min(done, total - 1), total))

        fetching = asyncio.create_task(obtain_weights(weights, self._folder, note_step, Hub(self.around.reach)))
        fetching.add_done_callback(lambda task: steps.put_nowait(None))
        try:
            last = Progress(name, 0, weights.size)
            while (step := await steps.get()) is not None:
                if step.label != last.label or 100 * step.done // step.total > 100 * last.done // last.total:
                    yield step
                    last = step
            await fetching
            yield replace(last, done=last.total)
        finally:
            fetching.cancel()
            await asyncio.wait({fetching})

    def tell_fetching(self, name: str) -> str:
        """How large it is, and by what it is fetched."""
        weights = KNOWN.get(name.removeprefix(PREFIX))
        return f"/pull {name} fetches it ({weights.size / 1e9:.1f} GB)." if weights else ""

    def settings_of(self, name: str) -> EmbeddedSettings:
        """The settings by which the model of a full name is run."""
        own: EmbeddedSettings = self.settings
        if name == self._own_name():
            return own
        return replace(own, size=cast(Size, name.removeprefix(PREFIX)), model_path=None)

    async def _list_own(self) -> Sequence[ModelEntry]:
        """The user's file, where one is named and there; that it calls tools is said once it was found to do so well.

        Its template could only be asked by loading it.
        """
        own: EmbeddedSettings = self.settings
        path = own.model_path and expand_home(own.model_path).resolve()
        if not path or not path.is_file():
            return ()
        probe = await self.around.state.probes.find(path.stem, await asyncio.to_thread(weights_identity, path))
        tools = probe is not None and probe.native
        return (ModelEntry(self._own_name(), "embedded", path.stat().st_size, tools=tools),)

    def _known_here(self) -> list[str]:
        """The names of the weights that packages bring and of those that were fetched, smallest first."""
        return [name for name, one in KNOWN.items() if one.is_packaged or has_weights(one, self._folder)]

    @property
    def _folder(self) -> Path:
        return self.around.data_dir / "models"

    def _own_name(self) -> str:
        own: EmbeddedSettings = self.settings
        return f"{PREFIX}{own.model_path.name if own.model_path else own.size}"
