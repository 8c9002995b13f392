"""The choice of a model, and the list of those that are there."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

from chatbot.conversation.events import Progress
from chatbot.models.base import LanguageModel
from chatbot.models.embedded.gguf_files import KNOWN
from chatbot.models.embedded.settings import EmbeddedSettings, Size
from chatbot.models.ollama.errors import named_host
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.ollama.values import is_cloud, not_found, number, same_name
from chatbot.models.ollama.wire import Server
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from utils.errors import ModelNotFound, ModelUnavailable
from utils.network.access import NetworkAccess

log = logging.getLogger(__name__)

PROBE_SECONDS = 1.0
"""Within this time a server that nobody named must answer."""
OFFERED = "qwen3"
"""What is offered for fetching where no installed model can call tools."""
EMBEDDED = "embedded"


@dataclass(frozen=True)
class WantedModel:
    """What the settings say of the model."""

    backend: Literal["auto", "ollama", "embedded"]
    model: str
    ollama: OllamaSettings
    embedded: EmbeddedSettings
    generation: Generation
    remember: bool = True
    """Whether the choice is remembered for the next run."""


@dataclass(frozen=True)
class ModelEntry:
    """A model that can be used, as /model lists it. `size` is in bytes, 0 where it is not known."""

    name: str
    backend: Literal["ollama", "embedded"]
    size: int = 0
    tools: bool = False
    thinking: bool = False
    remote: bool = False
    """Runs in Ollama's cloud."""


class PullOffered(ModelNotFound):
    """The server has no model that can call tools; `name` is one that can be pulled, if the user agrees."""

    def __init__(self, name: str) -> None:
        super().__init__(
            "Ollama has no model installed that can call tools.",
            f"Fetch one with `ollama pull {name}`, or use the embedded model with backend=embedded.",
        )
        self.name = name


class Models:
    """Chooses a model by the settings, lists what is there and switches. Nothing is asked before a method is awaited.

    `make_embedded` makes the embedded model of its settings; `adapt` wraps a model for the agent (tools or steps);
    `tell` is given the one line about a choice that the user did not make.
    """

    def __init__(
        self,
        wanted: WantedModel,
        data_dir: Path,
        make_embedded: Callable[[EmbeddedSettings], LanguageModel],
        adapt: Callable[[LanguageModel], LanguageModel] = lambda model: model,
        tell: Callable[[str], None] = lambda text: None,
        reach: NetworkAccess | None = None,
    ) -> None:
        self.state = ModelState(data_dir, wanted.remember)
        self.current = ""
        """The name of the model in use, as /model takes it; empty before the first choice."""
        self._wanted = wanted
        self._make_embedded = make_embedded
        self._adapt = adapt
        self.tell = tell
        self._native: OllamaModel | None = None
        self._others: dict[str, LanguageModel] = {}
        self._reach = reach or NetworkAccess()
        self._server = Server(wanted.ollama.host, wanted.generation.request_timeout, self._reach)

    async def start(self) -> LanguageModel:
        """The model that the settings ask for, or else the last one used, or one that is there.

        Raises `ModelUnavailable` with the host's name where a named server does not answer, `PullOffered` where
        nothing installed can call tools.
        """
        wanted = self._wanted
        asked = wanted.model
        if not asked and wanted.backend == "auto" and not self._named:
            asked = await self.state.last_used()
        if is_embedded(asked):
            return self._embedded(asked)
        if wanted.backend == "embedded" or not await self._answers():
            return self._embedded(EMBEDDED)
        name = wanted.model or await self._pick()
        return await self.use(name)

    async def use(self, name: str) -> LanguageModel:
        """The model of that name, remembered as the last one used; raises `ModelNotFound` with the nearest names."""
        if is_embedded(name):
            model = self._embedded(name)
        else:
            self._native = await self._installed(name)
            model = self._adapt(self._native)
            self.current = self._native.name
        await self.state.use(self.current)
        return model

    async def other(self, name: str) -> LanguageModel:
        """The model of that name beside the one in use, made once and closed with all; raises `ModelNotFound`."""
        if name not in self._others:
            embedded = is_embedded(name)
            self._others[name] = self._make_embedded(self._sized(name)[1]) if embedded else await self._installed(name)
        return self._others[name]

    async def _installed(self, name: str) -> OllamaModel:
        installed = await self._server.installed()
        found = next((name_of(entry) for entry in installed if same_name(name_of(entry), name)), "")
        if not found:
            raise not_found(name, [*map(name_of, installed), *embedded_names()])
        if any(is_cloud(found, entry) for entry in installed if name_of(entry) == found):
            self._server.require_online(f"The model {found} runs in Ollama's cloud")
        return OllamaModel(found, self._wanted.ollama, self._wanted.generation, self._reach)

    def generate_by(self, generation: Generation) -> None:
        """Make replies by other settings from now on, in the model in use too where it is Ollama's."""
        self._wanted = replace(self._wanted, generation=generation)
        if self._native is not None:
            self._native.generation = generation

    async def list(self) -> tuple[ModelEntry, ...]:
        """What is there: the server's models, newest first, then the embedded ones.

        A server that nobody named may be missing; one that was named raises `ModelUnavailable`.
        """
        embedded = tuple(ModelEntry(f"{EMBEDDED}:{size}", "embedded", weights.size) for size, weights in KNOWN.items())
        try:
            installed = await self._server.installed()
        except ModelUnavailable as error:
            if self._named or self._wanted.backend == "ollama":
                raise
            log.info("no models of Ollama are listed: %s", error)
            return embedded
        return (*await asyncio.gather(*(self._entry(entry) for entry in installed)), *embedded)

    async def pull(self, name: str) -> AsyncGenerator[Progress, None]:
        """Fetch a model to the Ollama server; the last progress is complete."""
        self._server.require_online(f"Ollama would fetch {name} from elsewhere")
        last = Progress(name, 0, 0)
        async with aclosing(self._server.pull(name)) as steps:
            async for status, done, total in steps:
                last = Progress(f"{name}: {status}", done, total)
                yield last
        yield Progress(name, last.total or 1, last.total or 1)

    async def close(self) -> None:
        """Close the connection that the lists came by, and the models beside the one in use, which closes its own."""
        await self._server.close()
        for model in self._others.values():
            await model.close()

    @property
    def _named(self) -> str:
        return named_host(self._wanted.ollama.host)

    async def _answers(self) -> bool:
        """Whether Ollama answers; where the user asked for it, silence is an error and not an answer."""
        if self._named or self._wanted.backend == "ollama":
            await self._server.version()
            return True
        await self._server.connect()
        try:
            async with asyncio.timeout(PROBE_SECONDS):
                await self._server.version()
        except (TimeoutError, ModelUnavailable) as error:
            log.info("Ollama was not found: %s", error)
            asked = f" {self._wanted.model} needs one." if self._wanted.model else ""
            self.tell(f"No Ollama server answers at {self._server.address}; the embedded model is used.{asked}")
            return False
        return True

    async def _pick(self) -> str:
        """The last one used if it is still there, else an installed one that can call tools; never one in the cloud."""
        entries = [await self._entry(entry) for entry in await self._server.installed()]
        last = await self.state.last_used()
        here = [entry for entry in entries if not (entry.remote and self._reach.offline)]
        if any(entry.name == last for entry in here):
            return last
        able = [entry.name for entry in entries if entry.tools and not entry.remote]
        if not able:
            raise PullOffered(OFFERED)
        observed = [await self.state.writes_calls_as_text(name) for name in able]
        name = next((name for name, in_text in zip(able, observed, strict=True) if not in_text), able[0])
        self.tell(f"The model {name} is used; /model lists the others.")
        return name

    async def _entry(self, found: dict[str, Any]) -> ModelEntry:
        """A listed model; old servers tell the capabilities only when asked for each."""
        name = name_of(found)
        capabilities = found.get("capabilities")
        if not isinstance(capabilities, list):
            shown = await self._server.show(name)
            capabilities = shown.get("capabilities", ["tools"])
            found = shown | found
        able = capabilities if isinstance(capabilities, list) else []
        return ModelEntry(
            name,
            "ollama",
            number(found, "size"),
            tools="tools" in able,
            thinking="thinking" in able,
            remote=is_cloud(name, found),
        )

    def _embedded(self, name: str) -> LanguageModel:
        self.current, settings = self._sized(name)
        return self._adapt(self._make_embedded(settings))

    def _sized(self, name: str) -> tuple[str, EmbeddedSettings]:
        """The full name of an embedded model and its settings; `embedded` alone is the settings' own."""
        settings = self._wanted.embedded
        own = f"{EMBEDDED}:{settings.model_path.name if settings.model_path else settings.size}"
        if name in (EMBEDDED, own):
            return own, settings
        if name not in embedded_names():
            raise not_found(name, embedded_names())
        return name, replace(settings, size=cast(Size, name.removeprefix(f"{EMBEDDED}:")), model_path=None)


def name_of(entry: dict[str, Any]) -> str:
    """The name of a model in a list of the server's."""
    return str(entry.get("name") or entry.get("model"))


def is_embedded(name: str) -> bool:
    """Whether a name means a model that Magpie runs itself."""
    return name == EMBEDDED or name.startswith(f"{EMBEDDED}:")


def embedded_names() -> Sequence[str]:
    """The names of the embedded models whose weights Magpie knows."""
    return [f"{EMBEDDED}:{size}" for size in KNOWN]
