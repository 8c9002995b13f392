"""The models of an Ollama server: which are there, which one to begin with, fetching another one."""

import asyncio
import logging
import weakref
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from chatbot.conversation.events import Progress
from chatbot.models.base import LanguageModel
from chatbot.models.ollama.errors import named_host
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.ollama.values import is_cloud, read_count, same_name, tell_fetching
from chatbot.models.ollama.wire import Server
from chatbot.models.provider import ModelEntry, ModelProvider, ModelSurroundings, PullOffered, UnaskedChoice
from chatbot.models.settings import Generation
from utils.errors import ModelUnavailable

log = logging.getLogger(__name__)

PROBE_SECONDS = 1.0
"""Within this time a server that nobody named must answer."""
OFFERED_MODEL = "qwen3"
"""What is offered for fetching where no installed model can call tools."""
CLOUD = "runs in Ollama's cloud"


class OllamaProvider(ModelProvider):
    """What an Ollama server has; never chooses a model in the cloud unasked."""

    def __init__(self, settings: OllamaSettings, around: ModelSurroundings) -> None:
        super().__init__(settings, around)
        self._server = Server(settings.host, around.generation.request_timeout, around.reach)
        self._opened: weakref.WeakSet[OllamaModel] = weakref.WeakSet()

    @property
    def is_named(self) -> bool:
        """Whether setting or environment name its host."""
        return bool(named_host(self.settings.host))

    async def find_obstacle(self) -> str:
        """That nothing, or something else, answers within a second where Ollama would be."""
        await self._server.open_clients()
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await self._server.read_version()
        except (TimeoutError, ModelUnavailable) as error:
            log.info("Ollama was not found: %s", error)
            return f"No Ollama server answers at {self._server.address}."
        return ""

    async def require(self) -> None:
        """Wait as long as for any answer of the server; raises `ModelUnavailable` with its address."""
        await self._server.read_version()

    async def list_models(self) -> Sequence[ModelEntry]:
        """The installed models, newest first."""
        return await asyncio.gather(*(self._entry(entry) for entry in await self._server.installed_models()))

    async def find_model(self, name: str) -> str:
        """The installed model of that name, which means `latest` without a tag; one in the cloud only online."""
        entry = next((one for one in await self._server.installed_models() if same_name(name_of(one), name)), None)
        if entry is None:
            return ""
        found = name_of(entry)
        if is_cloud(found, entry):
            self._server.require_online(f"The model {found} {CLOUD}")
        return found

    async def pick_model(self) -> str:
        """The last one used if it is still there, else an installed one that can call tools, which is remembered.

        Raises `PullOffered` where none can.
        """
        entries, state = await self.list_models(), self.around.state
        last = await state.last_used()
        if any(entry.name == last and not (entry.elsewhere and self.around.reach.offline) for entry in entries):
            return last
        able = [entry.name for entry in entries if entry.tools and not entry.elsewhere]
        if not able:
            raise PullOffered(
                OFFERED_MODEL,
                "Ollama has no model installed that can call tools.",
                f"Fetch one with `ollama pull {OFFERED_MODEL}`, or use the embedded model with backend=embedded.",
            )
        observed = [await state.writes_calls_as_text(name) for name in able]
        name = next((name for name, in_text in zip(able, observed, strict=True) if not in_text), able[0])
        said = f"The model {name} is used; /model lists the others."
        self.around.tell_choice(UnaskedChoice(said, "/model lists others"))
        await state.note_used(name)
        return name

    def open(self, name: str) -> LanguageModel:
        """The installed model of a full name."""
        model = OllamaModel(name, self.settings, self.generation, self.around.reach)
        self._opened.add(model)
        return model

    async def tell_ability(self, name: str, model: LanguageModel) -> str:
        """Where it runs, if that is not where the server is, and what it can do."""
        remote = (await model.describe()).remote
        where = "in Ollama's cloud, " if is_cloud(name, {}) else "on another machine, " if remote else ""
        return f"{where}{await super().tell_ability(name, model)}"

    async def pull(self, name: str) -> AsyncGenerator[Progress, None]:
        """Fetch a model to the server."""
        self._server.require_online(f"Ollama would fetch {name} from elsewhere")
        last = Progress(name, 0, 0)
        async with aclosing(self._server.pull_model(name)) as steps:
            async for status, done, total in steps:
                last = Progress(f"{name}: {status}", done, total)
                yield last
        yield Progress(name, last.total or 1, last.total or 1)

    def tell_fetching(self, name: str) -> str:
        """By Ollama's own command."""
        return tell_fetching(name)

    def generate_by(self, generation: Generation) -> None:
        """Have models reply by other settings, those that are open too."""
        super().generate_by(generation)
        for model in self._opened:
            model.generation = generation

    async def close(self) -> None:
        """Close the connection that the lists came by."""
        await self._server.close()

    async def _entry(self, found: dict[str, Any]) -> ModelEntry:
        """A listed model; old servers tell the capabilities only when asked for each."""
        name = name_of(found)
        capabilities = found.get("capabilities")
        if not isinstance(capabilities, list):
            shown = await self._server.show_model(name)
            capabilities = shown.get("capabilities", ["tools"])
            found = shown | found
        able = capabilities if isinstance(capabilities, list) else []
        return ModelEntry(
            name,
            "ollama",
            read_count(found, "size"),
            tools="tools" in able,
            thinking="thinking" in able,
            elsewhere=CLOUD if is_cloud(name, found) else "",
        )


def name_of(entry: dict[str, Any]) -> str:
    """The name of a model in a list of the server's."""
    return str(entry.get("name") or entry.get("model"))
