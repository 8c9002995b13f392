"""Keys where no question is answered: servers that are not there, servers of tools, exports, other commands, a bug."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from chatbot.config import load_configuration
from chatbot.mcp.servers import approve_server
from tests.end_to_end.test_answers import LIGHTHOUSE
from tests.fakes import mcp_telling
from tests.fakes.node import NODE
from tests.fakes.ollama import Raw, as_json
from tests.fakes.openai import FakeOpenAI, Said, failure
from tests.fakes.places import FAKES, ROOT
from tests.fakes.planted import (
    MODEL,
    OF_ENVIRONMENT,
    OF_FILE,
    Left,
    file_with_key,
    forms_of,
    run_magpie,
    write_settings,
)
from tests.fakes.site import Site
from tests.fakes.terminal import Terminal
from tests.tools.mcp_client.connection.test_http import free_port

pytestmark = pytest.mark.usefixtures("exported")

BARE = {"rag": {"enabled": False}}
"""Settings of runs that need no library."""
PLAIN = "harbour lantern violet fog".replace(" ", "-")
"""A key that nobody would know by its form."""
OF_TOOLS = {"NOTES_KEY": "ntk-5Vb83Qr07Lw2", "FAR_KEY": "brk-2Yt64Hs91Nc8"}
"""Keys of the environment that are for one server of tools each."""
QUESTION = ("--json", "How many steps are there?")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("url", ["https://nowhere.invalid/v1", "http://127.0.0.1:{port}/v1"])
async def test_a_key_is_nowhere_where_no_server_is(url: str, tmp_path: Path) -> None:
    own = {"base_url": url.format(port=free_port()), "key_file": file_with_key(tmp_path)}
    async with Site() as site, FakeOpenAI() as server:
        left = await run_magpie(tmp_path, {"openai": own, **BARE}, (server, site), [QUESTION], servers={})
        assert server.requests == []
    assert left.code == 1 and "Nothing answers at" in left.said
    assert left.places_of(OF_FILE, *OF_ENVIRONMENT.values()) == []


TELLING = {"command": sys.executable, "args": [mcp_telling.__file__]}


@pytest.mark.timeout(300)
async def test_keys_of_servers_of_tools_are_nowhere_but_with_those_servers(tmp_path: Path) -> None:
    def answer(body: dict[str, Any]) -> Raw:
        said = mcp_telling.answer(body, server.headers[-1]["authorization"]) if body else None
        return as_json(said) if said else Raw((), 202 if body else 405, "text/plain")

    names = [f"{server}_{tool}" for server in ("near", "far", "literal") for tool in ("ask", "fail")]
    replies = [Said(calls=tuple((name, {}) for name in names)), Said("They rest."), Said('{"title": "Rest"}')]
    async with Site() as site, FakeOpenAI(replies, [MODEL], {"/mcp": answer}) as server:
        server.warming = True
        servers = {
            "near": {**TELLING, "separate": True, "env": {"NOTES_TOKEN": "${NOTES_KEY}"}},
            "literal": {**TELLING, "separate": True, "env": {"NOTES_TOKEN": PLAIN}},
            "far": {"url": f"{server.url}/mcp", "separate": True, "headers": {"Authorization": "Bearer ${FAR_KEY}"}},
        }
        settings = {"openai": {"base_url": server.base_url}, "approval": "allow", **BARE}
        config = load_configuration(write_settings(tmp_path, settings, site, servers), {}, {})
        for name in servers:
            approve_server(config, name)
        run = [("--json", "Ask near, far and literal.")]
        own = ("config.json", "mcp.json")
        left = await run_magpie(tmp_path, settings, (server, site), run, servers=servers, own=own, **OF_TOOLS)
        told = json.dumps(server.chats[-2]["messages"], ensure_ascii=False)
    assert left.code == 0 and "They rest." in left.said
    assert told.count("You gave me …") >= 3 and told.count("is refused") == 3
    found = left.places_of(PLAIN, *OF_TOOLS.values(), *OF_ENVIRONMENT.values())
    # Each server has its own; the keys of makers none has.
    assert found and all(mcp_telling.__file__ in place for place in found)
    assert left.places_of(OF_TOOLS["FAR_KEY"], *OF_ENVIRONMENT.values()) == []


@pytest.mark.timeout(300)
@pytest.mark.skipif(not NODE.exists(), reason="Node is not there")
async def test_a_server_of_tools_on_node_is_given_no_key(tmp_path: Path) -> None:
    replies = [Said(calls=(("node_rest", {}),)), Said("It rests."), Said('{"title": "Rest"}')]
    async with Site() as site, FakeOpenAI(replies, [MODEL]) as server:
        server.warming = True
        servers = {"node": {"command": str(NODE), "args": [str(FAKES / "mcp_node.mjs")]}}
        settings = {"openai": {"base_url": server.base_url}, "approval": "allow", **BARE}
        runs = (("mcp", "approve", "node"), QUESTION)
        left = await run_magpie(tmp_path, settings, (server, site), runs, servers=servers, **OF_TOOLS)
        assert "Rested." in json.dumps(server.chats[-2]["messages"])
    assert any(command.startswith(str(NODE)) for command in left.children)
    assert left.places_of(*OF_TOOLS.values(), *OF_ENVIRONMENT.values()) == []


TYPED = (
    ("How many steps are there?", "142 steps."),
    ("And when?", "does not accept the key"),
    ("/export md {folder}/one.md", "one.md."),
    ("/export html {folder}/one.html", "one.html."),
    ("/export json {folder}/one.json", "one.json."),
    ("/model", "Models"),
    ("/usage", "What was spent"),
    ("/mcp", "No MCP server"),
    ("/save-config", "config.json"),
    ("/log", "details"),
)


@pytest.mark.timeout(300)
async def test_a_key_is_in_no_export_and_nowhere_on_the_screen_of_a_chat(tmp_path: Path) -> None:
    def refuse(_: dict[str, Any]) -> Raw:
        return failure(401, f"Incorrect API key provided: {server.headers[-1]['authorization']}.")

    replies = [Said("It has 142 steps."), Said('{"title": "Steps"}'), refuse, refuse, refuse]
    async with Site() as site, FakeOpenAI(replies, [MODEL]) as server:
        server.warming = True
        own = {"base_url": server.base_url, "key_file": file_with_key(tmp_path, PLAIN)}
        config = write_settings(tmp_path, {"openai": own, **BARE}, site, {})

        def talk() -> str:
            run = [str(ROOT / "main.py"), "--config", str(config)]
            terminal = Terminal(run, tmp_path, 120, 40, **OF_ENVIRONMENT)
            try:
                terminal.wait_for("›", patience=120)
                for prompts, (line, shown) in enumerate(TYPED, 1):
                    terminal.type(f"{line.format(folder=tmp_path)}\r")
                    terminal.wait_for(shown, 1 + line.count(shown), patience=120)
                    terminal.wait_for("›", prompts + 1, patience=120)
                terminal.type("\x15/quit\r")
                terminal.wait_for_end()
                return terminal.raw + "\n".join(terminal.lines)
            finally:
                terminal.child.close(force=True)

        left = Left(said=await asyncio.to_thread(talk), sent=json.dumps(server.requests))
        assert {headers.get("authorization") for headers in server.headers} == {f"Bearer {PLAIN}"}
    left.read_files(tmp_path, "key")
    assert all(b"142 steps" in left.files[str(tmp_path / f"one.{form}")] for form in ("md", "html", "json"))
    assert left.places_of(PLAIN, *OF_ENVIRONMENT.values()) == []


POLITE = 30
"""Replies before the server no longer takes the key: a probe asks some twenty questions."""
RUNS = (("probe",), ("bench-models", "-o", "results.md"), ("rag", "doctor"), ("rag", "ask", LIGHTHOUSE))


@pytest.mark.timeout(600)
async def test_a_key_is_nowhere_after_a_probe_a_comparison_of_models_and_commands_on_the_library(
    tmp_path: Path,
) -> None:
    def answer(_: dict[str, Any]) -> Said | Raw:
        key = server.headers[-1]["authorization"]
        return Said("You are welcome.") if len(server.chats) <= POLITE else failure(401, f"I know no {key}.")

    (tmp_path / "tmp").mkdir()
    async with Site() as site, FakeOpenAI([answer] * 500, [MODEL]) as server:
        own = {"base_url": server.base_url, "key_file": file_with_key(tmp_path, PLAIN)}
        temporary = str(tmp_path / "tmp")
        left = await run_magpie(tmp_path, {"openai": own}, (server, site), RUNS, servers={}, TMPDIR=temporary)
        assert len(server.chats) > POLITE
        assert {headers.get("authorization") for headers in server.headers} == {f"Bearer {PLAIN}"}
    assert b"arithmetic" in left.files[str(tmp_path / "results.md")]
    assert "does not accept the key" in left.said + left.aside
    assert left.places_of(PLAIN, *OF_ENVIRONMENT.values()) == []


BUG = """
from chatbot.models.openai.server import ApiServer
def fail(self, http): raise RuntimeError(f"no client for {self.where.key} of {self.where.sent_key!r}")
ApiServer.make_client = fail
"""


@pytest.mark.timeout(300)
async def test_a_key_is_not_in_what_is_kept_of_a_bug(tmp_path: Path) -> None:
    async with Site() as site, FakeOpenAI([], [MODEL]) as server:
        own = {"base_url": server.base_url, "key_file": file_with_key(tmp_path, PLAIN)}
        fakes = (server, site)
        left = await run_magpie(tmp_path, {"openai": own, **BARE}, fakes, [QUESTION], servers={}, before=BUG)
    assert left.code and b"no client for" in left.files[str(tmp_path / "data" / "magpie.log")]
    assert left.places_of(PLAIN, *OF_ENVIRONMENT.values()) == []


def test_a_key_is_looked_for_in_each_form_that_it_may_have() -> None:
    assert Left(files={"a": forms_of(PLAIN)[2]}, children={"b": b"X=%b" % PLAIN.encode()}).places_of(PLAIN) == [
        "environment of b",
        "a",
    ]
