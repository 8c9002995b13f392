"""The connection to an Ollama server: its requests, and the lines and objects that it answers with."""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from chatbot.models.ollama.errors import (
    NOT_OLLAMA,
    foreign_answer,
    is_this_machine,
    named_host,
    refused_request,
    said_error,
    server_address,
    translate_errors,
)
from chatbot.models.wire_values import parse_object
from utils.errors import AddressRefused, ConfigError, ModelUnavailable, Offline, ReplyBroken
from utils.network.access import NetworkAccess
from utils.network.addresses import endpoint_policy
from utils.network.dialer import Dialer
from utils.text import json_bytes

if TYPE_CHECKING:
    import httpx
    import ollama

log = logging.getLogger(__name__)

_JSON = "application/json"
OLLAMA_CONNECT_SECONDS = 10.0
INFO_SECONDS = 30.0
"""For the short questions: show, ps, list."""
MAX_LINE = 4_000_000
"""Bytes of one line of a stream; a live server's longest was under 5,000."""
MAX_ANSWER = 20_000_000
"""Bytes of an answer that is no stream; /api/show can hold a licence and a template, /api/tags many models."""


class Server:
    """One Ollama server. Nothing is imported or connected before the first request.

    `timeout` is the seconds without a sign after which a chat request is given up.
    """

    def __init__(self, host: str, timeout: float, reach: NetworkAccess | None = None) -> None:
        self._host = host
        self._reach = reach or NetworkAccess()
        self._timeout = timeout
        self._patience = min(INFO_SECONDS, timeout)
        self._clients: tuple[httpx.AsyncClient, ollama.AsyncClient] | None = None
        self._lock = asyncio.Lock()
        self._connecting = asyncio.Lock()
        self._body = ""
        """Of the last answer to a short question."""

    @property
    def address(self) -> str:
        """The base URL; raises `ConfigError` where the host cannot be read."""
        return server_address(named_host(self._host))

    async def read_version(self) -> str:
        """The server's version, by which it is known to be Ollama."""
        http, _ = await self.open_clients()
        async with (
            translate_errors(self.address),
            asyncio.timeout(self._patience),
            http.stream("GET", "/api/version") as response,
        ):
            answer = parse_object(await read_some(response))
        if response.status_code == 200 and answer is not None and isinstance(answer.get("version"), str):
            return str(answer["version"])
        raise foreign_answer(self.address, f"status {response.status_code}")

    async def show_model(self, name: str) -> dict[str, Any]:
        """What /api/show tells of a model, also what the client leaves out (`remote_host`)."""
        return await self._ask_server(lambda client: client.show(name))

    async def running_models(self) -> list[dict[str, Any]]:
        """The models in memory, by /api/ps, with the window that each really has."""
        return models_of(await self._ask_server(lambda client: client.ps()))

    async def installed_models(self) -> list[dict[str, Any]]:
        """The models on the server's disk, by /api/tags, newest first."""
        return models_of(await self._ask_server(lambda client: client.list()))

    async def pull_model(self, name: str) -> AsyncGenerator[tuple[str, int, int], None]:
        """Fetch a model to the server; yields (what it does, bytes done, bytes in all or 0)."""
        _, client = await self.open_clients()
        async with translate_errors(self.address):
            progress: Any = await client.pull(name, stream=True)
            async with aclosing(progress):
                async for step in progress:
                    yield step.status or "", step.completed or 0, step.total or 0

    async def stream_chat(self, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The chunks of a streamed reply up to the one that says `done`; closing the iterator cancels it."""
        http, _ = await self.open_clients()
        request = http.stream("POST", "/api/chat", content=json_bytes(body), headers={"content-type": _JSON})
        async with translate_errors(self.address), request as response:
            if response.status_code != 200:
                raise refused_request(self.address, response.status_code, await read_some(response))
            lines = LineSplitter()
            async for piece in response.aiter_bytes():
                for line in lines.feed(piece):
                    chunk = self._read_chunk(line)
                    yield chunk
                    if chunk.get("done") is True:
                        return
            for line in lines.finish():
                chunk = self._read_chunk(line)
                yield chunk
                if chunk.get("done") is True:
                    return
        raise ReplyBroken("The reply ended before the model said that it was complete.", "Ask again.")

    def require_online(self, what: str) -> None:
        """Raise `ModelUnavailable` where nothing may leave this machine; `what` begins the sentence that says so."""
        try:
            self._reach.require_online(what)
        except Offline as error:
            raise ModelUnavailable(error.problem, error.remedy) from error

    async def close(self) -> None:
        """Close the connections."""
        if self._clients is not None:
            http, client = self._clients
            self._clients = None
            await http.aclose()
            await client.close()  # type: ignore[no-untyped-call]

    def _read_chunk(self, line: str) -> dict[str, Any]:
        chunk = parse_object(line)
        if chunk is None:
            if line.lstrip().startswith("<"):
                raise foreign_answer(self.address, "it sends a web page")
            raise ReplyBroken("Ollama sent a line that is no JSON object.", "Ask again; if it stays, restart Ollama.")
        if chunk.get("error"):
            raise said_error(chunk["error"], 500)
        return chunk

    async def _ask_server(self, question: Callable[["ollama.AsyncClient"], Awaitable[object]]) -> dict[str, Any]:
        """One request of the client; returns the JSON as it came, for the client's types drop fields."""
        from ollama import ResponseError
        from pydantic import ValidationError

        _, client = await self.open_clients()
        async with self._lock, translate_errors(self.address):
            self._body = ""
            try:
                async with asyncio.timeout(self._patience):
                    await question(client)
            except ResponseError as error:
                # The client makes Ollama's words of any text, also of a web page.
                raise refused_request(self.address, error.status_code, self._body) from error
            except ValidationError as error:
                # An old server leaves out fields that the client insists on.
                log.debug("the client could not read Ollama's answer: %s", error)
            except (AttributeError, TypeError) as error:
                # It takes every body for an object.
                raise foreign_answer(self.address, "its answer is no JSON object") from error
            answer = parse_object(self._body)
        if answer is None:
            raise foreign_answer(self.address, "its answer is no JSON object")
        return answer

    async def open_clients(self) -> tuple["httpx.AsyncClient", "ollama.AsyncClient"]:
        """The clients for chatting and for the rest, made but not connected yet; raises `ConfigError`."""
        async with self._connecting:
            if self._clients is None:
                # Importing takes 0.4 s: not on the loop that draws the prompt.
                self._clients = await asyncio.to_thread(self._make_clients)
            return self._clients

    def _make_clients(self) -> tuple["httpx.AsyncClient", "ollama.AsyncClient"]:
        address = self.address
        import httpx

        from utils.network.httpx_transport import GuardedTransport

        try:
            import ollama
        except ValueError as error:
            raise ConfigError(f"OLLAMA_HOST is not valid: {error}.", "Correct it, or unset it.") from error
        key = os.environ.get("OLLAMA_API_KEY", "")
        # Packed answers could unpack to any size.
        headers = {"accept-encoding": "identity"} | ({"authorization": f"Bearer {key}"} if key else {})
        hooks: dict[str, list[Any]] = {"request": [keep_key_private], "response": [self._keep_answer]}
        try:
            dialer = Dialer(self._reach, endpoint_policy(address), "ollama")
        except AddressRefused as error:
            raise ConfigError(f"The Ollama address {address} cannot be used: {error.problem}", NOT_OLLAMA) from error
        tls = address.startswith("https")
        common: dict[str, Any] = {"trust_env": False, "follow_redirects": False}
        patience = httpx.Timeout(self._timeout, connect=min(OLLAMA_CONNECT_SECONDS, self._timeout))
        http = httpx.AsyncClient(
            base_url=address,
            headers=headers,
            timeout=patience,
            event_hooks={"request": [keep_key_private], "response": [self._refuse_packed]},
            transport=GuardedTransport(dialer, tls=tls),
            **common,
        )
        other = GuardedTransport(dialer, tls=tls)
        client = ollama.AsyncClient(
            address, timeout=patience, headers=headers, event_hooks=hooks, transport=other, **common
        )
        return http, client

    async def _refuse_packed(self, response: "httpx.Response") -> None:
        if response.headers.get("content-encoding", "identity") != "identity":
            raise foreign_answer(self.address, "it packs its answer though it was asked not to")

    async def _keep_answer(self, response: "httpx.Response") -> None:
        """Remember an answer as it came, if it ends at a sensible size; a pull streams and is left alone."""
        await self._refuse_packed(response)
        if response.request.url.path.endswith("/api/pull"):
            return
        from chatbot.models.ollama.bounded_body import BoundedStream

        assert isinstance(response.stream, AsyncIterable)
        response.stream = BoundedStream(
            response.stream, MAX_ANSWER, foreign_answer(self.address, "its answer has no end")
        )
        await response.aread()
        self._body = response.text


async def keep_key_private(request: "httpx.Request") -> None:
    """OLLAMA_API_KEY goes over TLS or stays on this machine; the client sends it everywhere."""
    if request.url.scheme != "https" and not is_this_machine(str(request.url)):
        request.headers.pop("authorization", None)


def models_of(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The list under `models`, entries without a name left out."""
    entries = answer.get("models")
    named = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [entry for entry in named if isinstance(entry.get("name") or entry.get("model"), str)]


async def read_some(response: "httpx.Response") -> str:
    """The beginning of an error's body, as text."""
    body = b""
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > 100_000:
            break
    return body.decode("utf-8", "replace")


class LineSplitter:
    """Takes the bytes of a stream and gives its lines that are not empty; raises `ReplyBroken` for one without end."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, piece: bytes) -> Iterator[str]:
        """The lines that end in this piece; bytes that are no UTF-8 are replaced."""
        *ended, rest = piece.split(b"\n")
        for end in ended:
            yield from self.finish(end)
        self._parts.append(rest)
        self._size += len(rest)
        if self._size > MAX_LINE:
            raise ReplyBroken("Ollama sent a line of more than 4 MB.", "Ask again; if it stays, restart Ollama.")

    def finish(self, end: bytes = b"") -> Iterator[str]:
        """The line that was begun, with its end."""
        line = b"".join([*self._parts, end]).decode("utf-8", "replace")
        self._parts, self._size = [], 0
        if line.strip():
            yield line
