"""The embedded engine among the backends; light to import."""

from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.provider import ModelBackend, ModelProvider


def _load() -> type[ModelProvider]:
    from chatbot.models.embedded.provider import EmbeddedProvider

    return EmbeddedProvider


EMBEDDED_BACKEND = ModelBackend("embedded", EmbeddedSettings, _load)
"""llama.cpp, started by Magpie itself."""
