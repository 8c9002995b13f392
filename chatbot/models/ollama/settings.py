"""The settings of the Ollama backend."""

from dataclasses import dataclass

from utils.settings import Name

DEFAULT_PORT = 11434


@dataclass(frozen=True, kw_only=True)
class OllamaSettings:
    """An Ollama server."""

    host: Name = ""
    """Address of the server; unset: OLLAMA_HOST, else this machine's port 11434."""
    keep_alive: Name = "10m"
    """How long the server keeps the model in memory after a reply."""
