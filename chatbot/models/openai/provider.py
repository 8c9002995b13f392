"""The models of servers that speak OpenAI's protocol: which server is meant, what it has, what to begin with."""

import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any, NoReturn

from chatbot.models.base import LanguageModel, meant_name
from chatbot.models.chat_completions.abilities import read_entry
from chatbot.models.counting.vocabulary import TokenVocabulary
from chatbot.models.openai.abilities import NAME_PREFIX, NOT_FOR_CHAT, does_see
from chatbot.models.openai.discovery import find_servers
from chatbot.models.openai.endpoints import OFFICIAL_URL, ServerKind, destination, named_url
from chatbot.models.openai.errors import SET_KEY
from chatbot.models.openai.model import OpenAIModel
from chatbot.models.openai.server import ApiServer
from chatbot.models.openai.settings import OpenAISettings
from chatbot.models.provider import ModelEntry, ModelSurroundings, not_found
from chatbot.models.remote.destination import Destination
from chatbot.models.remote.provider import MOST_LISTED, RemoteProvider
from chatbot.models.wire_values import read_count
from utils.errors import ModelUnavailable

log = logging.getLogger(__name__)

NOBODY = "No LM Studio, llama-server or vLLM answers on this machine"


class OpenAIProvider(RemoteProvider):
    """The server that setting or environment name; else, unasked, one on this machine; else, asked, OpenAI."""

    def __init__(self, settings: OpenAISettings, around: ModelSurroundings) -> None:
        super().__init__(settings, around)
        self._server: ApiServer | None = None
        self._entries: list[dict[str, Any]] | None = None
        """As the server last listed them; None where it lists none."""
        self._asked: dict[str, ApiServer] = {}
        """Servers that were asked for their models, by their base URLs."""

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
        """The named server must answer; without one a key means OpenAI, and no key a server on this machine."""
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
        """The model of that name, as it is listed or shown, with `openai:` before it or without; any name where the
        server lists none.

        It is looked for on this machine before it is at OpenAI, where no server is named. Raises a `ModelError`.
        """
        plain, names = name.removeprefix(NAME_PREFIX), list[str]()
        if plain in ("", "openai"):
            return await self.pick_model()
        async for server in self._meant_servers():
            entries = await server.list_entries()
            listed = meant_name(plain, (str(entry["id"]) for entry in entries or ()))
            if entries is None or listed:
                self._server, self._entries = server, entries
                return f"{NAME_PREFIX}{listed or plain}"
            names += [f"{NAME_PREFIX}{entry['id']}" for entry in entries]
        raise not_found(name, names)

    async def find_unasked(self, name: str) -> str:
        """The model, where the server that was found on this machine has it."""
        plain = name.removeprefix(NAME_PREFIX)
        return name if any(entry["id"] == plain for entry in self._entries or ()) else ""

    async def pick_model(self) -> str:
        """The last one used if it is there, else the first for chats of a server on this machine, else the only one.

        Raises `ModelNotFound` where the user has to say which.
        """
        server = self._server or await self._choose_asked()
        await self._read_list()
        names = [f"{NAME_PREFIX}{entry['id']}" for entry in self._chat_entries()]
        return await self.choose_among(names, server.where, "openai")

    def open(self, name: str) -> LanguageModel:
        """The model of a full name, on the server that was chosen."""
        assert self._server
        plain = name.removeprefix(NAME_PREFIX)
        entry = next((entry for entry in self._entries or () if entry["id"] == plain), None)
        server = ApiServer(self._server.where, self.around, self._server.kind)
        vocabulary = TokenVocabulary(plain, self.settings.vocabulary_folder)
        model = OpenAIModel(plain, server, self.generation, entry, vocabulary)
        self.opened.add(model)
        return model

    async def tell_ability(self, name: str, model: LanguageModel) -> str:
        """Where it runs, and what it can do."""
        info = await model.describe()
        at = self._server.where.host if self._server else ""
        kind = self._server.kind if self._server else ServerKind.OTHER
        known = kind in (ServerKind.LM_STUDIO, ServerKind.LLAMA_SERVER, ServerKind.VLLM)
        where = f"on {kind.value}" if known and not info.remote else f"at {at}"
        return f"{where}, {await super().tell_ability(name, model)}"

    async def close(self) -> None:
        """Close the connections that the lists came by."""
        for server in self._asked.values():
            await server.close()

    async def _find_here(self) -> ApiServer | None:
        """A server on this machine, which is chosen then; no page is opened there from now on."""
        found = await find_servers(self.around.reach, self.generation.request_timeout)
        if not found:
            return None
        self._entries = list(found[0].entries)
        self.around.reach.own_servers.add(found[0].where.endpoint.target.origin)
        self._server = self._server_at(found[0].where, found[0].kind)
        return self._server

    async def _choose_asked(self) -> ApiServer:
        """The server that is meant where the user asked for this backend; raises `ConfigError`, `ModelUnavailable`."""
        where = self._named_or_official()
        if self.is_named or where.key:
            self._server = self._server_at(where)
            return self._server
        return await self._find_here() or self._raise_nobody(where)

    async def _meant_servers(self) -> AsyncIterator[ApiServer]:
        """Where a model that the user named may be, one after the other; raises `ConfigError`, `ModelUnavailable`."""
        current, where = self._server, self._named_or_official()
        if current:
            yield current
        if self.is_named:
            if not current:
                yield self._server_at(where)
            return
        before = self._server, self._entries
        here = await self._find_here()
        self._server, self._entries = before
        if here and here is not current:
            yield here
        if where.key:
            official = self._server_at(where)
            if official is not current:
                yield official
        elif not (here or current):
            self._raise_nobody(where)

    def _server_at(self, where: Destination, kind: ServerKind | None = None) -> ApiServer:
        """The connection by which a server is asked for its models."""
        url = where.endpoint.base_url
        if url not in self._asked:
            self._asked[url] = ApiServer(where, self.around, kind)
        return self._asked[url]

    def _named_or_official(self) -> Destination:
        url = named_url(self.settings) or OFFICIAL_URL
        return destination(url, self.settings, self.generation.request_timeout)

    def _raise_nobody(self, where: Destination) -> NoReturn:
        raise ModelUnavailable(f"{NOBODY}, and there is no key for {where.host}.", f"{SET_KEY} Or set openai.base_url.")

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
        sees = does_see(entry["id"], read_entry(entry))
        elsewhere = self.tell_elsewhere(self._server.where)
        return ModelEntry(f"{NAME_PREFIX}{entry['id']}", "openai", size, tools=tools, sees=sees, elsewhere=elsewhere)
