"""The one place where the library and its embedders are made."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass

from chatbot.config import Config
from chatbot.models.backends import BACKENDS
from rag.embedding.backends import OpenedEmbedder, open_embedder
from rag.embedding.choice import EmbedderSurroundings, EmbeddingChoice
from rag.embedding.selector import FastEmbedder
from rag.library import Library
from rag.model_change import EmbeddingContext
from rag.search.reranking import Reranking
from rag.settings import RagSettings
from utils.network.access import NetworkAccess

LOCAL = "local"
"""The backend that needs no server."""


@dataclass(frozen=True)
class Embedders:
    """What makes vectors: `library` those of the library, `local` all others, on this machine whatever is set."""

    library: OpenedEmbedder
    local: OpenedEmbedder
    choice: EmbeddingChoice
    around: EmbedderSurroundings

    def reopen(self, description: str) -> OpenedEmbedder | None:
        """The embedder that a library was made by, from what it kept of it; None where that says nothing.

        Raises `LibraryError`.
        """
        try:
            choice = EmbeddingChoice(**json.loads(description))
        except (ValueError, TypeError):
            # Of a library that kept none the fingerprint is known: the model's name stands before the digest.
            choice = EmbeddingChoice(LOCAL, description.partition(":")[0])
        return open_embedder(choice, self.around)

    async def prepare(self, tell: Callable[[str], None]) -> None:
        """Make the export of the local one if it has none yet: once a machine, and then all goes twice as fast."""
        if isinstance(self.local, FastEmbedder) and not await self.local.is_prepared():
            tell("Preparing the fast embedder, once.")
            await self.local.prepare_export()

    async def close(self) -> None:
        """Let go of both."""
        await self.library.close()
        await self.local.close()


def make_embedders(config: Config, reach: NetworkAccess, tell: Callable[[str], None]) -> Embedders:
    """The embedders of the settings; nothing is loaded or asked yet. Raises a `MagpieError`."""
    around = EmbedderSurroundings(config.data_folder, reach, tell)
    choice = embedding_choice(config)
    library = open_embedder(choice, around)
    if choice.backend == LOCAL:
        return Embedders(library, library, choice, around)
    local = open_embedder(EmbeddingChoice(LOCAL, RagSettings().embedding_model), around)
    return Embedders(library, local, choice, around)


def embedding_choice(config: Config) -> EmbeddingChoice:
    """The embedding model of the settings; its server is that of the backend of models with its name, unless said.

    Raises `ConfigError` for a base URL that cannot be read.
    """
    rag = config.rag
    # The model that comes with Magpie is no server's: there its own is meant.
    unnamed = rag.embedding_backend != LOCAL and rag.embedding_model == RagSettings().embedding_model
    section = config.backends.get(rag.embedding_backend)
    servers = [backend.server(section) for backend in BACKENDS if backend.name == rag.embedding_backend]
    return EmbeddingChoice(
        rag.embedding_backend,
        "" if unnamed else rag.embedding_model,
        rag.embedding_base_url or "".join(servers),
        # The key of the backend's server goes to no other one.
        rag.embedding_key_file or ("" if rag.embedding_base_url else getattr(section, "key_file", "")),
        rag.embedding_query_prefix,
        rag.embedding_passage_prefix,
    )


async def open_library(
    config: Config,
    embedders: Embedders,
    reranking: Reranking | None = None,
) -> Library:
    """The library of the settings; `reranking` judges every search that does not bring its own.

    Raises `LibraryError`.
    """
    around = embedders.around
    context = EmbeddingContext(json.dumps(asdict(embedders.choice)), embedders.reopen, around.tell, around.reach)
    return await Library.open(config.library_folder, config.library, embedders.library, reranking, context)
