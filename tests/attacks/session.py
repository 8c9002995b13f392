"""A whole question in the lab's network, watched: what it connects to, and which names it asks for.

    seen = await run_session(folder)

The engines are ddgs's own, with nothing set: none of them is there, and then a page is read that is.
"""

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.attacks.lab import PUBLIC, run_inside, wait_for_lab
from tests.fakes.observer import addresses_in, names_in, off_this_machine, watched
from tests.fakes.ollama import FakeOllama, Turn
from tests.fakes.places import ROOT

QUESTION = f"What do public words say of the heron? See {PUBLIC}"
CALLS = (
    ("web_search", {"query": "heron"}),
    ("news_search", {"query": "heron"}),
    ("fetch_url_content", {"url": PUBLIC}),
)
ANSWER = "They say nothing of it."


@dataclass(frozen=True)
class Seen:
    """What was seen from outside: what Magpie said, addresses off this machine, and names that were looked up."""

    said: str
    connected: set[tuple[str, int]]
    names: set[str]


async def run_session(folder: Path) -> Seen:
    """Ask it inside."""
    said, connected, names = json.loads(await run_inside(folder, "tests.attacks.session", str(folder)))
    return Seen(said, {(host, port) for host, port in connected}, set(names))


async def ask(folder: Path) -> tuple[str, list[tuple[str, int]], list[str]]:
    """What the question's answer is, the addresses, and the names."""
    replies = [*(Turn(calls=(call,)) for call in CALLS), Turn(ANSWER)]
    async with FakeOllama(replies) as server:
        server.warming = True
        settings = {"backend": "ollama", "model": "qwen3:8b", "ollama": {"host": server.url}}
        config = folder / "config.json"
        config.write_text(json.dumps({"data_dir": str(folder / "data"), **settings}))
        log = folder / "calls.log"
        process = await asyncio.create_subprocess_exec(
            *watched([sys.executable, str(ROOT / "main.py"), "--config", str(config), QUESTION], log),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said, _ = await process.communicate()
    return said.decode(), sorted(off_this_machine(addresses_in(log))), sorted(names_in(log))


if __name__ == "__main__":
    wait_for_lab()
    sys.stdout.write(json.dumps(asyncio.run(ask(Path(sys.argv[1])))) + "\n")
