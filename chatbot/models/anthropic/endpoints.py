"""Where Claude is asked, and which key goes there."""

import os

from chatbot.models.anthropic.settings import AnthropicSettings
from chatbot.models.remote.destination import Destination, complete_scheme, find_destination
from utils.network.api_client import ApiEndpoint

ANTHROPIC_URL = "https://api.anthropic.com"
ANTHROPIC_KEY_VARIABLE = "ANTHROPIC_API_KEY"
ANTHROPIC_URL_VARIABLE = "ANTHROPIC_BASE_URL"


def named_claude(settings: AnthropicSettings) -> str:
    """The base URL that setting or environment name; empty where neither does."""
    named = (settings.base_url or os.environ.get(ANTHROPIC_URL_VARIABLE, "")).strip()
    return shorten_url(named) if named else ""


def shorten_url(url: str) -> str:
    """A base URL with the scheme that people leave out, without the /v1 that other protocols have there."""
    return complete_scheme(url).removesuffix("/v1").rstrip("/")


def claude_destination(settings: AnthropicSettings, timeout: float) -> Destination:
    """The server that is meant, with its key; raises `ConfigError`."""
    endpoint = ApiEndpoint(named_claude(settings) or ANTHROPIC_URL, "anthropic", timeout)
    own = (ANTHROPIC_URL, shorten_url(os.environ.get(ANTHROPIC_URL_VARIABLE, "").strip()))
    return find_destination(endpoint, settings.base_url, settings.key_file, ANTHROPIC_KEY_VARIABLE, own)
