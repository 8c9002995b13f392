"""What can embed a library, by the name that `rag.embedding_backend` gives it: the one list of them."""

from collections.abc import Callable
from typing import Protocol

from rag.embedding.base import LibraryEmbedder
from rag.embedding.choice import EmbedderSurroundings, EmbeddingChoice
from rag.embedding.model_traits import find_traits
from rag.embedding.selector import FastEmbedder
from rag.embedding.served.embedder import ServedEmbedder
from rag.embedding.served.ollama import OLLAMA_WIRE
from rag.embedding.served.openai import OPENAI_WIRE
from rag.embedding.served.wire import EmbeddingWire
from utils.errors import LibraryError
from utils.network.model_hub import Hub


class OpenedEmbedder(LibraryEmbedder, Protocol):
    """One that somebody has to close."""

    async def load(self) -> None:
        """Load what will answer; raises `EmbedderUnavailable`."""
        ...

    async def close(self) -> None:
        """Let go of what was opened."""
        ...


def open_local(choice: EmbeddingChoice, around: EmbedderSurroundings) -> FastEmbedder:
    """A model on this machine; nothing is loaded yet."""
    traits = find_traits(choice.model, choice.query_prefix, choice.passage_prefix)
    return FastEmbedder(choice.model, around.data_folder / "onnx", hub=Hub(around.reach), traits=traits)


def serve_by(wire: EmbeddingWire) -> Callable[[EmbeddingChoice, EmbedderSurroundings], OpenedEmbedder]:
    """What opens the models of a kind of server."""
    return lambda choice, around: ServedEmbedder(wire, choice, around)


EMBEDDING_BACKENDS: dict[str, Callable[[EmbeddingChoice, EmbedderSurroundings], OpenedEmbedder]] = {
    "local": open_local,
    "ollama": serve_by(OLLAMA_WIRE),
    "openai": serve_by(OPENAI_WIRE),
}
"""Each makes an embedder without loading or asking anything yet."""


def open_embedder(choice: EmbeddingChoice, around: EmbedderSurroundings) -> OpenedEmbedder:
    """The embedder that is meant; raises `LibraryError` where there is no such backend."""
    if choice.backend not in EMBEDDING_BACKENDS:
        known = ", ".join(sorted(EMBEDDING_BACKENDS))
        raise LibraryError(
            f"Nothing called {choice.backend!r} can embed the library.",
            f"Set rag.embedding_backend to one of: {known}.",
        )
    return EMBEDDING_BACKENDS[choice.backend](choice, around)
