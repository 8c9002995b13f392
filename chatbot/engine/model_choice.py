"""What a configuration says of the model that is to answer, and what chooses it."""

from collections.abc import Awaitable, Callable
from functools import partial

from chatbot.config import Config
from chatbot.conversation.usage import Usage
from chatbot.history.entries import Spent
from chatbot.models.base import LanguageModel
from chatbot.models.lazy import LazyModel
from chatbot.models.named import RERANKING_MODEL
from chatbot.models.provider import ModelSurroundings, UnaskedChoice
from chatbot.models.providers import WantedModel
from chatbot.models.selection import Models
from chatbot.models.state import ModelState
from chatbot.models.wrapping import MeteredModel
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
    return Models(WantedModel(config.backend, config.model, config.backends, config.named_models), around, adapt)


async def _forget(spent: Spent) -> None:
    """Keep no account, where no conversation is."""


class SideModels:
    """What is asked beside the answer: each is the model that a setting names, else the one that answers.

    `own` gives that one, and `open_other` opens the one of a name, when it is first asked; `spend` is told what each
    request took, and what for.
    """

    def __init__(
        self,
        config: Config,
        own: Callable[[], LanguageModel],
        open_other: Callable[[str], Awaitable[LanguageModel]],
        spend: Callable[[Spent], Awaitable[None]] = _forget,
    ) -> None:
        self._own = own
        self._open_other = open_other
        self._spend = spend
        self.titles = self._model_of(config.history.title_model, "titles")
        """Names conversations."""
        self.lines = self._model_of(config.answer_summary_model, "summaries")
        """Says in one line what an answer says."""
        self.rewriting = self._model_of(config.rag.rewrite_model, "searches")
        """Words searches anew."""
        named = config.rag.reranker
        other = named if named in config.models else ""
        self.judging = self._model_of(other, "ranking") if other or named == RERANKING_MODEL else None
        """Judges passages; None where no model does."""

    def _model_of(self, name: str, purpose: str) -> Callable[[], MeteredModel]:
        beside = LazyModel(partial(self._open_other, name)) if name else None

        def give_metered() -> MeteredModel:
            model = beside or self._own()
            known_by = ""

            async def note(usage: Usage) -> None:
                nonlocal known_by
                known_by = known_by or (await model.describe()).known_by
                await self._spend(Spent(usage, known_by, purpose))

            return MeteredModel(model, note)

        return give_metered
