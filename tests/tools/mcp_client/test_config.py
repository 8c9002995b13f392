import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.places import ROOT
from tools.mcp_client.config import Configured, OAuth, ServerSpec, fill_variables, read_servers
from utils.errors import ConfigError

EXAMPLE = ROOT / "mcp.example.json"


def read(folder: Path, tree: Any) -> Configured:
    path = folder / "mcp.json"
    path.write_text(tree if isinstance(tree, str) else json.dumps(tree))
    return read_servers(path)


def test_the_object_form_is_read(tmp_path: Path) -> None:
    servers = {
        "files": {"command": "npx", "args": ["-y", "x"], "env": {"A": "${B}"}, "cwd": "~/notes", "alwaysAllow": ["a"]},
        "tickets": {"type": "http", "url": "https://t.example/mcp", "headers": {"X": "1"}, "timeout": 5},
        "older": {"type": "sse", "url": "http://127.0.0.1:1/sse", "enabled": False},
        "bare": {"url": "https://t.example/"},
    }
    assert read(tmp_path, {"mcpServers": servers}) == Configured(
        (
            ServerSpec("files", "stdio", ("npx", "-y", "x"), {"A": "${B}"}, "~/notes"),
            ServerSpec("tickets", "http", url="https://t.example/mcp", headers={"X": "1"}, timeout=5),
            ServerSpec("older", "sse", url="http://127.0.0.1:1/sse", enabled=False),
            ServerSpec("bare", "http", url="https://t.example/"),
        )
    )


@pytest.mark.parametrize("under", [True, False])
def test_the_list_form_is_read_with_its_milliseconds(tmp_path: Path, under: bool) -> None:
    servers = [
        {"name": "a", "enabled": True, "type": "stdio", "command": "a", "timeout": 30000},
        {"name": "b", "enabled": False, "type": "http", "url": "http://localhost:2/mcp"},
    ]
    assert read(tmp_path, {"mcpServers": servers} if under else servers) == Configured(
        (
            ServerSpec("a", "stdio", ("a",), timeout=30),
            ServerSpec("b", "http", url="http://localhost:2/mcp", enabled=False),
        )
    )


def test_one_broken_server_is_left_out_with_its_reason(tmp_path: Path) -> None:
    servers = {
        "good": {"command": "a"},
        "empty": {},
        "odd": {"type": "websocket", "url": "ws://a"},
        "text": "npx",
        "args": {"command": "a", "args": "b"},
        "file": {"url": "file:///etc/passwd"},
        "late": {"command": "a", "timeout": -1},
        "e\u202evil": {"command": "a"},
        "null": {"command": "a\0b"},
    }
    found = read(tmp_path, {"mcpServers": servers})
    assert [server.name for server in found.servers] == ["good"]
    assert found.problems == (
        "The MCP server empty is left out: it has neither a command nor a url.",
        "The MCP server odd is left out: its type 'websocket' is none of stdio, http and sse.",
        "The MCP server text is left out: Expected `object`, got `str`.",
        "The MCP server args is left out: Expected `array`, got `str` - at `$.args`.",
        "The MCP server file is left out: Only a plain web address (http://... or https://...) can be opened.",
        "The MCP server late is left out: its timeout is below 0.",
        "The MCP server evil is left out: its name is empty, too long or holds characters that cannot be shown.",
        "The MCP server null is left out: it holds a null character.",
    )
    assert read(tmp_path, [{"name": "a", "command": "x"}, {"name": "a", "command": "y"}, 1]).problems == (
        "The MCP server a is left out: another one has the same name.",
        "MCP server number 3 is left out: its name is empty, too long or holds characters that cannot be shown.",
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '{"mcpServers": {',
            "is not valid JSON: Expecting property name enclosed in double quotes at line 1, column 17",
        ),
        ('{"mcpServers": 1}', 'names no servers: "mcpServers" must be an object or a list'),
        ("[" * 100_000, "is not valid JSON: it is nested more than 100 deep"),
    ],
)
def test_a_broken_file_is_one_problem(tmp_path: Path, text: str, told: str) -> None:
    why = f"{tmp_path / 'mcp.json'} {told}. No MCP server is used until it is mended."
    assert read(tmp_path, text) == Configured((), (why,))


def test_without_a_file_there_are_no_servers(tmp_path: Path) -> None:
    assert read_servers(tmp_path / "mcp.json") == Configured()


def test_the_example_is_right() -> None:
    found = read_servers(EXAMPLE)
    assert ([server.name for server in found.servers], found.problems) == (["files", "tickets", "older"], ())


def test_variables_come_from_the_environment_alone() -> None:
    assert fill_variables({"A": "Bearer ${TOKEN}", "B": "$TOKEN ${}"}, {"TOKEN": "t${X}"}) == {
        "A": "Bearer t${X}",
        "B": "$TOKEN ${}",
    }
    with pytest.raises(ConfigError, match="the environment variable GONE is not set"):
        fill_variables({"A": "${GONE}"}, {})


def test_what_may_be_called_unasked_and_what_is_kept_apart_is_the_servers_own_line(tmp_path: Path) -> None:
    servers = {"files": {"command": "npx", "allow": ["read", "list"], "separate": True}, "other": {"command": "x"}}
    files, other = read(tmp_path, {"mcpServers": servers}).servers
    assert (files.allowed, files.separate) == (("read", "list"), True)
    assert (other.allowed, other.separate) == ((), False)


def test_how_magpie_signs_in_stands_at_the_server(tmp_path: Path) -> None:
    url = "https://tickets.example/mcp"
    own = {"clientId": "me", "clientSecret": "${SECRET}", "callbackPort": 8080, "issuer": "https://id.example"}
    servers = {"plain": {"url": url}, "mine": {"url": url, "oauth": own}}
    plain, mine = read(tmp_path, {"mcpServers": servers}).servers
    assert plain.oauth == OAuth()
    assert mine.oauth == OAuth("me", "${SECRET}", 8080, issuer="https://id.example")


@pytest.mark.parametrize(
    ("oauth", "why"),
    [
        ({"grant": "client_credentials"}, "its oauth needs clientId, issuer, and clientSecret or privateKey"),
        ({"privateKey": "k"}, 'its oauth has a privateKey, which only the grant "client_credentials" uses'),
        ({"callbackPort": 70000}, "there is no port 70000"),
        (
            {"clientMetadataUrl": "https://me.example/"},
            "its oauth has a clientMetadataUrl that is no https address of a document",
        ),
    ],
)
def test_a_sign_in_that_cannot_be_is_said(tmp_path: Path, oauth: dict[str, object], why: str) -> None:
    found = read(tmp_path, {"mcpServers": {"x": {"url": "https://tickets.example/mcp", "oauth": oauth}}})
    assert found == Configured((), (f"The MCP server x is left out: {why}.",))


def test_what_is_no_regular_file_is_one_problem_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        why = f"{path} cannot be read: it is no regular file. No MCP server is used until it is mended."
        assert read_servers(path) == Configured((), (why,))
