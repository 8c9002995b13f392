"""Where the parts meet: a configuration becomes an agent with its model, its tools and its library."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from chatbot.agent import Agent
from chatbot.config import Configuration
from chatbot.events import Notice, Progress
from chatbot.models.base import LanguageModel
from chatbot.models.chosen import ChosenModel
from chatbot.models.embedded import EmbeddedModel
from chatbot.prompts import Briefing, instructions
from rag.embedding import SentenceEmbedder
from rag.library import Library
from tools.base import Toolbox
from utils.errors import MagpieError
from utils.paths import private_dir

News = asyncio.Queue[Notice | Progress]


@dataclass
class Parts:
    """The parts of a running Magpie."""

    agent: Agent
    library: Library | None
    embedder: SentenceEmbedder

    async def warm_up(self) -> None:
        """Load the embedder and the model, and read the fixed part of the prompt; raises a `MagpieError`."""
        await self.embedder.load()
        await self.agent.warm_up()

    async def close(self) -> None:
        """Let go of model and library."""
        await self.agent.model.close()
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
    agent = Agent(ChosenModel(choose), Toolbox([]), config, briefing, config.max_tokens)
    return Parts(agent, library, embedder)


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
