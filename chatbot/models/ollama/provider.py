"""The models of an Ollama server: which are there, which one to begin with, fetching another one."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from chatbot.conversation.events import Progress
from chatbot.models.base import LanguageModel, meant_name
from chatbot.models.ollama.errors import named_host
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.ollama.values import is_cloud, same_name, tell_fetching
from chatbot.models.ollama.wire import Server
from chatbot.models.provider import ModelEntry, ModelProvider, ModelSurroundings, PullOffered, UnaskedChoice
from chatbot.models.wire_values import read_count
from utils.errors import ModelError, ModelUnavailable

log = logging.getLogger(__name__)

PROBE_SECONDS = 1.0
"""Within this time a server that nobody named must answer."""
OFFERED_MODEL = "qwen3"
"""What is offered for fetching where no model is installed that can chat."""
MAX_MODELS_ASKED = 100
"""Models of a list that are asked about one by one; beyond it the list is believed."""
CLOUD = "runs in Ollama's cloud"


class OllamaProvider(ModelProvider):
    """What an Ollama server has; never chooses a model in the cloud unasked."""

    def __init__(self, settings: OllamaSettings, around: ModelSurroundings) -> None:
        super().__init__(settings, around)
        self._server = Server(settings.host, around.generation.request_timeout, around.reach)
        self._shown: dict[tuple[str, str], dict[str, Any]] = {}
        """What /api/show told of the models that were asked about, by name and digest."""

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

    async def find_lack(self) -> str:
        """That no model is there that can chat and runs where the server is."""
        last = await self.around.state.last_used()
        entries = await self._server.installed_models()
        fitting = (name_of(one) == last or (may_chat(one) and not is_cloud(name_of(one), one)) for one in entries)
        return "" if any(fitting) else f"Ollama at {self._server.address} has no model that can chat."

    async def list_models(self) -> Sequence[ModelEntry]:
        """The installed models, newest first."""
        entries = await self._server.installed_models()
        asked = await asyncio.gather(*map(self._entry, entries[:MAX_MODELS_ASKED]))
        return [*asked, *(listed_entry(entry, entry) for entry in entries[MAX_MODELS_ASKED:])]

    async def find_model(self, name: str) -> str:
        """The installed model of that name, or of what is shown of it; one in the cloud only online.

        Without a tag a name means `latest`.
        """
        entries = {name_of(one): one for one in await self._server.installed_models()}
        same = (one for one in entries if same_name(one, name))
        found = next(same, "") or meant_name(name, entries)
        if found and is_cloud(found, entries[found]):
            self._server.require_online(f"The model {found} {CLOUD}")
        return found

    async def pick_model(self) -> str:
        """The last one used if it is still there, else the best that is installed, which is remembered.

        The best is the newest that calls tools, else the largest, which is served in steps. Raises `PullOffered` where
        none can chat.
        """
        entries, state = await self.list_models(), self.around.state
        last = await state.last_used()
        if any(entry.name == last and not (entry.elsewhere and self.around.reach.offline) for entry in entries):
            return last
        able = [entry for entry in entries if entry.chats and not entry.elsewhere]
        if not able:
            raise PullOffered(
                OFFERED_MODEL,
                "Ollama has no model installed that can chat.",
                f"Fetch one with `ollama pull {OFFERED_MODEL}`, or use the embedded model with backend=embedded.",
            )
        calling = [one.name for one in able if one.tools and not await state.writes_calls_as_text(one.name)]
        name = calling[0] if calling else max(able, key=lambda one: one.size).name
        how = "" if calling else ", which calls no tools by itself: Magpie looks things up for it"
        said = f"The model {name} is used{how}; /model lists the others."
        self.around.tell_choice(UnaskedChoice(said, "/model lists others"))
        await state.note_used(name)
        return name

    def open(self, name: str) -> LanguageModel:
        """The installed model of a full name."""
        model = OllamaModel(name, self.settings, self.generation, self.around.reach)
        self.opened.add(model)
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

    async def close(self) -> None:
        """Close the connection that the lists came by."""
        await self._server.close()

    async def _entry(self, found: dict[str, Any]) -> ModelEntry:
        """A listed model.

        The list leaves out tools of models that are served by their own template, and old servers tell no capabilities
        in it: such a model is asked about, once.
        """
        name, key = name_of(found), (name_of(found), str(found.get("digest")))
        told = capabilities_of(found)
        if told is not None and ("tools" in told or not may_chat(found)):
            return listed_entry(found, found)
        if key not in self._shown:
            try:
                self._shown[key] = await self._server.show_model(name)
            except ModelError as error:
                log.info("the list is believed of %s: %s", name, error)
                return listed_entry(found, found)
        return listed_entry(self._shown[key] | found, self._shown[key])


def name_of(entry: dict[str, Any]) -> str:
    """The name of a model in a list of the server's."""
    return str(entry.get("name") or entry.get("model"))


def listed_entry(found: dict[str, Any], told: dict[str, Any]) -> ModelEntry:
    """A listed model with the capabilities that its server told; where it tells none, tools are expected."""
    able, name = capabilities_of(told), name_of(found)
    return ModelEntry(
        name,
        "ollama",
        read_count(found, "size"),
        tools=able is None or "tools" in able,
        thinking=able is not None and "thinking" in able,
        sees=able is not None and "vision" in able,
        chats=may_chat(told),
        elsewhere=CLOUD if is_cloud(name, found) else "",
    )


def capabilities_of(told: dict[str, Any]) -> list[Any] | None:
    """What a model can do by /api/show or /api/tags; None where they do not say."""
    able = told.get("capabilities")
    return able if isinstance(able, list) else None


def may_chat(told: dict[str, Any]) -> bool:
    """Whether a model can chat by what its server told of it: one that only embeds texts cannot."""
    able = capabilities_of(told)
    return able is None or "completion" in able or "tools" in able
