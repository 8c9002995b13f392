"""The real app on the loopback site."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from chatbot.config import load
from chatbot.engine.startup import App
from tests.fakes.site import Site


@asynccontextmanager
async def magpie(data: Path, site: Site, **settings: Any) -> AsyncIterator[App]:
    """A running Magpie on a data folder, whose web is the site."""
    config = data / "config.json"
    config.write_text("{}")
    reach = {"search.searxng_url": site.searxng_url, "search.engines": [], "search.news_engines": []}
    chosen = {"data_dir": str(data), "fetch.allow_hosts": [site.host], "temperature": 0, "seed": 1}
    app = App(load(config, reach | chosen | settings, {}))
    await app.ready()
    try:
        yield app
    finally:
        await app.close()
