"""The reranker that the settings ask for, inside a chat or by itself."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from chatbot.config import Config
from chatbot.engine.model_choice import choose_models, surroundings
from chatbot.engine.network import make_reach
from chatbot.models.base import LanguageModel
from chatbot.models.lazy import LazyModel
from chatbot.models.pipeline.llm_reranker import ModelJudge
from rag.search.cross_encoder import CrossEncoderReranker
from rag.search.reranking import Reranking
from rag.settings import RagSettings
from utils.network.access import NetworkAccess
from utils.network.model_hub import Hub

CHAT_MODEL = "model"
"""The value of `rag.reranker` that means whatever model answers in the chat."""


def make_reranking(rag: RagSettings, tell: Callable[[str], None], reach: NetworkAccess) -> Reranking | None:
    """The reranker of all chats, nothing of it loaded yet; None where each asks its own model, or none is wanted.

    `tell` is told of its failure once.
    """
    if not rag.reranker or rag.reranker == CHAT_MODEL:
        return None
    return Reranking(CrossEncoderReranker(rag.reranker, Hub(reach)), rag, tell)


def make_model_reranking(
    rag: RagSettings, model: Callable[[], LanguageModel], tell: Callable[[str], None]
) -> Reranking | None:
    """The reranker that asks a chat's own model; None where another one, or none, is wanted."""
    return Reranking(ModelJudge(model), rag, tell) if rag.reranker == CHAT_MODEL else None


@asynccontextmanager
async def reranking_alone(config: Config, tell: Callable[[str], None]) -> AsyncIterator[Reranking | None]:
    """The reranker where no chat runs: the chat model, if it is the one, is chosen when it is first asked."""
    reach = make_reach(config, tell)
    models = choose_models(config, surroundings(config, reach, lambda choice: tell(choice.sentence), tell=tell))
    model = LazyModel(models.start_model)
    try:
        yield make_reranking(config.rag, tell, reach) or make_model_reranking(config.rag, lambda: model, tell)
    finally:
        await model.close()
        await models.close()
