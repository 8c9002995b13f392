"""How the bot begins and ends, and what it says where it cannot begin."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import PIPE
from pathlib import Path
from typing import Any

import pytest

from chatbot import cli
from chatbot.engine.engine import Engine
from chatbot.frontends.telegram.arguments import make_parser, parse_telegram
from chatbot.frontends.telegram.command import run
from chatbot.frontends.telegram.connection.client import BotConflict
from tests.fakes.model import ScriptedModel, says
from tests.fakes.places import ROOT
from tests.fakes.telegram import ANN, BOB, TOKEN, FakeTelegram
from tests.fakes.telegram_bot import ScriptedEngine, configure, person, running
from utils.errors import ConfigError, MagpieError, Offline


async def refusal(server: FakeTelegram, folder: Path, *options: str, **settings: Any) -> str:
    """What is said where the bot does not begin."""
    with pytest.raises(MagpieError) as refused:
        await run(Engine(configure(folder, server, **settings)), make_parser().parse_args(options))
    return str(refused.value)


def test_the_command_line_of_the_bot_is_told_from_a_question() -> None:
    assert parse_telegram(["telegram", "--private"]) and parse_telegram(["telegram"])
    assert parse_telegram(["telegram", "or", "signal?"]) is None
    assert parse_telegram(["what", "is", "telegram"]) is None
    front_end, arguments = cli.parse_arguments(["telegram", "--offline", "--set", "telegram.max_file_mb=5"])
    assert front_end.module == "chatbot.frontends.telegram.command"
    assert cli.settings_from_options(arguments) == {"offline": True, "telegram.max_file_mb": "5"}


async def test_without_allowed_users_it_does_not_begin_and_says_how_to_find_yours(
    server: FakeTelegram, tmp_path: Path
) -> None:
    said = await refusal(server, tmp_path, **{"telegram.allowed_users": []})
    assert "telegram.allowed_users has no id" in said and "magpie telegram --who" in said
    assert server.calls == []


async def test_a_token_that_is_missing_or_none_is_said(
    server: FakeTelegram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MAGPIE_TELEGRAM_TOKEN")
    assert "@BotFather gives one" in await refusal(server, tmp_path)
    monkeypatch.setenv("MAGPIE_TELEGRAM_TOKEN", "../getMe")
    said = await refusal(server, tmp_path)
    assert "That is no token of a bot" in said and "getMe" not in said


async def test_a_file_with_the_token_that_others_can_read_is_refused(
    server: FakeTelegram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MAGPIE_TELEGRAM_TOKEN")
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    file.chmod(0o644)
    assert "can be read by others" in await refusal(server, tmp_path, **{"telegram.token_file": str(file)})
    file.chmod(0o600)
    model = ScriptedModel([says("Here.")])
    settings = {"telegram.token_file": str(file)}
    async with running(ScriptedEngine(configure(tmp_path, server, **settings), {person(): model})):
        await server.say("Are you there?")
        await server.shows("Here.")


async def test_a_token_that_telegram_does_not_know_is_said(server: FakeTelegram, tmp_path: Path) -> None:
    server.token = "another"
    said = await refusal(server, tmp_path)
    assert said.startswith("Telegram does not know the bot's token.") and TOKEN not in said


async def test_a_token_goes_nowhere_where_it_could_be_read(server: FakeTelegram, tmp_path: Path) -> None:
    said = await refusal(server, tmp_path, **{"telegram.base_url": "http://bots.example"})
    assert "would go to bots.example for all to read" in said


async def test_offline_one_sentence_says_so(server: FakeTelegram, tmp_path: Path) -> None:
    engine = Engine(configure(tmp_path, server, offline=True, **{"telegram.base_url": "https://bots.example"}))
    with pytest.raises(Offline) as refused:
        await run(engine, make_parser().parse_args([]))
    assert str(refused.value).startswith("bots.example is not on this machine, and Magpie is offline.")


async def test_a_webhook_is_said_and_can_be_taken_away(server: FakeTelegram, tmp_path: Path) -> None:
    server.webhook = True
    await server.say("Do you get this?")
    said = await refusal(server, tmp_path)
    assert "to a web server" in said and "magpie telegram --delete-webhook" in said
    done = await run(Engine(configure(tmp_path, server)), make_parser().parse_args(["--delete-webhook"]))
    assert (done, server.webhook) == (0, False)
    assert server.called("deleteWebhook") == [{"drop_pending_updates": "false"}]
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): ScriptedModel([says("I do.")])})):
        await server.shows("I do.")


async def test_another_program_with_this_bot_is_said_where_it_stays(server: FakeTelegram, tmp_path: Path) -> None:
    # What a run before this one left at Telegram ends by itself.
    server.conflicts = 1
    async with running(ScriptedEngine(configure(tmp_path, server), {person(): ScriptedModel([says("Here.")])})):
        await server.say("Are you there?")
        await server.shows("Here.")
    server.conflicts = 1000
    with pytest.raises(BotConflict, match="Another program gets the messages"):
        await run(Engine(configure(tmp_path, server)), make_parser().parse_args([]))


async def test_a_second_magpie_with_this_bot_is_refused(server: FakeTelegram, tmp_path: Path) -> None:
    async with running(ScriptedEngine(configure(tmp_path, server), {})):
        await server.until(lambda: server.called("getUpdates"))
        with pytest.raises(ConfigError, match="Another Magpie runs @magpie_test_bot"):
            await run(Engine(configure(tmp_path, server)), make_parser().parse_args([]))


async def test_sigterm_ends_it_cleanly(server: FakeTelegram, tmp_path: Path) -> None:
    engine = ScriptedEngine(configure(tmp_path, server), {person(): ScriptedModel([says("Hello.")])})
    async with running(engine) as task:
        await server.say("Hello?")
        await server.shows("Hello.")
        os.kill(os.getpid(), signal.SIGTERM)
        assert await task == 0
    # What was taken over is confirmed, so that nothing comes twice.
    assert server.pending == []


async def test_who_writes_is_shown_and_nobody_is_answered(
    server: FakeTelegram, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await server.say("Hello?", user=77)
    await server.say("Hello again?", user=77)
    await server.say("And me?", user=BOB)
    configuration = configure(tmp_path, server, **{"telegram.allowed_users": []})
    async with running(Engine(configuration), "--who"):
        await server.until(lambda: len(server.called("getUpdates")) == 2)
    assert capsys.readouterr().out == f"77  User 77\n{BOB}  User {BOB}\n"
    # What they wrote waits until they are allowed.
    assert (len(server.pending), server.messages) == (3, {})


@pytest.mark.parametrize("from_file", [False, True])
async def test_the_token_stands_in_no_log_and_what_is_wrong_is_one_sentence(
    server: FakeTelegram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, from_file: bool
) -> None:
    server.token = "another"
    bot: dict[str, Any] = {"allowed_users": [ANN], "base_url": server.url}
    if from_file:
        monkeypatch.delenv("MAGPIE_TELEGRAM_TOKEN")
        bot["token_file"] = str(tmp_path / "token")
        (tmp_path / "token").write_text(TOKEN)
        (tmp_path / "token").chmod(0o600)
    settings = {"data_dir": str(tmp_path), "telegram": bot}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    argv = ["telegram", "--config", str(tmp_path / "config.json"), "--verbose"]
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "main.py"), *argv), stdout=PIPE, stderr=PIPE, env=dict(os.environ)
    )
    out, said = await process.communicate()
    assert (process.returncode, out) == (1, b"")
    assert said.decode().startswith("Telegram does not know the bot's token. ") and said.count(b"\n") == 1
    logged = "".join(path.read_text() for path in tmp_path.glob("**/*.log*"))
    assert "getMe" in logged and TOKEN.partition(":")[2] not in logged
