"""The settings of the backend for Claude."""

from dataclasses import dataclass

from utils.settings import Name


@dataclass(frozen=True, kw_only=True)
class AnthropicSettings:
    """Claude, by Anthropic's API or another server that speaks it."""

    base_url: Name = ""
    """The server's address; unset: ANTHROPIC_BASE_URL, else https://api.anthropic.com."""
    key_file: Name = ""
    """A file of mode 0600 with the server's key; ANTHROPIC_API_KEY goes before it, unless `base_url` is set as well."""
