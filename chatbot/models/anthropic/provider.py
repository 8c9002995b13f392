"""Claude's models: which server is meant, what it has, what to begin with. It is never chosen unasked from afar."""

from collections.abc import Sequence
from typing import Any

from chatbot.models.anthropic.abilities import CLAUDE_PREFIX, read_abilities
from chatbot.models.anthropic.endpoints import claude_destination, shorten_url
from chatbot.models.anthropic.errors import SET_CLAUDE_KEY
from chatbot.models.anthropic.model import AnthropicModel
from chatbot.models.anthropic.server import ClaudeServer
from chatbot.models.anthropic.settings import AnthropicSettings
from chatbot.models.base import LanguageModel, meant_name
from chatbot.models.provider import ModelEntry, ModelSurroundings, not_found
from chatbot.models.remote.provider import MOST_LISTED, RemoteProvider
from utils.errors import ModelUnavailable
from utils.network.addresses import host_of, is_this_machine


class AnthropicProvider(RemoteProvider):
    """The server that setting or environment name, else Anthropic's."""

    def __init__(self, settings: AnthropicSettings, around: ModelSurroundings) -> None:
        super().__init__(settings, around)
        self._server: ClaudeServer | None = None
        self._entries: dict[str, dict[str, Any]] = {}
        """What is known of models that were listed or asked about."""

    @property
    def is_named(self) -> bool:
        """Whether the setting names a server on this machine.

        Other programs are told by ANTHROPIC_BASE_URL where Claude is, and every question costs: neither the environment
        nor an address elsewhere makes it chosen unasked.
        """
        named = self.settings.base_url.strip()
        return bool(named) and is_this_machine(host_of(shorten_url(named)))

    async def find_obstacle(self) -> str:
        """That there is no key for a server that is not on this machine."""
        where = claude_destination(self.settings, self.generation.request_timeout)
        return "" if where.key or where.endpoint.is_local else f"There is no key for {where.host}."

    async def find_unasked(self, name: str) -> str:
        """Nothing, unless the setting names a server on this machine: what was used last may cost."""
        return await self.find_model(name) if self.is_named else ""

    async def require(self) -> None:
        """A key must be there, and the server must answer; raises a `ModelError`."""
        await self._read_list()

    async def list_models(self) -> Sequence[ModelEntry]:
        """The models, newest first; no server elsewhere is asked for them before it was chosen."""
        if not self._server and not self.is_named:
            return ()
        return [self._entry(entry) for entry in (await self._read_list() or ())[:MOST_LISTED]]

    async def find_model(self, name: str) -> str:
        """The model of that name, as it is listed or shown, with `anthropic:` before it or without; any where the
        server lists none.

        Raises a `ModelError`.
        """
        plain = name.removeprefix(CLAUDE_PREFIX)
        if plain in ("", "anthropic"):
            return await self.pick_model()
        listed = await self._read_list()
        plain = meant_name(plain, (str(entry["id"]) for entry in listed or ())) or plain
        if listed is not None and plain not in self._entries:
            # A shorter name of a model is not in the list.
            entry = await self._connect().find_entry(plain)
            if entry is None:
                raise not_found(name, [f"{CLAUDE_PREFIX}{one['id']}" for one in listed])
            self._entries[plain] = entry
        return f"{CLAUDE_PREFIX}{plain}"

    async def pick_model(self) -> str:
        """The last one used if it is there, else the only one; raises `ModelNotFound` where the user has to say."""
        names = [f"{CLAUDE_PREFIX}{entry['id']}" for entry in await self._read_list() or ()]
        return await self.choose_among(names, self._connect().where, "anthropic")

    def open(self, name: str) -> LanguageModel:
        """The model of a full name."""
        plain = name.removeprefix(CLAUDE_PREFIX)
        server = ClaudeServer(self._connect().where, self.around)
        model = AnthropicModel(plain, server, self.generation, self._entries.get(plain, {}))
        self.opened.add(model)
        return model

    async def tell_ability(self, name: str, model: LanguageModel) -> str:
        """Where it runs, and what it can do."""
        return f"at {self._connect().where.host}, {await super().tell_ability(name, model)}"

    async def close(self) -> None:
        """Close the connection that the lists came by."""
        if self._server:
            await self._server.close()

    def _connect(self) -> ClaudeServer:
        """The connection for lists; raises `ConfigError`, and `ModelUnavailable` where a key is missing."""
        if not self._server:
            where = claude_destination(self.settings, self.generation.request_timeout)
            if not where.key and not where.endpoint.is_local:
                raise ModelUnavailable(f"There is no key for {where.host}.", SET_CLAUDE_KEY)
            self._server = ClaudeServer(where, self.around)
        return self._server

    async def _read_list(self) -> list[dict[str, Any]] | None:
        """Ask the server for its models, which may be others by now."""
        entries = await self._connect().list_entries()
        self._entries |= {entry["id"]: entry for entry in entries or ()}
        return entries

    def _entry(self, entry: dict[str, Any]) -> ModelEntry:
        able, name = read_abilities(entry), f"{CLAUDE_PREFIX}{entry['id']}"
        elsewhere = self.tell_elsewhere(self._connect().where)
        thinks = bool(able.thinking)
        return ModelEntry(name, "anthropic", tools=True, thinking=thinks, sees=able.sees, elsewhere=elsewhere)
