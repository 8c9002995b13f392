"""A whole question that another program's tool answers, from the command line."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from chatbot.config import load_configuration
from chatbot.frontends.oneshot import ALLOWING
from chatbot.mcp.servers import approve_server
from tests.fakes.mcp_servers import GOOD, STRANGE, none_left
from tests.fakes.ollama import FakeOllama, Turn
from tests.fakes.places import ROOT
from tests.fakes.terminal import Terminal


async def magpie(folder: Path, *arguments: str) -> tuple[int | None, str]:
    """The exit code of a run and all that it says."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "main.py"), *arguments),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={**kept, "HOME": str(folder), "PYTHONPATH": str(ROOT)},
    )
    said, _ = await process.communicate()
    return process.returncode, said.decode()


async def test_an_approved_program_answers_a_question(tmp_path: Path) -> None:
    line = f"{sys.executable} {GOOD}"
    servers = {"weather": {"command": sys.executable, "args": [str(GOOD)]}}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    title = Turn('{"title": "The weather"}')
    call = Turn(calls=(("weather_shout", {"text": "sunny"}),))
    async with FakeOllama([Turn("I cannot know."), title]) as server:
        server.warming = True
        settings = {
            "data_dir": str(tmp_path / "data"),
            "backend": "ollama",
            "model": "qwen3:8b",
            "ollama": {"host": server.url},
            "rag": {"enabled": False},
            "approval": "allow",
        }
        config = tmp_path / "config.json"
        config.write_text(json.dumps(settings))
        ask = ("--config", str(config), "How is the weather?")
        code, said = await magpie(tmp_path, *ask)
        assert (code, "I cannot know." in said) == (0, True)
        assert f"would run: {line}. It waits for /mcp enable weather" in " ".join(said.split())
        assert await magpie(tmp_path, "mcp", "approve", "weather", "--config", str(config)) == (
            0,
            f"weather may run: {line}\n",
        )
        server.replies = [call, Turn("It is SUNNY."), title]
        code, said = await magpie(tmp_path, *ask)
        assert (code, "It is SUNNY." in said) == (0, True), said
        results = [m["content"] for body in server.chats for m in body["messages"] if m["role"] == "tool"]
        assert "SUNNY" in results[0]
    # Its home tells it from those of other tests that run at the same time.
    assert await none_left(str(tmp_path)) == []


def prepared(folder: Path, ollama: str, **server: object) -> tuple[str, ...]:
    """How a question is asked of a Magpie that asks for consent and has one approved server."""
    servers = {"weather": {"command": sys.executable, "args": [str(STRANGE), "quiet"], **server}}
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    model = {"backend": "ollama", "model": "qwen3:8b", "ollama": {"host": ollama}}
    settings = {"data_dir": str(folder / "data"), "rag": {"enabled": False}, **model}
    (folder / "config.json").write_text(json.dumps(settings))
    approve_server(load_configuration(folder / "config.json", {}), "weather")
    return ("--config", str(folder / "config.json"), "How is the weather?")


def shouting() -> list[Turn]:
    return [Turn(calls=(("weather_echo", {"text": "sunny"}),)), Turn("It is so."), Turn('{"title": "The weather"}')]


async def test_where_nobody_is_there_a_call_is_not_made_and_that_is_said(tmp_path: Path) -> None:
    async with FakeOllama(shouting()) as server:
        server.warming = True
        code, said = await magpie(tmp_path, *prepared(tmp_path, server.url))
    told = 'Not done, for it needs the user\'s consent and has not got it: weather.echo {"text": "sunny"}'
    assert (code, told in said, ALLOWING in said, "weather_echo" in said) == (0, True, True, False), said


async def test_what_the_file_allows_is_called_where_nobody_is_there(tmp_path: Path) -> None:
    async with FakeOllama(shouting()) as server:
        server.warming = True
        code, said = await magpie(tmp_path, *prepared(tmp_path, server.url, allow=["echo"]))
        results = [m["content"] for body in server.chats for m in body["messages"] if m["role"] == "tool"]
    assert (code, "weather.echo sunny" in said, "ok" in results[0]) == (0, True, True), said


@pytest.mark.parametrize(("key", "result"), [("y", "\nok\n"), ("", "Not done")])
async def test_who_sits_at_the_terminal_of_a_question_is_asked(tmp_path: Path, key: str, result: str) -> None:
    async with FakeOllama(shouting()) as server:
        server.warming = True
        ask = prepared(tmp_path, server.url)

        def converse() -> int:
            terminal = Terminal([str(ROOT / "main.py"), *ask], tmp_path, columns=160)
            terminal.wait_for("Allow it? y once")
            terminal.wait_for('{"text": "sunny"}')
            terminal.type(f"{key}\r")
            terminal.wait_for("It is so.")
            return terminal.wait_for_end()

        assert await asyncio.to_thread(converse) == 0
        results = [m["content"] for body in server.chats for m in body["messages"] if m["role"] == "tool"]
    assert result in results[0]


async def test_approving_what_there_is_not_is_said(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    code, said = await magpie(tmp_path, "mcp", "approve", "gone", "--config", str(tmp_path / "config.json"))
    told = f"There is no MCP server gone in {tmp_path / 'mcp.json'}. Check its name there.\n"
    assert (code, said) == (1, told)
