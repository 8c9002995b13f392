"""The library and the web as the server uses them: opened when first needed, so that the server answers at once."""

import asyncio
import logging
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any

from chatbot.config import Config
from utils.errors import ConfigError, ToolError

if TYPE_CHECKING:
    from chatbot.engine.retrieval import SharedRetrieval
    from rag.library import Library
    from rag.stored import Collection
    from tools.web.search import Web

log = logging.getLogger(__name__)


class Retrieval:
    """Opens its parts once; every method that needs them raises a `MagpieError` where they cannot be opened.

    `collection` is the only one that is shown, where one was named; else all are.
    """

    def __init__(self, config: Config, collection: str = "") -> None:
        self.config = config
        self._only = collection
        self._opened: SharedRetrieval | None = None
        self._web: Web | None = None
        self._opening = asyncio.Lock()
        self._rerankers = AsyncExitStack()
        self.own_ports: set[int] = set()
        """Where this server itself listens: no page is opened there."""

    async def open_parts(self) -> "SharedRetrieval":
        """The parts."""
        async with self._opening:
            if self._opened is None:
                self._opened = await self._build_parts()
            return self._opened

    async def _build_parts(self) -> "SharedRetrieval":
        def load_modules() -> Any:
            # Half of what Magpie is made of.
            from chatbot.engine import network
            from chatbot.engine import reranker as reranking
            from chatbot.engine import retrieval as build

            return build, network.make_reach, reranking.reranking_alone

        build, make_reach, reranking_alone = await asyncio.to_thread(load_modules)
        reranking = await self._rerankers.enter_async_context(reranking_alone(self.config, log.warning))
        reach = make_reach(self.config, log.warning)
        # One set: the port may become known only now.
        self.own_ports |= reach.own_ports
        reach.own_ports = self.own_ports
        opened: SharedRetrieval = await build.open_retrieval(self.config, reach, reranking, log.warning)
        return opened

    async def web(self) -> "Web":
        """The tools of the web."""
        opened = await self.open_parts()
        if self._web is None:
            self._web = opened.make_web()
        return self._web

    async def open_library(self) -> "Library":
        """The library."""
        library = (await self.open_parts()).library
        if library is None:
            raise ConfigError("The library is switched off.", "Set rag.enabled to true and start again.")
        return library

    async def list_collections(self) -> list["Collection"]:
        """The collections that are shown, by name."""
        return [one for one in await (await self.open_library()).list_collections() if self._only in ("", one.name)]

    async def readable_collection(self, collection: str) -> str:
        """The collection that a client means; raises `ToolError` where it is not there for it."""
        there = [one.name for one in await self.list_collections()]
        if collection in ("", self.config.rag.collection) or collection in there:
            return collection or self.config.rag.collection
        others = f"There are: {', '.join(there)}." if there else "index_source begins one."
        raise ToolError(f"There is no collection {collection}. {others}")

    def writable_collection(self, collection: str) -> str:
        """The collection that something is added to, which need not exist yet."""
        if self._only and collection not in ("", self._only):
            raise ToolError(f"Only the collection {self._only} is open here.")
        return collection or self.config.rag.collection

    @property
    def shown_collections(self) -> tuple[str, ...]:
        """The only collection that is shown; empty: all."""
        return (self._only,) if self._only else ()

    async def close(self) -> None:
        """Let go of everything; what was indexed is on disk."""
        async with self._opening:
            opened, self._opened = self._opened, None
        if self._web is not None:
            await self._web.close()
        if opened is not None:
            await opened.close()
        await self._rerankers.aclose()
