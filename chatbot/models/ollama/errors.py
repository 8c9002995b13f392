"""Where an Ollama server is, and what its failures mean: words and exceptions become one sentence and a remedy."""

import json
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from chatbot.models.ollama.settings import DEFAULT_PORT
from chatbot.models.wire_values import parse_object
from utils.errors import (
    ConfigError,
    ModelError,
    ModelNotFound,
    ModelUnavailable,
    NetworkError,
    Offline,
    PromptTooLong,
    ReplyBroken,
    ToolsUnsupported,
    Unreachable,
)
from utils.network import addresses
from utils.text import one_line

START = "Start it with `ollama serve`, set ollama.host, or use the embedded model with backend=embedded."
NOT_OLLAMA = "Check ollama.host and OLLAMA_HOST, or use the embedded model with backend=embedded."
SLOW = "Wait for the model to load and ask again, choose a smaller one, or raise request_timeout."


class ThinkingUnsupported(ModelError):
    """The server refuses thinking for this model, whatever /api/show said."""


def server_address(host: str) -> str:
    """The base URL for a host as OLLAMA_HOST spells it: `box`, `:8080`, `https://box/path`, `[::1]:1`, or nothing.

    The rules are those of the `ollama` package; beyond them spaces and quotes around it are dropped, and the
    wildcard addresses that a server listens on become this machine. Raises `ConfigError`.
    """
    host = host.strip().strip("\"'")
    scheme, separator, rest = host.partition("://")
    if not separator:
        scheme, rest = "http", host
    port = {"http": 80, "https": 443}.get(scheme if separator else "", DEFAULT_PORT)
    told = repr(host) if is_plain_address(host) else "(not repeated here: more than a host stands in it)"
    try:
        split = urlsplit(f"{scheme}://{rest}")
        name, port = split.hostname or "127.0.0.1", split.port or port
        if "@" in split.path:
            # A password with a slash in it: what is taken for a host is a user's name.
            raise ValueError("there is more than one address in it")
    except ValueError as error:
        # What Python says repeats a part of the address, which may be one of a password.
        why = f": {error}" if is_plain_address(host) else ""
        raise ConfigError(f"The Ollama address {told} is not valid{why}.", "Write it as host:port.") from None
    if scheme not in ("http", "https"):
        what = f"has the scheme {scheme}" if is_plain_address(host) else "has a scheme that is not one"
        raise ConfigError(f"The Ollama address {told} {what}.", "Write it as http:// or https://.")
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(name, name)
    path = split.path.strip("/")
    return f"{scheme}://{f'[{name}]' if ':' in name else name}:{port}" + (f"/{path}" if path else "")


def is_plain_address(address: str) -> bool:
    """Whether an address has no room for a user name, a password or a key, so that it may be repeated."""
    return not any(sign in address for sign in "@?#;")


def is_this_machine(address: str) -> bool:
    """Whether a base URL points at the machine that Magpie runs on."""
    return addresses.is_this_machine(urlsplit(address).hostname or "")


def named_host(host: str) -> str:
    """The host that the user named, by setting or environment; empty when neither says any."""
    return host or os.environ.get("OLLAMA_HOST", "")


@asynccontextmanager
async def translate_errors(address: str) -> AsyncIterator[None]:
    """Whatever httpx and the `ollama` package raise inside becomes a `ModelError`."""
    import httpx
    import ollama

    try:
        yield
    except (
        OSError,
        httpx.HTTPError,
        httpx.InvalidURL,
        ollama.ResponseError,
        NetworkError,
        json.JSONDecodeError,
        UnicodeError,
    ) as error:
        raise translate_error(address, error) from error


def translate_error(address: str, error: Exception) -> ModelError:
    """The `ModelError` that stands for a library's exception."""
    import httpx
    import ollama

    match error:
        case Offline():
            return ModelUnavailable(error.problem, error.remedy)
        case Unreachable() | httpx.ConnectTimeout() | httpx.ConnectError() | ConnectionError():
            return ollama_unavailable(address, "nothing listens there, or it is not reachable")
        case httpx.TimeoutException() | TimeoutError():
            return ModelUnavailable(f"No sign from Ollama at {address} within the time allowed.", SLOW)
        case httpx.RemoteProtocolError() | httpx.ReadError() | httpx.WriteError() | httpx.DecodingError():
            return ReplyBroken(f"The connection to Ollama at {address} broke in the middle of an answer.", "Ask again.")
        case ollama.ResponseError():
            return refused_request(address, error.status_code, json.dumps({"error": error.error}))
        case ValueError():
            # What the client trips over when a body is not JSON, or not of Ollama's shape.
            return foreign_answer(address, "its answer cannot be read")
    return ollama_unavailable(address, one_line(str(error)) or type(error).__name__)


def ollama_unavailable(address: str, why: str) -> ModelUnavailable:
    """No answer at all."""
    return ModelUnavailable(f"Ollama does not answer at {address}: {why}.", START)


def foreign_answer(address: str, what: str) -> ModelUnavailable:
    """An answer that Ollama would not give."""
    return ModelUnavailable(f"What answers at {address} is not Ollama ({what}).", NOT_OLLAMA)


def refused_request(address: str, status: int, body: str) -> ModelError:
    """The failure that a status other than 200 and its body mean."""
    answer = parse_object(body)
    said = answer.get("error") if answer is not None else None
    if isinstance(said, str | dict) and said:
        return said_error(said, status)
    if status in (401, 403):
        return ModelUnavailable(f"The server at {address} refuses us (status {status}).", NOT_OLLAMA)
    if status >= 500:
        problem = f"The server at {address} answers with status {status} and no word from Ollama."
        return ModelUnavailable(problem, "See whether Ollama runs behind it, then ask again.")
    return foreign_answer(address, f"status {status}")


def said_error(said: object, status: int) -> ModelError:
    """The failure that Ollama's own words mean; models served natively wrap llama.cpp's JSON in a string."""
    inner = said if isinstance(said, dict) else parse_object(str(said))
    if inner is not None:
        wrapped = inner.get("error", inner)
        details = wrapped if isinstance(wrapped, dict) else {"message": wrapped}
    else:
        details = {"message": said}
    words = one_line(str(details.get("message", said)), 300)
    too_long = prompt_too_long(words, details)
    if too_long is not None:
        return too_long
    if "does not support tools" in words:
        return ToolsUnsupported("This model has no way to call tools.", "Magpie then decides for it.")
    if "does not support thinking" in words:
        return ThinkingUnsupported("This model cannot think.", "Switch thinking off with /think off.")
    return other_error(words, status)


def prompt_too_long(words: str, details: dict[str, Any]) -> PromptTooLong | None:
    """The exact counts of a prompt that does not fit, in any of the forms that a server was seen to use."""
    counts = details.get("n_prompt_tokens"), details.get("n_ctx")
    if isinstance(counts[0], int) and isinstance(counts[1], int):
        return PromptTooLong(counts[0], counts[1])
    match = re.search(r"\((\d+) tokens\) exceeds the available context size \((\d+)", words)
    if match:
        return PromptTooLong(int(match[1]), int(match[2]))
    if re.search(r"(longer than|exceeds?) the .{0,20}?context (length|size|window)", words):
        return PromptTooLong(0, 0)
    return None


def other_error(words: str, status: int) -> ModelError:
    """A failure that needs no counts."""
    said = words.rstrip(".")
    if status == 404 or re.search(r"model .*not found", words):
        return ModelNotFound(f"Ollama says: {said}.", "See `ollama list`, or fetch it with `ollama pull`.")
    if "memory" in words:
        return ModelError(f"Ollama ran out of memory: {said}.", "Choose a smaller model or lower context_window.")
    if status == 503:
        return ModelUnavailable(f"Ollama is busy: {said}.", "Wait a moment and ask again.")
    if status == 401:
        return ModelUnavailable(f"Ollama wants you to sign in: {said}.", "Run `ollama signin` or set OLLAMA_API_KEY.")
    return ModelError(f"Ollama says: {said}.", "Ask again, or see the server's log.")
