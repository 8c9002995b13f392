"""Where the parts meet: a configuration becomes an agent with its model, its tools and its library."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from chatbot import __version__
from chatbot.agent import Agent
from chatbot.config import Config, Configuration
from chatbot.events import Notice, Progress
from chatbot.models.arguments import reword
from chatbot.models.base import LanguageModel
from chatbot.models.chosen import ChosenModel
from chatbot.models.embedded import EmbeddedModel
from chatbot.prompts import Briefing, instructions
from rag.embedding import SentenceEmbedder
from rag.library import Library
from tools.base import Toolbox, tool
from tools.fetch import Fetcher
from tools.library_search import LibrarySearch
from tools.page_cache import PageCache
from tools.ranking import Ranker
from tools.search_engines import make_searchers
from tools.web_search import Web
from utils.addresses import public_web
from utils.errors import MagpieError
from utils.http import Client, Limits
from utils.paths import private_dir

News = asyncio.Queue[Notice | Progress]

USER_AGENT = f"Magpie/{__version__}"
OLLAMA_PORT = 11434


@dataclass
class Parts:
    """The parts of a running Magpie."""

    agent: Agent
    library: Library | None
    embedder: SentenceEmbedder
    fetcher: Fetcher
    web: Web

    async def warm_up(self) -> None:
        """Load the embedder and the model, and read the fixed part of the prompt; raises a `MagpieError`."""
        await self.embedder.load()
        await self.agent.warm_up()

    async def close(self) -> None:
        """Let go of model and library, once what was read is in it."""
        await self.agent.model.close()
        await self.web.close()
        if self.library is not None:
            await self.library.close()


async def assemble(configuration: Configuration, news: News) -> Parts:
    """Build everything; nothing heavy is loaded yet. Raises a `MagpieError`."""
    config = configuration.values
    data = await asyncio.to_thread(private_dir, config.data_folder)
    embedder = SentenceEmbedder(config.rag.embedding_model)
    library = await Library.open(data, config.rag, embedder) if config.rag.enabled else None

    async def choose() -> LanguageModel:
        return EmbeddedModel(config.embedded, config, data, told(news))

    briefing = Briefing(instructions(config), lambda: library_news(library))
    model = ChosenModel(choose)
    fetcher = make_fetcher(config, data)
    web = make_web(config, fetcher, embedder, library)
    toolbox = Toolbox(
        [
            tool(web.web_search),
            tool(web.news_search),
            tool(web.fetch_url_content),
            *([tool(LibrarySearch(library).search_vector_db)] if library else []),
        ]
    )
    agent = Agent(model, toolbox, config, briefing, config.max_tokens, partial(reword, model))
    return Parts(agent, library, embedder, fetcher, web)


def make_fetcher(config: Config, data: Path) -> Fetcher:
    """What opens pages, for the tools and for `/rag-index`; the Ollama server is closed to it whatever is allowed."""
    policy = public_web(config.fetch.allow_hosts, closed_ports={OLLAMA_PORT, *port_of(config.ollama.host)})
    client = Client(policy, Limits(config.fetch.timeout, config.fetch.max_bytes), user_agent=USER_AGENT)
    return Fetcher(client, PageCache(data / "pages", config.fetch.cache_hours), config.fetch)


def port_of(host: str) -> set[int]:
    """The port that a host names, if it names one."""
    named = re.search(r":(\d{1,5})/?$", host)
    return {int(named[1])} if named else set()


def make_web(config: Config, fetcher: Fetcher, embedder: SentenceEmbedder, library: Library | None) -> Web:
    """The web's tools; what they find goes into the library where that is wished."""
    ranker = Ranker(embedder, config.rag.chunk_size, config.rag.chunk_overlap)
    kept = library if config.rag.web_search_rag_enabled else None
    return Web(make_searchers(config.search, USER_AGENT), fetcher, ranker, config, kept)


def told(news: News) -> Callable[[str, int, int], None]:
    """A progress callback that any thread may call."""
    loop = asyncio.get_running_loop()

    def tell(label: str, done: int, total: int) -> None:
        loop.call_soon_threadsafe(news.put_nowait, Progress(label, done, total))

    return tell


async def library_news(library: Library | None) -> str:
    """One sentence on the library's state, for the model."""
    if library is None or await library.empty():
        return "The library is empty."
    stats = await library.stats()
    return f"The library holds {stats.documents} documents, for instance: {'; '.join(await library.titles(5))}."


async def warm_up_quietly(parts: Parts, news: News) -> None:
    """Warm up in the background; what fails is said once, and again when it is needed."""
    try:
        await parts.warm_up()
    except MagpieError as error:
        news.put_nowait(Notice(str(error), "warning"))
