"""What searches and reads, for which no model is needed."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from chatbot.config import Config
from chatbot.engine.network import make_fetcher, make_shelf
from chatbot.library.opening import Embedders, make_embedders, open_library
from rag.embedding.backends import OpenedEmbedder
from rag.library import Library
from rag.search.reranking import Reranking
from rag.zim.shelf import ZimShelf
from tools.web.engines import make_searchers
from tools.web.fallback import Searcher
from tools.web.fetch import Fetcher
from tools.web.ranking import Ranker
from tools.web.search import Web
from utils.network.access import NetworkAccess
from utils.paths import private_dir


@dataclass(frozen=True, eq=False)
class SharedRetrieval:
    """What is open of library and web."""

    config: Config
    library: Library | None
    fetcher: Fetcher
    searchers: tuple[Searcher, Searcher]
    ranker: Ranker
    embedders: Embedders
    shelf: ZimShelf
    """The archives that answer without a network."""

    @property
    def embedder(self) -> OpenedEmbedder:
        """What compares texts on this machine, for whatever is not kept: nothing is sent anywhere for that."""
        return self.embedders.local

    def make_web(self) -> Web:
        """The tools of the web for one conversation; what they find goes into the library where that is wanted."""
        kept = self.library if self.config.rag.web_search_rag_enabled else None
        if kept is not None and kept.read_only:
            kept = None
        return Web(self.searchers, self.fetcher, self.ranker, self.config, kept)

    async def close(self) -> None:
        """Let go of the library; what was indexed is on disk."""
        if self.library is not None:
            await self.library.close()
        await self.embedders.close()


async def open_retrieval(
    config: Config,
    reach: NetworkAccess,
    reranking: Reranking | None = None,
    tell: Callable[[str], None] = lambda said: None,
) -> SharedRetrieval:
    """Open all of it, nothing heavy of it loaded yet; `reranking` judges every search. Raises a `MagpieError`.

    `tell` shows the user what the library has to say: where its texts go, and what cannot embed them now.
    """
    data = await asyncio.to_thread(private_dir, config.data_folder)
    embedders = make_embedders(config, reach, tell)
    library = await open_library(config, embedders, reranking) if config.rag.enabled else None
    # Pages are ranked here whatever embeds the library: most of what is found is never kept.
    shelf = make_shelf(config, reach)
    ranker, searchers = Ranker(embedders.local, config.rag.chunk_shape), make_searchers(config.search, reach, shelf)
    fetcher = make_fetcher(config, data, reach, shelf)
    return SharedRetrieval(config, library, fetcher, searchers, ranker, embedders, shelf)
