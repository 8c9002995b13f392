"""Taking in a site of a test, by all that the command line uses; also as a process of its own that can be killed.

`python crawling.py FOLDER HOST` takes in http://HOST/docs/ and prints what it came to.
"""

import asyncio
import sys
from contextlib import aclosing
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from chatbot.config import Config, load_configuration
from chatbot.engine.network import make_page_client, make_reach, make_renderer
from chatbot.library.crawl import SiteIngest, SiteRequest, SiteSummary, open_crawler
from rag.library import Library
from tests.fakes.embedder import WordEmbedder
from tools.web.browser.renderer import PageRenderer


def crawl_config(folder: Path, host: str, **settings: Any) -> Config:
    """Settings for a site on loopback, without waits."""
    chosen = {"data_dir": str(folder), "fetch.allow_hosts": [host], "fetch.max_bytes": 1_000_000}
    crawled = {"crawl.delay": 0, "crawl.max_delay": 0.01, "crawl.max_similar": 12}
    return load_configuration(options=chosen | crawled | settings, environment={"MAGPIE_CONFIG": ""}).values


async def take_in(
    folder: Path,
    url: str,
    *,
    depth: int = 4,
    pages: int = 2500,
    whole_site: bool = False,
    stop_after: int = 0,
    told: list[str] | None = None,
    renderer: PageRenderer | None = None,
    **settings: Any,
) -> SiteSummary:
    """What taking in a site came to, stopped after so many addresses; raises what it raises."""
    host = url.split("/")[2]
    config = crawl_config(folder, host, **settings)
    library = await Library.open(config.library_folder, config.rag, WordEmbedder())
    tell = (told if told is not None else []).append
    reach = make_reach(config, tell)
    client = make_page_client(config, reach, "crawl")
    render = renderer or make_renderer(config, reach, client)
    crawler = open_crawler(library, config, client, SiteRequest(url, depth, pages, whole_site), tell, render)
    work = SiteIngest(library, crawler, remove_gone=config.crawl.remove_gone)
    try:
        async with aclosing(work.run()) as visits:
            visited = 0
            async for _ in visits:
                visited += 1
                if visited == stop_after:
                    work.stop()
        return work.summary
    finally:
        crawler.store.close()
        await library.close()


if __name__ == "__main__":
    sys.stdout.write(f"{asyncio.run(take_in(Path(sys.argv[1]), f'http://{sys.argv[2]}/docs/'))}\n")
