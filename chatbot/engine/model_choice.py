"""What a configuration says of the model that is to answer."""

from chatbot.config import Config
from chatbot.models.selection import WantedModel


def wanted_model(config: Config) -> WantedModel:
    """What is chosen from; a private run remembers no choice."""
    return WantedModel(config.backend, config.model, config.ollama, config.embedded, config, not config.private)
