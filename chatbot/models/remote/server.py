"""The connection to a server of models by the package of its API: its list, its short answers and its streams."""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from chatbot.models.disclosure import disclose_key_once
from chatbot.models.provider import ModelSurroundings
from chatbot.models.remote.destination import Destination
from chatbot.models.remote.errors import ApiErrors
from chatbot.models.remote.stream import ApiStream
from utils.network.api_client import open_api_client
from utils.network.retries import retry_request
from utils.text import json_bytes

if TYPE_CHECKING:
    import httpx2

T = TypeVar("T")

BRIEF_SECONDS = 30.0
"""For the short questions: the list of models, what a server says of itself."""
OWN_HEADERS = frozenset(
    ("host", "accept", "accept-encoding", "connection", "content-type", "content-length", "transfer-encoding")
) | {"user-agent"}
"""What goes to every server; the packages take more from the environment."""
JSON_SENT: dict[str, Any] = {"headers": {"content-type": "application/json"}}


class ModelServer(ABC):
    """One server. Nothing is imported or connected before the first request."""

    backend: ClassVar[str]
    errors: ClassVar[ApiErrors]
    stream: ClassVar[type[ApiStream]]

    def __init__(self, where: Destination, around: ModelSurroundings) -> None:
        self.where = where
        self._around = around
        self._client: Any = None
        self._connecting = asyncio.Lock()

    @abstractmethod
    async def list_entries(self) -> list[dict[str, Any]] | None:
        """The models as the server lists them; None from one that lists none. Raises a `ModelError`."""

    @abstractmethod
    def make_client(self, http: "httpx2.AsyncClient") -> Any:
        """The package's client, which takes nothing from the environment that it is not given; the key is no matter."""

    def extra_headers(self) -> frozenset[str]:
        """What goes to this server beside `OWN_HEADERS`."""
        return frozenset()

    async def ask_briefly(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """The JSON that answers a short question: a GET, or a POST with a body. Raises a `ModelError`.

        A path below the base URL, or a whole address.
        """
        import httpx2

        client = await self.open_client()

        async def send() -> "httpx2.Response":
            async with asyncio.timeout(min(BRIEF_SECONDS, self.where.endpoint.timeout)):
                if body is None:
                    return await client.get(path, cast_to=httpx2.Response)  # type: ignore[no-any-return]
                return await client.post(  # type: ignore[no-any-return]
                    path, cast_to=httpx2.Response, content=json_bytes(body), options=JSON_SENT
                )

        async with self.errors.translate_errors(self.where):
            response = await self._send_again(send)
            # A list of 100,000 models takes half a second.
            return await asyncio.to_thread(self._read_json, response.content)

    async def stream_events(self, path: str, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The events of a streamed reply; closing the iterator cancels it. Raises a `ModelError`."""
        client = await self.open_client()
        async with (
            self.errors.translate_errors(self.where),
            aclosing(await self._send_again(partial(self._begin_stream, client, path, body))) as stream,
        ):
            while (event := await stream.next_event()) is not None:
                yield event

    async def open_client(self) -> Any:
        """The package's client, made but not connected yet; raises `ConfigError`."""
        async with self._connecting:
            if self._client is None:
                # Importing takes a second: not on the loop that draws the prompt.
                self._client = await asyncio.to_thread(self._open_client)
            return self._client

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _begin_stream(self, client: Any, path: str, body: dict[str, Any]) -> ApiStream:
        """A stream whose first event is there: what breaks before it may be sent again."""
        import httpx2

        response = await client.post(
            path, cast_to=httpx2.Response, content=json_bytes(body), options=JSON_SENT, stream=True
        )
        assert isinstance(response, httpx2.Response)
        stream = self.stream(response, self.where, self.errors)
        try:
            await stream.fetch_first()
        except BaseException:
            await stream.aclose()
            raise
        return stream

    async def _send_again(self, send: Callable[[], Awaitable[T]]) -> T:
        return await retry_request(send, partial(self.errors.passing_failure, self.where), self._around.tell)

    def _open_client(self) -> Any:
        http = open_api_client(self.where.endpoint, self._around.reach)
        http.event_hooks = {"request": [*http.event_hooks["request"], self._sign_request]}
        return self.make_client(http)

    async def _sign_request(self, request: "httpx2.Request") -> None:
        """Let go out what belongs to the API and nothing that the package found in the environment."""
        kept = OWN_HEADERS | self.extra_headers()
        for name in [name for name in request.headers if name.lower() not in kept]:
            del request.headers[name]
        if self.where.sent_key:
            may_go = self.where.endpoint.is_local or not self._around.reach.offline
            if self.where.lent_from and may_go:
                await disclose_key_once(self._around, self.backend, self.where.host, self.where.lent_from)
            request.headers["authorization"] = f"Bearer {self.where.sent_key}"

    def _read_json(self, content: bytes) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            what = "it sends a web page" if content.lstrip().startswith(b"<") else "its answer is no JSON"
            raise self.errors.foreign_answer(self.where, what) from error


def read_entries(answer: Any) -> list[dict[str, Any]] | None:
    """The entries of a list of models, those without a name left out; None where it is no such list."""
    listed = answer.get("data") if isinstance(answer, dict) else answer
    if not isinstance(listed, list):
        return None
    return [entry for entry in listed if isinstance(entry, dict) and isinstance(entry.get("id"), str) and entry["id"]]
