"""The one place where the library and its embedder are made."""

from chatbot.config import Config
from rag.embedding.selector import FastEmbedder
from rag.library import Library
from rag.search.reranking import Reranking
from utils.network.access import NetworkAccess
from utils.network.model_hub import Hub


def make_embedder(config: Config, reach: NetworkAccess) -> FastEmbedder:
    """The embedder of the settings; nothing is loaded yet."""
    return FastEmbedder(config.rag.embedding_model, config.data_folder / "onnx", hub=Hub(reach))


async def open_library(config: Config, embedder: FastEmbedder, reranking: Reranking | None = None) -> Library:
    """The library of the settings; `reranking` judges every search that does not bring its own.

    Raises `LibraryError`.
    """
    return await Library.open(config.library_folder, config.library, embedder, reranking)
