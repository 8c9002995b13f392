"""What a configuration says of the model that is to answer, and what chooses it."""

from collections.abc import Callable

from chatbot.config import Config
from chatbot.models.base import LanguageModel
from chatbot.models.provider import ModelSurroundings, UnaskedChoice
from chatbot.models.selection import Models, WantedModel
from chatbot.models.state import ModelState
from utils.network.access import NetworkAccess


def surroundings(
    config: Config,
    reach: NetworkAccess,
    tell_choice: Callable[[UnaskedChoice], None],
    progress: Callable[[str, int, int], None] = lambda label, done, total: None,
    *,
    tell: Callable[[str], None] = lambda said: None,
    remember: bool = True,
) -> ModelSurroundings:
    """What the backends of models are handed; a private run, and without `remember` any, remembers no choice."""
    data = config.data_folder
    state = ModelState(data, remember and not config.private)
    return ModelSurroundings(data, config, reach, state, tell_choice, progress, tell)


def choose_models(
    config: Config, around: ModelSurroundings, adapt: Callable[[LanguageModel], LanguageModel] = lambda model: model
) -> Models:
    """What chooses among the models of all backends; `adapt` wraps those that answer."""
    return Models(WantedModel(config.backend, config.model, config.backends), around, adapt)
