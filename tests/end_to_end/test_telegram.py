"""`magpie telegram` as it is run: killed and told to end in the middle of answers."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

from chatbot.frontends.telegram.chat import ENDED, LATER
from tests.fakes.ollama import FakeOllama, Raw, Turn, shown, turn_pieces
from tests.fakes.places import ROOT
from tests.fakes.telegram import ANN, TOKEN, FakeTelegram

SECONDS = 90.0
"""For a process that starts while others do the same."""


async def start_bot(folder: Path, server: FakeTelegram, models: FakeOllama) -> Process:
    settings = {
        "data_dir": str(folder),
        "backend": "ollama",
        "ollama": {"host": models.url},
        "rag": {"enabled": False},
        "telegram": {"allowed_users": [ANN], "base_url": server.url},
    }
    (folder / "config.json").write_text(json.dumps(settings))
    argv = [str(ROOT / "main.py"), "telegram", "--config", str(folder / "config.json")]
    env = {**os.environ, "MAGPIE_TELEGRAM_TOKEN": TOKEN}
    return await asyncio.create_subprocess_exec(sys.executable, *argv, stdout=PIPE, stderr=PIPE, env=env)


async def until_shown(server: FakeTelegram, part: str) -> None:
    await server.until(lambda: [text for text in server.texts() if part in text], SECONDS)


def held_reply(text: str) -> Raw:
    """A reply that never ends."""
    return Raw(turn_pieces(Turn(text, done=False), {}), hang=True)


async def test_killed_or_ended_in_mid_answer_nothing_is_lost_and_nothing_asked_twice(tmp_path: Path) -> None:
    replies = [held_reply("It leaves at"), Turn("From pier 3."), held_reply("The last one"), Turn("Good night.")]
    async with FakeTelegram() as server, FakeOllama(replies, models={"qwen3:8b": shown()}) as models:
        models.warming = True
        process = await start_bot(tmp_path, server, models)
        await server.say("When does it leave?")
        await until_shown(server, "It leaves at")
        await server.say("And from where?")
        await until_shown(server, LATER)
        process.kill()
        await process.wait()
        process = await start_bot(tmp_path, server, models)
        await until_shown(server, ENDED)
        await until_shown(server, "From pier 3.")
        await server.say("And the last one?")
        await until_shown(server, "The last one")
        process.terminate()
        assert await process.wait() == 0
        assert process.stderr
        assert (await process.stderr.read()).decode().splitlines() == ["@magpie_test_bot answers. Ctrl-C ends it."]
        assert any("The last one" in text and ENDED in text for text in server.texts())
        process = await start_bot(tmp_path, server, models)
        await server.say("Good night")
        await until_shown(server, "Good night.")
        process.terminate()
        assert await process.wait() == 0
    asked = [body["messages"][-1]["content"].split("\n")[0] for body in models.questions]
    assert asked == ["When does it leave?", "And from where?", "And the last one?", "Good night"]
    said = [message["content"] for message in models.questions[-1]["messages"]]
    assert [text for text in said if text in ("It leaves at", "From pier 3.", "The last one")]
