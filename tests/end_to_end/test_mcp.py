"""A whole question that another program's tool answers, from the command line."""

import asyncio
import json
import os
import sys
from pathlib import Path

from tests.fakes.mcp_servers import GOOD, none_left
from tests.fakes.ollama import FakeOllama, Turn
from tests.fakes.terminal import ROOT


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
    assert await none_left(str(GOOD)) == []


async def test_approving_what_there_is_not_is_said(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    code, said = await magpie(tmp_path, "mcp", "approve", "gone", "--config", str(tmp_path / "config.json"))
    told = f"There is no MCP server gone in {tmp_path / 'mcp.json'}. Check its name there.\n"
    assert (code, said) == (1, told)
