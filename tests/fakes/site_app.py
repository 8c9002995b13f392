"""A real chat on the loopback site."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chatbot.config import Configuration, load_configuration
from chatbot.conversation.events import Notice, Progress
from chatbot.engine.chat import Chat
from chatbot.engine.engine import Engine
from chatbot.engine.face import Face
from chatbot.trust.consent import Ask
from tests.fakes.site import Site


@dataclass
class RunningChat:
    """A chat, and what it told."""

    chat: Chat
    notices: "asyncio.Queue[Notice | Progress]"

    @property
    def configuration(self) -> Configuration:
        return self.chat.configuration

    async def ready(self) -> Chat:
        return self.chat


@asynccontextmanager
async def running_chat(configuration: Configuration, allow: Ask | None = None) -> AsyncIterator[RunningChat]:
    """The only chat of an engine."""
    notices: asyncio.Queue[Notice | Progress] = asyncio.Queue()
    async with Engine(configuration) as engine:
        yield RunningChat(await engine.chat(Face(notices.put_nowait, allow)), notices)


@asynccontextmanager
async def magpie(data: Path, site: Site, *, allow: Ask | None = None, **settings: Any) -> AsyncIterator[RunningChat]:
    """A running Magpie on a data folder, whose web is the site."""
    config = data / "config.json"
    config.write_text("{}")
    reach = {"search.searxng_url": site.searxng_url, "search.engines": [], "search.news_engines": []}
    chosen = {"data_dir": str(data), "fetch.allow_hosts": [site.host], "temperature": 0, "seed": 1}
    async with running_chat(load_configuration(config, reach | chosen | settings, {}), allow) as running:
        yield running
