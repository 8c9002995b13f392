"""Ollama among the backends; light to import."""

from chatbot.models.ollama.settings import DEFAULT_PORT, OllamaSettings
from chatbot.models.provider import ModelBackend, ModelProvider


def _load() -> type[ModelProvider]:
    from chatbot.models.ollama.provider import OllamaProvider

    return OllamaProvider


def _server(settings: OllamaSettings) -> str:
    from chatbot.models.ollama.errors import named_host, server_address

    return server_address(named_host(settings.host))


OLLAMA = ModelBackend(
    "ollama",
    OllamaSettings,
    _load,
    title="Ollama",
    plain_names=True,
    ports=frozenset({DEFAULT_PORT}),
    server=_server,
)
"""Any server that speaks Ollama's native API."""
