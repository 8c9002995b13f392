"""The reranker that the settings ask for, inside a chat or by itself."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from chatbot.config import Config
from chatbot.engine.model_choice import SideModels, choose_models, surroundings
from chatbot.engine.network import make_reach
from chatbot.models.base import LanguageModel
from chatbot.models.lazy import LazyModel
from chatbot.models.named import RERANKING_MODEL
from chatbot.models.pipeline.llm_reranker import ModelJudge
from rag.search.cross_encoder import CrossEncoderReranker
from rag.search.reranking import Reranking
from rag.settings import RagSettings
from utils.network.access import NetworkAccess
from utils.network.model_hub import Hub


def make_reranking(config: Config, tell: Callable[[str], None], reach: NetworkAccess) -> Reranking | None:
    """The reranker of all chats, nothing of it loaded yet; None where each asks a model, or none is wanted.

    `tell` is told of its failure once.
    """
    name = config.rag.reranker
    if not name or name == RERANKING_MODEL or name in config.models:
        return None
    return Reranking(CrossEncoderReranker(name, Hub(reach)), config.rag, tell)


def make_model_reranking(
    rag: RagSettings, model: Callable[[], LanguageModel] | None, tell: Callable[[str], None]
) -> Reranking | None:
    """The reranker that asks a model; None without one."""
    return Reranking(ModelJudge(model), rag, tell) if model else None


@asynccontextmanager
async def reranking_alone(config: Config, tell: Callable[[str], None]) -> AsyncIterator[Reranking | None]:
    """The reranker where no chat runs: a model, if it is one, is chosen when it is first asked."""
    reach = make_reach(config, tell)
    models = choose_models(config, surroundings(config, reach, lambda choice: tell(choice.sentence), tell=tell))
    model = LazyModel(models.start_model)
    try:
        judging = SideModels(config, lambda: model, models.other_model).judging
        yield make_reranking(config, tell, reach) or make_model_reranking(config.rag, judging, tell)
    finally:
        await model.close()
        await models.close()
