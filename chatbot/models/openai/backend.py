"""Servers that speak OpenAI's protocol among the backends; light to import."""

from chatbot.models.openai.settings import OpenAISettings
from chatbot.models.provider import ModelBackend, ModelProvider


def _load() -> type[ModelProvider]:
    from chatbot.models.openai.provider import OpenAIProvider

    return OpenAIProvider


def _server(settings: OpenAISettings) -> str:
    from chatbot.models.openai.endpoints import named_url

    return named_url(settings)


OPENAI = ModelBackend(
    "openai",
    OpenAISettings,
    _load,
    title="other server",
    plain_when_asked=True,
    secrets_of={"key_file": "base_url"},
    server=_server,
)
"""Any server that speaks OpenAI's protocol."""
