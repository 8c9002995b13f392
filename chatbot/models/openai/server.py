"""The connection to a server of OpenAI's protocol."""

from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any

from chatbot.models.openai.endpoints import ServerKind, kind_of
from chatbot.models.openai.errors import OPENAI_ERRORS
from chatbot.models.openai.stream import ChunkStream
from chatbot.models.provider import ModelSurroundings
from chatbot.models.remote.destination import Destination
from chatbot.models.remote.server import ModelServer, read_entries
from utils.errors import ModelNotFound

if TYPE_CHECKING:
    import httpx2

ACCOUNT_HEADERS = frozenset({"openai-organization", "openai-project"})
"""What goes to OpenAI beside what goes to every server."""


class ApiServer(ModelServer):
    """One server; `kind` is what it is known to be, at the latest once its list was read."""

    backend = "openai"
    errors = OPENAI_ERRORS
    stream = ChunkStream

    def __init__(self, where: Destination, around: ModelSurroundings, kind: ServerKind | None = None) -> None:
        super().__init__(where, around)
        self.kind = kind or kind_of(where.endpoint.host, ())

    async def list_entries(self) -> list[dict[str, Any]] | None:
        """The models as the server lists them; None from one that lists none. Raises a `ModelError`."""
        try:
            answer = await self.ask_briefly("/models")
        except ModelNotFound:
            return None
        entries = read_entries(answer)
        if entries is None:
            raise self.errors.foreign_answer(self.where, "its list of models is none")
        self.kind = kind_of(self.where.endpoint.host, entries)
        return entries

    def stream_chat(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The chunks of a streamed reply; closing the iterator cancels it. Raises a `ModelError`."""
        return self.stream_events("/chat/completions", body)

    def make_client(self, http: "httpx2.AsyncClient") -> Any:
        """The package's client, which takes nothing from the environment that it is not given."""
        from openai import AsyncOpenAI

        # What is given here is put in place of what the environment says.
        base_url = self.where.endpoint.base_url
        return AsyncOpenAI(api_key="unused", base_url=base_url, max_retries=0, http_client=http, webhook_secret="")

    def extra_headers(self) -> frozenset[str]:
        """The account that the environment names, for OpenAI."""
        return ACCOUNT_HEADERS if self.kind is ServerKind.OPENAI else frozenset()
