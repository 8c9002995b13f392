"""`/probe` in a chat on a terminal: what it shows, what it keeps, and how it is stopped."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chatbot.models.probe.checks import CHECKS
from tests.fakes.ollama import FakeOllama, Raw, Turn, shown
from tests.fakes.places import ROOT
from tests.fakes.terminal import Terminal

CTRL_C, ENTER, PATIENCE = "\x03", "\r", 120.0


def talk(folder: Path, url: str, drive: Callable[[Terminal], None]) -> list[str]:
    """What stands on a terminal after a chat that was driven there."""
    settings = {
        "data_dir": str(folder / "data"),
        "backend": "ollama",
        "model": "qwen3:8b",
        "ollama": {"host": url},
        "rag": {"enabled": False},
    }
    (folder / "config.json").write_text(json.dumps(settings))
    run = [str(ROOT / "main.py"), "--config", str(folder / "config.json")]
    terminal = Terminal(run, folder, columns=100, rows=60)
    try:
        terminal.wait_for("›", patience=PATIENCE)
        drive(terminal)
        terminal.type(f"/quit{ENTER}")
        assert terminal.wait_for_end() == 0
        return terminal.lines
    finally:
        terminal.child.close(force=True)


async def test_a_probe_shows_each_check_and_how_the_model_is_served_and_is_kept(tmp_path: Path) -> None:
    def drive(terminal: Terminal) -> None:
        terminal.type(f"/probe{ENTER}")
        terminal.wait_for("can do (", patience=PATIENCE)
        terminal.wait_for("Magpie serves it in steps", patience=PATIENCE)
        terminal.type(f"/model{ENTER}")
        terminal.wait_for("probe: ", patience=PATIENCE)

    models = {"qwen3:8b": shown()}
    async with FakeOllama(models=models, paths={"/api/chat": lambda body: Turn("You are welcome.")}) as server:
        lines = await asyncio.to_thread(talk, tmp_path, server.url, drive)
    (kept,) = json.loads((tmp_path / "data" / "probes.json").read_text())
    score = f"{len(kept['passed'])} of {len(kept['passed']) + len(kept['failed'])}"
    assert any(f"What qwen3:8b can do ({score})" in line for line in lines)
    rows = [line for line in lines if any(check.name in line for check in CHECKS) and line.strip()[:1] in "✓✗–"]
    assert len(rows) == len(CHECKS)
    assert any("served in steps" in line and f"probe: {score}" in line for line in lines)


async def test_a_probe_that_is_stopped_keeps_nothing_and_the_chat_goes_on(tmp_path: Path) -> None:
    asked: list[str] = []

    def answer(body: dict[str, Any]) -> Turn | Raw:
        probing = any("weather" in message["content"] for message in body["messages"] if message["role"] == "user")
        asked.append("probe" if probing else "")
        return Raw((), 200, "application/x-ndjson", hang=True) if probing and asked.count("probe") > 1 else Turn("Yes.")

    def drive(terminal: Terminal) -> None:
        terminal.type(f"/probe{ENTER}")
        terminal.wait_for(CHECKS[0].name, patience=PATIENCE)
        terminal.type(CTRL_C)
        terminal.wait_for("Stopped.", patience=PATIENCE)
        terminal.type(f"/title{ENTER}")
        terminal.wait_for("Nothing was said yet", patience=PATIENCE)

    async with FakeOllama(models={"qwen3:8b": shown()}, paths={"/api/chat": answer}) as server:
        await asyncio.to_thread(talk, tmp_path, server.url, drive)
    kept = tmp_path / "data" / "probes.json"
    assert not kept.exists() or not any(one["whole"] for one in json.loads(kept.read_text()))
