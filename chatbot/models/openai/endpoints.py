"""Where a server of OpenAI's protocol is, what kind it is, and which key goes to it."""

import os
from collections.abc import Sequence
from enum import Enum
from typing import Any

from chatbot.models.openai.settings import OpenAISettings
from chatbot.models.remote.destination import Destination, complete_scheme, find_destination
from utils.network.addresses import host_of
from utils.network.api_client import ApiEndpoint

OFFICIAL_URL = "https://api.openai.com/v1"
KEY_VARIABLE = "OPENAI_API_KEY"
URL_VARIABLE = "OPENAI_BASE_URL"


class ServerKind(Enum):
    """Servers of which is known what they can beside the protocol; the value is how sentences call them."""

    OPENAI = "OpenAI"
    PERPLEXITY = "Perplexity"
    LM_STUDIO = "LM Studio"
    LLAMA_SERVER = "llama-server"
    VLLM = "vLLM"
    OTHER = "A server"


_BY_HOST = {"api.openai.com": ServerKind.OPENAI, "api.perplexity.ai": ServerKind.PERPLEXITY}
# What they write into their lists of models.
_BY_OWNER = {
    "llamacpp": ServerKind.LLAMA_SERVER,
    "vllm": ServerKind.VLLM,
    "organization_owner": ServerKind.LM_STUDIO,
}
ROOTED = ("api.perplexity.ai",)
"""Hosts whose paths begin at the root; all others have theirs below /v1."""


def named_url(settings: OpenAISettings) -> str:
    """The base URL that setting or environment name; empty where neither does."""
    named = (settings.base_url or os.environ.get(URL_VARIABLE, "")).strip()
    return complete_url(named) if named else ""


def complete_url(url: str) -> str:
    """A base URL with the scheme and the /v1 that people leave out."""
    scheme, _, rest = complete_scheme(url).partition("://")
    plain = f"{scheme}://{rest}"
    return plain if "/" in rest or host_of(plain) in ROOTED else f"{plain}/v1"


def destination(url: str, settings: OpenAISettings, timeout: float) -> Destination:
    """The server of a base URL that the user named, or OpenAI's own; raises `ConfigError`."""
    endpoint = ApiEndpoint(url, "openai", timeout)
    own = (OFFICIAL_URL, complete_url(os.environ.get(URL_VARIABLE, "").strip()))
    return find_destination(endpoint, settings.base_url, settings.key_file, KEY_VARIABLE, own)


def kind_of(host: str, entries: Sequence[dict[str, Any]]) -> ServerKind:
    """What kind of server answers, by its host or by what its list of models says."""
    owners = {entry.get("owned_by") for entry in entries[:10] if isinstance(entry.get("owned_by"), str)}
    return _BY_HOST.get(host) or next((_BY_OWNER[owner] for owner in owners if owner in _BY_OWNER), ServerKind.OTHER)
