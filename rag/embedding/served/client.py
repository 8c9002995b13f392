"""Asks an embedding server: one request, its answer, and what a failure is called."""

import asyncio
import json
import os
from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from rag.embedding.base import Vectors
from rag.embedding.choice import EmbedderSurroundings, EmbeddingChoice
from rag.embedding.served.wire import EmbeddingWire, UnusableVectors, complete_base_url, read_vectors
from utils.errors import ConfigError, EmbedderUnavailable, NetworkError, Offline
from utils.network.api_client import ApiEndpoint, open_api_client
from utils.network.api_keys import is_key_for, read_api_key
from utils.network.retries import RetryableFailure, is_retried, read_retry_after, retry_request
from utils.text import json_bytes, one_line

if TYPE_CHECKING:
    import httpx2

ANSWER_SECONDS = 120.0
"""Without a sign from the server: one on two cores may embed 100 texts for a minute."""
# What servers say of texts that are too long: OpenAI, Ollama, llama-server, vLLM.
TOO_LONG = ("maximum context length", "context length", "too large to process", "maximum input length", "too long")
NO_QUOTA = "insufficient_quota"
NOT_THERE = "Check that it runs, and rag.embedding_base_url."
KEY_STANDS = "Name the file of its key in rag.embedding_key_file."
SAID_CHARS = 200


class TextTooLong(Exception):
    """The model cannot read a text as long as one of those that were sent."""


class _Refused(Exception):
    """An answer that says no."""

    def __init__(self, status: int, headers: Mapping[str, str], said: str) -> None:
        super().__init__(said)
        self.status = status
        self.after = read_retry_after(headers)
        self.said = said


class _Down(EmbedderUnavailable):
    """The server could not be asked at all."""


class EmbeddingClient:
    """One model of one server. Nothing is imported or connected before the first request."""

    def __init__(self, wire: EmbeddingWire, model: str, choice: EmbeddingChoice, around: EmbedderSurroundings) -> None:
        self._wire = wire
        self._model = model
        self._endpoint = ApiEndpoint(
            complete_base_url(wire, choice.base_url), "rag.embedding", ANSWER_SECONDS, "rag.embedding_"
        )
        self._key_file = choice.key_file
        self._base_url = choice.base_url
        self._around = around
        self._client: httpx2.AsyncClient | None = None
        self._opening = asyncio.Lock()

    @property
    def host(self) -> str:
        """The server's host where that is not this machine, else empty; empty, too, where the base URL is none."""
        try:
            return "" if self._endpoint.is_local else self._endpoint.host
        except ConfigError:
            return ""

    @property
    def _has_environment_key(self) -> bool:
        """Whether the key of the environment is this server's: no other one is sent it. Raises `ConfigError`."""
        # A key that is named beside an address is that server's.
        named = self._base_url and self._key_file
        own = (*self._wire.key_urls, os.environ.get(self._wire.url_variable, "").strip())
        return not named and is_key_for(self._endpoint.target.authority, own)

    async def ask(self, texts: Sequence[str], *, patient: bool) -> tuple[Vectors, int]:
        """The unit vectors of some texts, shape (len(texts), dimensions), and their tokens as the server counts them.

        Raises `TextTooLong` and `EmbedderUnavailable`; `patient` asks several times where it may soon be answered.
        """
        import httpx2

        body = json_bytes(self._wire.make_body(self._model, texts))
        try:
            client = await self._open_client()
            if patient:
                answer = await retry_request(partial(self._send, client, body), self._may_pass, self._around.tell)
            else:
                answer = await self._send(client, body)
            return await asyncio.to_thread(self._read_answer, answer, len(texts))
        except _Refused as error:
            raise self._tell_refusal(error) from error
        except Offline as error:
            raise _Down(f"{self._endpoint.host} embeds the library, and Magpie is offline.", error.remedy) from error
        except (httpx2.TransportError, httpx2.InvalidURL, NetworkError, OSError) as error:
            raise self.unreachable(f"cannot be asked: {one_line(str(error) or type(error).__name__)}") from error
        except ConfigError as error:
            raise EmbedderUnavailable(error.problem, error.remedy) from error
        except UnusableVectors as error:
            raise self.wrong_answer(str(error)) from error

    def unreachable(self, why: str) -> EmbedderUnavailable:
        """That the server could not be asked; `why` follows its name."""
        return _Down(f"The embedding server {self._endpoint.base_url} {why.rstrip('.')}.", NOT_THERE)

    def wrong_answer(self, why: str, remedy: str = NOT_THERE) -> EmbedderUnavailable:
        """That what the server says cannot be used; `why` follows its name."""
        return EmbedderUnavailable(f"The embedding server {self._endpoint.base_url} {why}.", remedy)

    def is_down(self, error: EmbedderUnavailable) -> bool:
        """Whether there is no use in asking again at once; offline that may change at any moment."""
        return isinstance(error, _Down) and not isinstance(error.__cause__, Offline)

    async def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    async def _open_client(self) -> "httpx2.AsyncClient":
        async with self._opening:
            if self._client is None:
                # What it imports takes a moment: not on the loop that draws the prompt.
                self._client = await asyncio.to_thread(self._make_client)
            return self._client

    def _make_client(self) -> "httpx2.AsyncClient":
        client = open_api_client(self._endpoint, self._around.reach)
        variables = (self._wire.key_variable,) if self._has_environment_key else ()
        key = read_api_key(variables, self._key_file) if self._endpoint.may_have_key else ""
        if key:
            client.headers["authorization"] = f"Bearer {key}"
        return client

    async def _send(self, client: "httpx2.AsyncClient", body: bytes) -> bytes:
        url = self._endpoint.base_url.rstrip("/") + self._wire.path
        answer = await client.post(url, content=body, headers={"content-type": "application/json"})
        if answer.status_code != 200:
            raise _Refused(answer.status_code, answer.headers, self._said_error(answer.text))
        return answer.content

    def _read_answer(self, body: bytes, count: int) -> tuple[Vectors, int]:
        try:
            answer = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise UnusableVectors("answers with what is no JSON: is that its base URL") from error
        return read_vectors(self._wire, answer, count)

    def _said_error(self, body: str) -> str:
        """The server's own words in one line, without the key, should it send that back."""
        try:
            answer = json.loads(body)
            said = answer["error"]
            said = said["message"] if isinstance(said, dict) else said
            code = answer["error"].get("code") if isinstance(answer["error"], dict) else ""
            words = f"{said} {NO_QUOTA}" if code == NO_QUOTA else str(said)
        except (ValueError, RecursionError, KeyError, TypeError):
            words = "" if body.lstrip().startswith("<") else body
        key = (self._client.headers.get("authorization", "") if self._client else "").removeprefix("Bearer ")
        return one_line(words.replace(key, "…") if key else words, SAID_CHARS)

    def _may_pass(self, error: Exception) -> RetryableFailure | None:
        import httpx2

        if isinstance(error, _Refused) and _is_temporary(error):
            return RetryableFailure(
                f"{self._endpoint.host} cannot embed now (status {error.status})", after=error.after
            )
        if isinstance(error, httpx2.ReadError | httpx2.RemoteProtocolError | httpx2.WriteError):
            return RetryableFailure(f"{self._endpoint.host} broke off while it embedded")
        return None

    def _tell_refusal(self, error: _Refused) -> Exception:
        if _says_too_long(error):
            return TextTooLong()
        host, status = self._endpoint.host, error.status
        if status in (401, 403):
            return self._tell_wrong_key(host)
        said = f": {error.said.rstrip('.')}" if error.said else ""
        if status == 404:
            return EmbedderUnavailable(
                f"{host} has no embedding model {self._model!r} at {self._endpoint.base_url}{said}.",
                "Check rag.embedding_model and rag.embedding_base_url.",
            )
        return EmbedderUnavailable(f"{host} does not embed with {self._model!r} (status {status}){said}.", NOT_THERE)

    def _tell_wrong_key(self, host: str) -> EmbedderUnavailable:
        variable = self._wire.key_variable
        if self._has_environment_key:
            where = f"{variable} or rag.embedding_key_file"
            return EmbedderUnavailable(f"{host} refuses the key for its embeddings.", f"Set {where}.")
        if self._key_file or not os.environ.get(variable, "").strip():
            what = "refuses the key" if self._key_file else "wants a key"
            return EmbedderUnavailable(f"{host} {what} for its embeddings.", KEY_STANDS)
        return EmbedderUnavailable(
            f"{host} wants a key for its embeddings, and that in {variable} is another server's.", KEY_STANDS
        )


def _is_temporary(error: _Refused) -> bool:
    lasting = error.status == 501 or _says_too_long(error) or NO_QUOTA in error.said
    return is_retried(error.status) and not lasting


def _says_too_long(error: _Refused) -> bool:
    words = error.said.lower()
    return error.status in (400, 413, 422, 500) and any(sign in words for sign in TOO_LONG)
