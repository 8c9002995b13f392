"""The models of servers that speak OpenAI's protocol: which server is meant, which models it has, which to begin with."""

import logging
import weakref
from collections.abc import Sequence
from typing import Any

from chatbot.models.base import LanguageModel
from chatbot.models.openai.abilities import NOT_FOR_CHAT, PREFIX
from chatbot.models.openai.discovery import FoundServer, find_servers
from chatbot.models.openai.endpoints import OFFICIAL_URL, Destination, ServerKind, destination, named_url
from chatbot.models.openai.errors import SET_KEY
from chatbot.models.openai.model import OpenAIModel
from chatbot.models.openai.server import ApiServer
from chatbot.models.openai.settings import OpenAISettings
from chatbot.models.provider import ModelEntry, ModelProvider, ModelSurroundings, UnaskedChoice, not_found
from chatbot.models.settings import Generation
from chatbot.models.wire_values import read_count
from utils.errors import ModelNotFound, ModelUnavailable

log = logging.getLogger(__name__)

MOST_LISTED = 500
"""Models that are listed: a server can have any number, all of which can be named."""
NOBODY = "No LM Studio, llama-server or vLLM answers on this machine"
NAME_ONE = "Name one: --model, or /model openai:NAME."


class OpenAIProvider(ModelProvider):
    """The server that setting or environment name; else, unasked, one on this machine; else, asked, OpenAI."""

    def __init__(self, settings: OpenAISettings, around: ModelSurroundings) -> None:
        super().__init__(settings, around)
        self._server: ApiServer | None = None
        self._entries: list[dict[str, Any]] | None = None
        """As the server last listed them; None where it lists none."""
        self._opened: weakref.WeakSet[OpenAIModel] = weakref.WeakSet()

    @property
    def is_named(self) -> bool:
        """Whether setting or environment name its base URL; a key alone does not."""
        return bool(named_url(self.settings))

    @property
    def served_by(self) -> str:
        """`LM Studio at http://127.0.0.1:1234/v1`."""
        if self._server is None:
            return super().served_by
        return f"{self._server.kind.value} at {self._server.where.endpoint.base_url}"

    async def find_obstacle(self) -> str:
        """That no server was named and none is found on this machine."""
        return "" if self._server or self.is_named or await self._find_here() else f"{NOBODY}."

    async def find_lack(self) -> str:
        """Of a server that was found, nothing: only one with models is taken for one."""
        return ""

    async def require(self) -> None:
        """The named server must answer with its models; without one a key means OpenAI, and without a key this machine."""
        if not self._server:
            await self._choose_asked()
        await self._read_list()

    async def list_models(self) -> Sequence[ModelEntry]:
        """The models for chats; none are asked for at OpenAI unless that was chosen."""
        if not self._server and self.is_named:
            await self._choose_asked()
        if not self._server and not await self._find_here():
            return ()
        await self._read_list()
        return [self._entry(entry) for entry in self._chat_entries()[:MOST_LISTED]]

    async def find_model(self, name: str) -> str:
        """The model of that name, with `openai:` before it or without; any name where the server lists none."""
        plain = name.removeprefix(PREFIX)
        if not self._server:
            await self._choose_asked()
        if plain in ("", "openai"):
            return await self.pick_model()
        await self._read_list()
        names = [entry["id"] for entry in self._entries or ()]
        if self._entries is not None and plain not in names:
            raise not_found(name, [f"{PREFIX}{each}" for each in names])
        return f"{PREFIX}{plain}"

    async def find_unasked(self, name: str) -> str:
        """The model, where it is on a server of this machine."""
        if self._server is None and not await self._find_here():
            return ""
        await self._read_list()
        plain = name.removeprefix(PREFIX)
        return name if any(entry["id"] == plain for entry in self._entries or ()) else ""

    async def pick_model(self) -> str:
        """The last one used if it is there, else the first for chats of a server on this machine, else the only one.

        Raises `ModelNotFound` where the user has to say which.
        """
        server = self._server or await self._choose_asked()
        await self._read_list()
        names = [f"{PREFIX}{entry['id']}" for entry in self._chat_entries()]
        last, where = await self.around.state.last_used(), server.where
        if last in names:
            return last
        if not names:
            raise ModelNotFound(f"{where.host} lists no model to chat with.", NAME_ONE)
        if len(names) > 1:
            if not where.endpoint.is_local:
                some = ", ".join(names[:3])
                raise ModelNotFound(f"{where.host} has {len(names)} models, such as {some}.", NAME_ONE)
            said = f"The model {names[0]} is used; /model lists the others."
            self.around.tell_choice(UnaskedChoice(said, "/model lists others"))
        return names[0]

    def open(self, name: str) -> LanguageModel:
        """The model of a full name, on the server that was chosen."""
        assert self._server
        plain = name.removeprefix(PREFIX)
        entry = next((entry for entry in self._entries or () if entry["id"] == plain), None)
        server = ApiServer(self._server.where, self.around, self._server.kind)
        model = OpenAIModel(plain, server, self.generation, entry)
        self._opened.add(model)
        return model

    async def tell_ability(self, name: str, model: LanguageModel) -> str:
        """Where it runs, and what it can do."""
        info = await model.describe()
        at = self._server.where.host if self._server else ""
        kind = self._server.kind if self._server else ServerKind.OTHER
        known = kind in (ServerKind.LM_STUDIO, ServerKind.LLAMA_SERVER, ServerKind.VLLM)
        where = f"on {kind.value}" if known and not info.remote else f"at {at}"
        return f"{where}, {await super().tell_ability(name, model)}"

    def generate_by(self, generation: Generation) -> None:
        """Have models reply by other settings, those that are open too."""
        super().generate_by(generation)
        for model in self._opened:
            model.generation = generation

    async def close(self) -> None:
        """Close the connection that the lists came by."""
        if self._server:
            await self._server.close()

    async def _find_here(self) -> FoundServer | None:
        """A server on this machine, which is chosen then; no page is opened there from now on."""
        found = await find_servers(self.around.reach, self.generation.request_timeout)
        if not found:
            return None
        first = found[0]
        self._take_server(first.where, first.kind)
        self.around.reach.own_servers.add(first.where.endpoint.target.origin)
        self._entries = list(first.entries)
        return first

    async def _choose_asked(self) -> ApiServer:
        """The server that is meant where the user asked for this backend; raises `ConfigError`, `ModelUnavailable`."""
        url = named_url(self.settings)
        where = destination(url or OFFICIAL_URL, self.settings, self.generation.request_timeout)
        if url or where.key:
            return self._take_server(where)
        if await self._find_here():
            assert self._server
            return self._server
        raise ModelUnavailable(f"{NOBODY}, and there is no key for {where.host}.", f"{SET_KEY} Or set openai.base_url.")

    def _take_server(self, where: Destination, kind: ServerKind | None = None) -> ApiServer:
        self._server = ApiServer(where, self.around, kind)
        return self._server

    async def _read_list(self) -> None:
        """Ask the server for its models, which may be others by now."""
        assert self._server
        self._entries = await self._server.list_entries()

    def _chat_entries(self) -> list[dict[str, Any]]:
        """The models that may be for chats, by their names; all where none would be left."""
        entries = self._entries or []
        return [entry for entry in entries if not NOT_FOR_CHAT.search(entry["id"])] or entries

    def _entry(self, entry: dict[str, Any]) -> ModelEntry:
        assert self._server
        meta = entry.get("meta")
        size = read_count(meta, "size") if isinstance(meta, dict) else 0
        tools = self._server.kind is not ServerKind.PERPLEXITY
        elsewhere = "" if self._server.where.endpoint.is_local else f"runs at {self._server.where.host}"
        return ModelEntry(f"{PREFIX}{entry['id']}", "openai", size, tools=tools, elsewhere=elsewhere)
