"""What all chats of a process share: network, library, embedder, MCP servers, people."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from chatbot.citations.checker import CitationChecker, make_checker
from chatbot.config import Configuration
from chatbot.conversation.events import Progress
from chatbot.engine.face import Audience
from chatbot.engine.network import make_reach
from chatbot.engine.people import People
from chatbot.engine.reranker import make_reranking
from chatbot.engine.retrieval import SharedRetrieval, open_retrieval
from chatbot.mcp.servers import RemoteServers
from utils.network.access import NetworkAccess
from utils.network.model_hub import Hub


@dataclass(frozen=True, eq=False)
class Resources:
    """The parts of a running process; nothing of any one conversation."""

    configuration: Configuration
    audience: Audience
    reach: NetworkAccess
    retrieval: SharedRetrieval
    checker: CitationChecker | None
    servers: RemoteServers
    people: People
    progress: Callable[[str, int, int], None]
    """Shows everybody how far something is: its label, done and total. Any thread may call it."""

    async def close(self) -> None:
        """Let go of everything, once no chat is left."""
        try:
            await self.servers.close()
        finally:
            await self.retrieval.close()


async def open_resources(configuration: Configuration, audience: Audience) -> Resources:
    """Open everything; nothing heavy is loaded yet. Raises a `MagpieError`."""
    config = configuration.values
    reach = make_reach(config, lambda said: audience.tell(said, False))
    reranking = make_reranking(config, audience.tell, reach)
    retrieval = await open_retrieval(config, reach, reranking, lambda said: audience.tell(said, True))
    checker = make_checker(config.citations, retrieval.embedder, Hub(reach))
    people = People(config)
    servers = RemoteServers(configuration, reach, people.owners)
    progress = progress_teller(audience)
    return Resources(configuration, audience, reach, retrieval, checker, servers, people, progress)


def progress_teller(audience: Audience) -> Callable[[str, int, int], None]:
    """A progress callback that any thread may call; it tells each percent once."""
    loop = asyncio.get_running_loop()
    told: dict[str, int] = {}

    def tell(label: str, done: int, total: int) -> None:
        percent = 100 * done // max(total, 1)
        if told.get(label) != percent:
            told[label] = percent
            loop.call_soon_threadsafe(audience.show, Progress(label, done, total))

    return tell
