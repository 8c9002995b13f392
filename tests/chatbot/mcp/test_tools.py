import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from chatbot.commands.registry import run_command
from chatbot.config import load_configuration
from chatbot.conversation.events import Answered, Listing, Notice, ToolFinished
from chatbot.mcp.servers import approve_server, servers_file
from chatbot.trust.consent import Decision, Request
from tests.fakes.app import FakeApp, events_of
from tests.fakes.mcp_servers import GOOD, declining
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.oauth_server import oauth_server


def write_servers(folder: Path, **servers: Any) -> Path:
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}))
    return path


WEATHER = {"command": sys.executable, "args": [str(GOOD)]}


@asynccontextmanager
async def chat(folder: Path, *replies: Any, approved: bool = True, **settings: Any) -> AsyncIterator[FakeApp]:
    """A chat whose servers are settled."""
    app = FakeApp(ScriptedModel(list(replies)), folder, **settings)
    if approved:
        approve_server(app.configuration, "weather")
    app.chat.remote.start_servers()
    await app.chat.remote.settled()
    try:
        yield app
    finally:
        await app.chat.remote.close()
        await app.close()


async def say(app: FakeApp, line: str) -> list[Any]:
    return list(await events_of(run_command(app.ready, line)))  # type: ignore[arg-type]


def news(app: FakeApp) -> list[Any]:
    return [app.notices.get_nowait() for _ in range(app.notices.qsize())]


async def test_a_model_calls_a_tool_of_another_program_once_the_user_agreed(tmp_path: Path) -> None:
    write_servers(tmp_path, weather=WEATHER)
    call = calls(("weather_forecast", {"place": "Bonn", "days": 3}))
    asked: list[Request] = []

    async def ask(request: Request) -> Decision:
        asked.append(request)
        return "once"

    async with chat(tmp_path, call, says("It will be 23 degrees.")) as app:
        app.chat.consent.ask = ask
        events = [event async for event in app.chat.agent.ask("How warm will it be in Bonn in three days?")]
        finished = [event for event in events if isinstance(event, ToolFinished)]
        assert [(event.ok, json.loads(event.text)) for event in finished] == [(True, {"place": "Bonn", "degrees": 23})]
        assert isinstance(events[-1], Answered)
        assert [(request.tool, json.loads(request.sent)) for request in asked] == [
            ("weather.forecast", {"place": "Bonn", "days": 3})
        ]
        model = app.chat.agent.model
        assert isinstance(model, ScriptedModel)
        [result] = [message for message in model.sent[1][0] if message.role == "tool"]
        assert "<outside " in result.prompt_text


async def test_where_nobody_is_asked_nothing_is_called(tmp_path: Path) -> None:
    write_servers(tmp_path, weather=WEATHER)
    async with chat(tmp_path, calls(("weather_shout", {"text": "a"})), says("I may not.")) as app:
        events = [event async for event in app.chat.agent.ask("Shout a.")]
        assert events[-1].denied == (  # type: ignore[union-attr]
            'Not done, for it needs the user\'s consent and has not got it: weather.shout {"text": "a"}',
        )
        assert app.chat.remote.servers
        assert app.chat.remote.servers.all["weather"].calls == 0


async def test_a_new_command_waits_until_it_is_enabled(tmp_path: Path) -> None:
    write_servers(tmp_path, weather=WEATHER)
    line = f"{sys.executable} {GOOD}"
    async with chat(tmp_path, approved=False) as app:
        told = f"The MCP server weather would run: {line}. It waits for /mcp enable weather"
        assert news(app) == [Notice(told)]
        why = "waiting: its command is new or has changed"
        columns = ("server", "over", "state", "tools", "calls", "time")
        assert await say(app, "/mcp") == [
            Listing("MCP servers", columns, (("weather", "stdio", why, "", "0", "0.0 s"),)),
            Notice(told),
        ]
        assert await say(app, "/mcp tools") == [Notice("No server has listed its tools yet; /mcp tells why.")]
        assert await say(app, "/mcp enable weather") == [Notice(f"weather is started: {line}")]
        await app.chat.remote.settled()
        assert await say(app, "/mcp") == [
            Listing("MCP servers", columns, (("weather", "stdio", "ready", "4", "0", "0.0 s"),))
        ]
        [listing] = await say(app, "/mcp tools")
        assert [row[:2] for row in listing.rows] == [
            (f"weather.{name}", "yes") for name in ("forecast", "shout", "refuse", "environment")
        ]
        assert (tmp_path / "mcp_trust.json").stat().st_mode & 0o777 == 0o600


async def test_the_environment_that_is_agreed_to_is_shown_with_its_values_and_told_to_nobody_else(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write_servers(tmp_path, weather={**WEATHER, "env": {"LD_PRELOAD": "/tmp/evil.so"}})
    line = f"LD_PRELOAD=/tmp/evil.so {sys.executable} {GOOD}"
    told = f"The MCP server weather would run: {line}. It waits for /mcp enable weather"
    with caplog.at_level(logging.DEBUG):
        async with chat(tmp_path, calls(("weather_shout", {"text": "a"})), says("No."), approved=False) as app:
            assert news(app) == [Notice(told)]
            assert Notice(told) in await say(app, "/mcp")
            [event async for event in app.chat.agent.ask("Shout a.")]
            assert isinstance(app.chat.agent.model, ScriptedModel)
            assert "evil" not in str(app.chat.agent.model.sent)
            assert await say(app, "/mcp disable weather") != []
            assert not any("would run" in str(event) for event in await say(app, "/mcp"))
    assert "evil" not in str([(record.getMessage(), vars(record)) for record in caplog.records])


async def test_a_command_that_has_changed_waits_again(tmp_path: Path) -> None:
    write_servers(tmp_path, weather=WEATHER)
    async with chat(tmp_path) as app:
        assert app.chat.remote.servers
        assert app.chat.remote.servers.all["weather"].state == "ready"
    write_servers(tmp_path, weather={**WEATHER, "env": {"NODE_OPTIONS": "--require ./other.js"}})
    async with chat(tmp_path, approved=False) as app:
        assert app.chat.remote.servers
        assert app.chat.remote.servers.all["weather"].state == "waiting"


async def test_a_server_is_disabled_and_restarted(tmp_path: Path) -> None:
    write_servers(tmp_path, weather=WEATHER)
    async with chat(tmp_path, calls(("weather_shout", {"text": "a"})), says("Off."), approval="allow") as app:
        said = "weather is switched off in this session; its tools say so when they are called."
        assert await say(app, "/mcp disable weather") == [Notice(said)]
        events = [event async for event in app.chat.agent.ask("Shout a.")]
        [finished] = [event for event in events if isinstance(event, ToolFinished)]
        assert finished.text == "The MCP server weather could not carry out shout: it is switched off."
        assert await say(app, "/mcp restart weather") == [Notice("weather is started again.")]
        await app.chat.remote.settled()
        assert app.chat.remote.servers
        assert app.chat.remote.servers.all["weather"].state == "ready"


async def test_a_broken_file_is_said_once_and_the_chat_goes_on(tmp_path: Path) -> None:
    (tmp_path / "mcp.json").write_text("{")
    async with chat(tmp_path, says("Hello."), approved=False) as app:
        [notice] = news(app)
        assert notice.text.startswith(f"{tmp_path / 'mcp.json'} is not valid JSON: ")
        events = [event async for event in app.chat.agent.ask("Hello?")]
        assert (isinstance(events[-1], Answered), news(app)) == (True, [])


async def test_without_servers_nothing_of_the_protocol_is_imported(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom tests.fakes.app import FakeApp\n"
        "from tests.fakes.model import ScriptedModel\n"
        "async def main():\n"
        f"    app = FakeApp(ScriptedModel([]), Path({str(tmp_path)!r}))\n"
        "    app.chat.remote.start_servers()\n    await app.chat.remote.settled()\n    await app.close()\n"
        "asyncio.run(main())\nprint('mcp' in sys.modules or 'mcp_types' in sys.modules)"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
    assert (await process.communicate())[0] == b"False\n"


def test_the_file_is_the_one_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    one = load_configuration(tmp_path / "config.json", {}, {})
    assert servers_file(one, {}) == tmp_path / "mcp.json"
    assert servers_file(one, {"MCP_CONFIG_PATH": "/a/b.json"}) == Path("/a/b.json")
    named = load_configuration(tmp_path / "config.json", {"mcp.config": "/c.json"}, {})
    assert servers_file(named, {"MCP_CONFIG_PATH": "/a/b.json"}) == Path("/c.json")


async def test_where_a_server_waits_for_a_sign_in_is_listed_and_nothing_of_it_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with oauth_server() as server:
        write_servers(tmp_path, tickets={"url": server.url})
        app = FakeApp(ScriptedModel([]), tmp_path, private=True)
        app.ask_form = declining
        with caplog.at_level("INFO", "magpie"):
            app.chat.remote.start_servers()
            await app.chat.remote.settled()
            columns = ("server", "over", "state", "tools", "calls", "time")
            row = ("tickets", "http", "waiting: it waits for you to sign in", "", "0", "0.0 s")
            listing, notice = await say(app, "/mcp")
            assert listing == Listing("MCP servers", columns, (row,))
            before, _, address = notice.text.rpartition(" ")
            assert before == "To sign in to tickets, open this in a browser:"
            async with httpx.AsyncClient(follow_redirects=True) as browser:
                assert (await browser.get(address)).status_code == 200
            assert app.chat.remote.servers
            while app.chat.remote.servers.all["tickets"].state != "ready":
                await asyncio.sleep(0.01)
            await app.chat.remote.close()
        await app.close()
    assert [notice.text.split(" Open ")[0] for notice in news(app)] == [
        "The MCP server tickets asks you to sign in at 127.0.0.1.",
        "You are signed in to the MCP server tickets.",
    ]
    logged = " ".join(str(record.__dict__) for record in caplog.records)
    assert [secret for secret in ("token1", "refresh1", "code0", "code_challenge") if secret in logged] == []
    # A private run writes nothing down.
    assert [path.name for path in tmp_path.glob("mcp_*")] == []


async def test_where_nobody_is_there_a_server_that_needs_a_sign_in_is_left_out_with_a_sentence(tmp_path: Path) -> None:
    async with oauth_server() as server:
        write_servers(tmp_path, tickets={"url": server.url})
        app = FakeApp(ScriptedModel([]), tmp_path)
        app.chat.remote.start_servers()
        await app.chat.remote.settled()
        await app.close()
    why = "it needs you to sign in, which takes a chat in a terminal"
    assert news(app) == [Notice(f"The MCP server tickets cannot be used: {why}.", "warning")]
