"""What a configuration says of the model that is to answer."""

from chatbot.config import Config
from chatbot.models.selection import Wanted


def wanted_model(config: Config) -> Wanted:
    """What is chosen from; a private run remembers no choice."""
    return Wanted(config.backend, config.model, config.ollama, config.embedded, config, not config.private)
