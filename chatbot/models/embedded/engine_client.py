"""Requests to the embedded engine: what its HTTP answers and failures mean."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from chatbot.models.chat_completions.tool_schemas import read_schema_refusal
from chatbot.models.embedded.engine import EngineShare
from chatbot.models.embedded.engine_timeout import make_timeout, no_sign_within
from utils.errors import ModelError, ModelUnavailable, PromptTooLong, ReplyBroken, ToolsUnsupported
from utils.text import json_bytes

if TYPE_CHECKING:
    import httpx

NO_PARSER = "Unable to generate parser"
"""What llama.cpp's refusal of tools begins with: by its template it knows no way to read calls."""
MISWRITTEN = "does not match the expected"
"""What it says of a reply that breaks off the form of a call."""


class EngineClient:
    """One HTTP client of an engine; connects and starts the engine anew when it is gone."""

    def __init__(self, engine: EngineShare, timeout: float) -> None:
        self.engine = engine
        self._timeout = timeout
        self._http: httpx.AsyncClient | None = None

    async def get(self, path: str) -> Any:
        """The JSON answer to a GET."""
        async with self._open_request("GET", path) as response:
            return json.loads(await response.aread())

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        """The JSON answer to a POST that takes no time worth cancelling."""
        async with self._open_request("POST", path, body) as response:
            return json.loads(await response.aread())

    async def stream(self, path: str, body: dict[str, Any]) -> AsyncGenerator[dict[str, Any], None]:
        """The events of an answer that the model makes; raises `ReplyBroken` when they stop in the middle.

        Closing drops the connection, which stops the engine's work: it notices when it next reports progress, after
        each batch of the prompt. An answer that is not streamed it would finish first.
        """
        body = body | {"stream": True, "return_progress": True}
        async with self._open_request("POST", path, body) as response:
            async for line in response.aiter_lines():
                if not line.startswith("data: ") or line == "data: [DONE]":
                    continue
                event = json.loads(line[len("data: ") :])
                if "error" in event:
                    raise _translate_error(event["error"], "tools" in body)
                yield event

    async def close(self) -> None:
        """Close the connections and let the engine go."""
        if self._http:
            await self._http.aclose()
        self._http = None
        self.engine.release_lease()

    @asynccontextmanager
    async def _open_request(
        self, method: str, path: str, body: dict[str, Any] | None = None
    ) -> "AsyncIterator[httpx.Response]":
        """An answer with status 200, its body not read yet; everything else is raised as a `ModelError`."""
        import httpx

        http = self._http = self._http or self._make_http()
        try:
            response = await self._send_request(http, method, path, body)
            try:
                if response.status_code != httpx.codes.OK:
                    raise _read_failure(await response.aread(), "tools" in (body or {}))
                yield response
            finally:
                await response.aclose()
        except httpx.TimeoutException as error:
            raise no_sign_within(self._timeout) from error
        except httpx.TransportError as error:
            await self.engine.forget_engine()
            raise ReplyBroken(
                "The language model's engine stopped in the middle of its reply.",
                "Ask again: the engine is started anew.",
            ) from error

    async def _send_request(
        self, http: "httpx.AsyncClient", method: str, path: str, body: dict[str, Any] | None
    ) -> "httpx.Response":
        """Send a request; an engine that died unnoticed is replaced once."""
        import httpx

        for last in (False, True):
            address = await self.engine.connect_engine()
            headers = {"Authorization": f"Bearer {address.key}", "Content-Type": "application/json"}
            content = None if body is None else json_bytes(body)
            request = http.build_request(method, address.url + path, content=content, headers=headers)
            try:
                return await http.send(request, stream=True)
            except httpx.ConnectError:
                if last:
                    raise
                await self.engine.forget_engine()
        raise AssertionError("unreachable")

    def _make_http(self) -> "httpx.AsyncClient":
        """A client for loopback: no proxy, and no connection kept, since the server closes them after a stream."""
        import httpx

        return httpx.AsyncClient(
            trust_env=False,
            verify=False,
            timeout=make_timeout(self._timeout),
            limits=httpx.Limits(max_keepalive_connections=0),
        )


def _read_failure(body: bytes, with_tools: bool) -> ModelError:
    try:
        return _translate_error(json.loads(body)["error"], with_tools)
    except (ValueError, KeyError, TypeError):
        return ModelUnavailable("The language model's engine gave an answer that makes no sense.", "Ask again.")


def _translate_error(error: dict[str, Any], with_tools: bool) -> ModelError:
    """What an error means; `with_tools`: of a request that offered some."""
    said = str(error.get("message", error))
    if error.get("type") == "exceed_context_size_error":
        return PromptTooLong(int(error["n_prompt_tokens"]), int(error["n_ctx"]))
    if with_tools and (of_schema := read_schema_refusal(said)):
        return of_schema
    if with_tools and said.startswith(NO_PARSER):
        return ToolsUnsupported("This model has no way to call tools.", "Magpie then decides for it.")
    if with_tools and MISWRITTEN in said:
        return ReplyBroken("The language model wrote a call that its engine cannot read.", "Ask again.")
    return ModelError(f"The language model's engine refused the request: {said}")
