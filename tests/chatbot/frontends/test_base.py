"""A front end is one file and one line in a list."""

import asyncio
import json
from pathlib import Path

import pytest

from chatbot import cli
from tests.fakes.ollama import FakeOllama, Turn, shown
from tests.fakes.postcard import POSTCARD


async def test_a_front_end_is_one_file_and_one_line_in_the_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli, "FRONT_ENDS", [POSTCARD, *cli.FRONT_ENDS])
    card = tmp_path / "card.txt"
    wants = Turn(calls=(("web_search", {"query": "My password is hunter2-swordfish-4471"}),))
    async with FakeOllama([wants, Turn("it is sunny.")], models={"qwen3:8b": shown()}) as server:
        (tmp_path / "config.json").write_text(
            json.dumps({"data_dir": str(tmp_path), "ollama": {"host": server.url}, "rag": {"enabled": False}})
        )
        monkeypatch.setenv("MAGPIE_CONFIG", str(tmp_path / "config.json"))
        asked = ["postcard", "ann", "How is the weather?", "--card", str(card)]
        assert await asyncio.to_thread(cli.main, asked) == 0
    assert card.read_text().splitlines()[-1] == "Dear ann, it is sunny."
    # What is kept of it is that person's.
    assert (tmp_path / "people" / "ann" / "sessions.db").exists() and not (tmp_path / "sessions.db").exists()


def test_each_front_end_knows_its_own_command_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    served = {
        "approve": ["mcp", "approve", "notes"],
        "mcp_server.command": ["mcp"],
        "library_cli.commands": ["rag", "stats"],
        "prepare": ["--prepare"],
        "oneshot": ["rag time is what?"],
        "terminal": ["--private"],
    }
    for module, argv in served.items():
        front_end, _ = cli.parse_arguments(argv)
        assert front_end.module == f"chatbot.frontends.{module}"
