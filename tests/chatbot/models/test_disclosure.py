"""What goes to another machine is said once a backend and server, and a private run remembers nothing of it."""

import asyncio
from pathlib import Path

from chatbot.models.disclosure import disclose_once
from chatbot.models.provider import ModelSurroundings
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from utils.network.access import NetworkAccess


def around(folder: Path, told: list[str], *, remember: bool = True) -> ModelSurroundings:
    return ModelSurroundings(
        folder, Generation(), NetworkAccess(), ModelState(folder, remember=remember), tell=told.append
    )


async def test_it_is_said_once_for_each_server_also_by_later_runs(tmp_path: Path) -> None:
    told: list[str] = []
    first = around(tmp_path, told)
    await asyncio.gather(*(disclose_once(first, "openai", "api.example.com") for _ in range(3)))
    await disclose_once(around(tmp_path, told), "openai", "api.example.com")
    assert told == [
        "What you ask, the conversation and the passages found for it go to api.example.com from now on; "
        "/offline stops that."
    ]
    await disclose_once(around(tmp_path, told), "openai", "other.example.com")
    await disclose_once(around(tmp_path, told), "anthropic", "api.example.com")
    assert len(told) == 3


async def test_a_private_run_says_it_and_remembers_nothing(tmp_path: Path) -> None:
    told: list[str] = []
    for _ in range(2):
        run = around(tmp_path, told, remember=False)
        await disclose_once(run, "openai", "api.example.com")
        await disclose_once(run, "openai", "api.example.com")
    assert len(told) == 2 and not list(tmp_path.iterdir())


async def test_what_an_older_version_wrote_is_still_read(tmp_path: Path) -> None:
    (tmp_path / "models.json").write_text('{"last_used": "qwen3:8b", "writes_calls_as_text": ["small"]}')
    told: list[str] = []
    run = around(tmp_path, told)
    await disclose_once(run, "openai", "api.example.com")
    assert len(told) == 1
    later = ModelState(tmp_path)
    assert await later.last_used() == "qwen3:8b" and await later.writes_calls_as_text("small")
