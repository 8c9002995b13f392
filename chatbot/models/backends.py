"""What can run language models: the one list, from which settings, options and the choice of a model are made."""

from chatbot.models.anthropic.backend import ANTHROPIC
from chatbot.models.embedded.backend import EMBEDDED_BACKEND
from chatbot.models.ollama.backend import OLLAMA
from chatbot.models.openai.backend import OPENAI
from chatbot.models.provider import AUTO, ModelBackend

BACKENDS: list[ModelBackend] = [OLLAMA, OPENAI, ANTHROPIC, EMBEDDED_BACKEND]
"""In the order in which `auto` tries them: to add one, name it here."""


def bare_name(model: str) -> str:
    """A model's name without that of its backend before it: `0.5b` of `embedded:0.5b`."""
    owner = next((backend for backend in BACKENDS if backend.owns(model)), None)
    return model.removeprefix(f"{owner.name}:") if owner else model


def backend_names() -> tuple[str, ...]:
    """What the setting `backend` can be."""
    return (AUTO, *(backend.name for backend in BACKENDS))
