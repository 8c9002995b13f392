"""The connection to a server of OpenAI's protocol: its list of models, its short answers and its streams."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from chatbot.models.disclosure import disclose_once
from chatbot.models.openai.endpoints import ServerKind, kind_of
from chatbot.models.openai.errors import foreign_answer, passing_failure, translate_errors
from chatbot.models.openai.reply.stream import ReplyStream
from chatbot.models.provider import ModelSurroundings
from chatbot.models.remote.destination import Destination
from utils.errors import ModelNotFound
from utils.network.api_client import open_api_client
from utils.network.retries import retry_request

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

T = TypeVar("T")

BRIEF_SECONDS = 30.0
"""For the short questions: the list of models, what a server says of itself."""
OWN_HEADERS = frozenset(
    ("host", "accept", "accept-encoding", "connection", "content-type", "content-length", "transfer-encoding")
) | {"user-agent"}
"""What goes to every server; the `openai` package takes more from the environment."""
ACCOUNT_HEADERS = frozenset({"openai-organization", "openai-project"})
"""What goes to OpenAI beside it."""


class ApiServer:
    """One server. Nothing is imported or connected before the first request.

    `kind` is what it is known to be, at the latest once its list was read.
    """

    def __init__(self, where: Destination, around: ModelSurroundings, kind: ServerKind | None = None) -> None:
        self.where = where
        self.kind = kind or kind_of(where.endpoint.host, ())
        self._around = around
        self._client: AsyncOpenAI | None = None
        self._connecting = asyncio.Lock()

    async def list_entries(self) -> list[dict[str, Any]] | None:
        """The models as the server lists them; None from one that lists none. Raises a `ModelError`."""
        try:
            answer = await self.ask_briefly("/models")
        except ModelNotFound:
            return None
        entries = read_entries(answer)
        if entries is None:
            raise foreign_answer(self.where, "its list of models is none")
        self.kind = kind_of(self.where.endpoint.host, entries)
        return entries

    async def ask_briefly(self, path: str, body: dict[str, Any] | None = None) -> Any:
        """The JSON that answers a short question: a GET, or a POST with a body. Raises a `ModelError`.

        A path below the base URL, or a whole address.
        """
        import httpx2

        client = await self.open_client()

        async def send() -> "httpx2.Response":
            async with asyncio.timeout(min(BRIEF_SECONDS, self.where.endpoint.timeout)):
                if body is None:
                    return await client.get(path, cast_to=httpx2.Response)
                return await client.post(path, cast_to=httpx2.Response, body=body)

        async with translate_errors(self.where):
            response = await self._send_again(send)
            # A list of 100,000 models takes half a second.
            return await asyncio.to_thread(self._read_json, response.content)

    async def stream_chat(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The chunks of a streamed reply; closing the iterator cancels it. Raises a `ModelError`."""
        if not self.where.endpoint.is_local:
            await disclose_once(self._around, "openai", self.where.host)
        client = await self.open_client()
        async with (
            translate_errors(self.where),
            aclosing(await self._send_again(partial(self._begin_stream, client, body))) as stream,
        ):
            while (chunk := await stream.next_chunk()) is not None:
                yield chunk

    async def open_client(self) -> "AsyncOpenAI":
        """The package's client, made but not connected yet; raises `ConfigError`."""
        async with self._connecting:
            if self._client is None:
                # Importing takes a second: not on the loop that draws the prompt.
                self._client = await asyncio.to_thread(self._make_client)
            return self._client

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def _begin_stream(self, client: "AsyncOpenAI", body: dict[str, Any]) -> ReplyStream:
        """A stream whose first chunk is there: what breaks before it may be sent again."""
        import httpx2
        from openai import AsyncStream

        response = await client.post(
            "/chat/completions", cast_to=httpx2.Response, body=body, stream=True, stream_cls=AsyncStream[Any]
        )
        assert isinstance(response, httpx2.Response)
        stream = ReplyStream(response, self.where)
        try:
            await stream.fetch_first()
        except BaseException:
            await stream.aclose()
            raise
        return stream

    async def _send_again(self, send: Callable[[], Awaitable[T]]) -> T:
        return await retry_request(send, partial(passing_failure, self.where), self._around.tell)

    def _make_client(self) -> "AsyncOpenAI":
        http = open_api_client(self.where.endpoint, self._around.reach)
        http.event_hooks = {"request": [*http.event_hooks["request"], self._sign_request]}
        from openai import AsyncOpenAI

        # What is given here is put in place of what the environment says; the key is set by `_sign_request` alone.
        return AsyncOpenAI(
            api_key="unused", base_url=self.where.endpoint.base_url, max_retries=0, http_client=http, webhook_secret=""
        )

    async def _sign_request(self, request: "httpx2.Request") -> None:
        """Let go out what belongs to the protocol and nothing that the package found in the environment."""
        kept = OWN_HEADERS | (ACCOUNT_HEADERS if self.kind is ServerKind.OPENAI else frozenset())
        for name in [name for name in request.headers if name.lower() not in kept]:
            del request.headers[name]
        if self.where.sent_key:
            request.headers["authorization"] = f"Bearer {self.where.sent_key}"

    def _read_json(self, content: bytes) -> Any:
        try:
            return json.loads(content)
        except (ValueError, RecursionError) as error:
            what = "it sends a web page" if content.lstrip().startswith(b"<") else "its answer is no JSON"
            raise foreign_answer(self.where, what) from error


def read_entries(answer: Any) -> list[dict[str, Any]] | None:
    """The entries of a list of models, those without a name left out; None where it is no such list."""
    listed = answer.get("data") if isinstance(answer, dict) else answer
    if not isinstance(listed, list):
        return None
    return [entry for entry in listed if isinstance(entry, dict) and isinstance(entry.get("id"), str) and entry["id"]]
