"""A private chat in a pseudo-terminal: it reads the web and answers, and leaves no word of it behind."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.end_to_end.test_answers import LIGHTHOUSE, SEARCH
from tests.fakes.ollama import FakeOllama, Turn
from tests.fakes.places import ROOT
from tests.fakes.site import Site
from tests.fakes.terminal import Terminal

pytestmark = pytest.mark.usefixtures("exported")

PATIENCE = 120.0


def chat(folder: Path, question: str, *options: str) -> list[str]:
    """What a whole chat shows, from its start to its end."""
    made = Terminal([str(ROOT / "main.py"), *options], folder, 100, 40, XDG_CONFIG_HOME=str(folder / "settings"))
    try:
        made.wait_for("tools on · private" if "--private" in options else "tools on · /help")
        made.type(f"{question}\r")
        made.wait_for("tokens in", patience=PATIENCE)
        made.type(f"/rag-index {folder / 'settings'}\r")
        made.wait_for("Nothing can be added" if "--private" in options else "Indexed 1 document", patience=PATIENCE)
        made.type("quit\r")
        assert made.wait_for_end() == 0
    finally:
        made.child.close(force=True)
    return made.lines


def traces(folder: Path) -> set[str]:
    """Names of the files in which the lighthouse is spoken of, also packed ones."""
    return {path.name for path in folder.rglob("*") if path.is_file() and b"Gull Point" in path.read_bytes()}


@pytest.mark.parametrize("private", [True, False])
async def test_a_private_chat_keeps_no_word_of_what_was_said_and_read(tmp_path: Path, private: bool) -> None:
    data = tmp_path / "data"
    replies = [Turn(calls=(SEARCH,)), Turn("It is 142 steps [1].")]
    async with Site() as site, FakeOllama(replies) as server:
        server.warming = True
        settings = {
            "data_dir": str(data),
            "backend": "ollama",
            "model": "qwen3:8b",
            "ollama": {"host": server.url},
            "search": {"searxng_url": site.searxng_url, "engines": [], "news_engines": []},
            "fetch": {"allow_hosts": [site.host]},
        }
        config = tmp_path / "settings" / "magpie" / "config.json"
        config.parent.mkdir(parents=True)
        config.write_text(json.dumps(settings))
        shown = await asyncio.to_thread(chat, tmp_path, LIGHTHOUSE, "--config", str(config), *["--private"] * private)
    assert any(line.startswith("[1]  ") for line in shown)
    kept = {name.partition("-")[0] for name in traces(data)}
    # The test sees what there is to be seen: without --private it is all there.
    assert kept == set() if private else kept >= {"prompt_history", "library.db"}
