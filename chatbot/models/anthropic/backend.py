"""Claude among the backends; light to import."""

from chatbot.models.anthropic.settings import AnthropicSettings
from chatbot.models.provider import ModelBackend, ModelProvider


def _load() -> type[ModelProvider]:
    from chatbot.models.anthropic.provider import AnthropicProvider

    return AnthropicProvider


def _server(settings: AnthropicSettings) -> str:
    from chatbot.models.anthropic.endpoints import named_claude

    return named_claude(settings)


ANTHROPIC = ModelBackend(
    "anthropic",
    AnthropicSettings,
    _load,
    title="Claude",
    plain_when_asked=True,
    unasked=False,
    secrets_of={"key_file": "base_url"},
    server=_server,
)
"""Claude, at Anthropic or at another server that speaks its API."""
