import asyncio
import json
import stat

import httpx
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server import Server
from mcp.shared._httpx_utils import create_mcp_http_client

from chatbot.cli import main
from chatbot.frontends.mcp_server.http import SESSIONS, make_application, security_settings
from chatbot.frontends.serving.address import ListenAddress
from chatbot.frontends.serving.token_file import TOKEN_FILE_NAME
from tests.chatbot.frontends.test_mcp_server import HERON, INITIALIZE, fill
from tests.fakes.mcp_client import over_http, text_of

ACCEPTED = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
TOKEN = "a-token-of-some-length"
PING = {"jsonrpc": "2.0", "id": 2, "method": "ping"}


async def post(url: str, **headers: str) -> int:
    """The status of a first request with these headers."""
    async with httpx.AsyncClient(trust_env=False) as client:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        response = await client.post(url, content=json.dumps(INITIALIZE), headers=ACCEPTED | named)
        return response.status_code


async def test_it_answers_over_http_and_takes_no_paths_and_no_strangers(tmp_path):
    await fill(tmp_path, HERON)
    async with over_http(tmp_path) as url:
        async with Client(url) as client:
            found = await client.call_tool("search_library", {"query": "herons", "mode": "bm25"})
            assert text_of(found).endswith("[1] heron (/birds/heron.txt)\nHerons wait for fish.")
            refused = await client.call_tool("index_source", {"source": "/etc/passwd"})
            assert (refused.is_error, text_of(refused)) == (
                True,
                "Over HTTP only addresses can be indexed. Name one that begins with https:// or http://.",
            )
            assert [one.name for one in (await client.list_resources()).resources] == ["heron"]
        port = httpx.URL(url).port
        assert await post(url) == 200
        assert await post(url, host=f"localhost:{port}", origin=f"http://localhost:{port}") == 200
        assert await post(url, host="evil.example") == 421
        assert await post(url, host=f"127.0.0.1.evil.example:{port}") == 421
        for origin in ("http://evil.example", "null", "https://localhost.evil.example"):
            assert await post(url, origin=origin) == 403
        for version in ("2026-07-28", "1999-01-01"):
            assert await post(url, host="evil.example", mcp_protocol_version=version) == 421


async def test_it_ends_when_told_to_although_a_client_listens(tmp_path):
    async with httpx.AsyncClient(trust_env=False) as client, over_http(tmp_path) as url:
        begun = await client.post(url, content=json.dumps(INITIALIZE), headers=ACCEPTED)
        headers = ACCEPTED | {"mcp-session-id": begun.headers["mcp-session-id"]}
        stream = client.stream("GET", url, headers=headers)
        assert (await stream.__aenter__()).status_code == 200
    await stream.__aexit__(None, None, None)


async def test_a_token_is_asked_for_where_one_was_named(tmp_path):
    (tmp_path / "token").write_text(TOKEN + "\n")
    async with over_http(tmp_path, "--host", "0.0.0.0", "--token-file", str(tmp_path / "token")) as url:
        url = url.replace("0.0.0.0", "127.0.0.1")
        assert await post(url) == 401
        assert await post(url, authorization=f"Bearer {TOKEN}x") == 401
        assert await post(url, authorization=f"Bearer {TOKEN}") == 200
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            create_mcp_http_client(headers=headers) as http,
            Client(streamable_http_client(url, http_client=http)) as client,
        ):
            assert len((await client.list_tools()).tools) == 5


async def test_without_options_a_token_is_made_and_kept_for_its_user_alone(tmp_path):
    kept = tmp_path / TOKEN_FILE_NAME
    tokens = []
    for mode in (0o600, 0o644, 0o600):
        async with over_http(tmp_path, "--host", "127.0.0.1") as url:
            assert stat.S_IMODE(kept.stat().st_mode) == 0o600
            tokens.append(kept.read_text().strip())
            assert await post(url) == 401
            assert await post(url, authorization=f"Bearer {tokens[-1]}") == 200
        kept.chmod(mode)
    # Who could read the second one may have done so.
    assert tokens[0] == tokens[1] != tokens[2] and min(map(len, tokens)) > 40


async def test_sessions_have_a_number_past_which_none_begins_and_those_that_are_there_go_on(tmp_path):
    async with over_http(tmp_path) as url, httpx.AsyncClient(trust_env=False) as client:
        begun = [await client.post(url, json=INITIALIZE, headers=ACCEPTED) for _ in range(SESSIONS)]
        assert {response.status_code for response in begun} == {200}
        assert (await client.post(url, json=INITIALIZE, headers=ACCEPTED)).status_code == 503
        headers = ACCEPTED | {"mcp-session-id": begun[0].headers["mcp-session-id"]}
        assert (await client.post(url, json=PING, headers=headers)).status_code == 200
        assert (await client.delete(url, headers=headers)).status_code == 200
        assert (await client.post(url, json=INITIALIZE, headers=ACCEPTED)).status_code == 200


async def test_a_session_of_which_nothing_is_heard_ends():
    app = make_application(Server("magpie"), ListenAddress("127.0.0.1", 1), idle=0.1)
    url = "http://127.0.0.1/mcp"
    async with app.router.lifespan_context(app), httpx.AsyncClient(transport=httpx.ASGITransport(app)) as client:
        begun = await client.post(url, json=INITIALIZE, headers=ACCEPTED)
        assert begun.status_code == 200
        await asyncio.sleep(1)
        headers = ACCEPTED | {"mcp-session-id": begun.headers["mcp-session-id"]}
        assert (await client.post(url, json=PING, headers=headers)).status_code == 404


def test_requests_must_name_the_address_that_it_listens_on():
    named = security_settings(ListenAddress("192.0.2.7", 1, TOKEN))
    assert (named.enable_dns_rebinding_protection, named.allowed_hosts) == (True, ["192.0.2.7", "192.0.2.7:*"])
    assert security_settings(ListenAddress("fd00::7", 1, TOKEN)).allowed_hosts == ["[fd00::7]", "[fd00::7]:*"]
    assert security_settings(ListenAddress("127.0.0.1", 1)).allowed_hosts[-1] == "[::1]:*"


def test_a_port_that_there_is_not_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["mcp", "--http", "--port", "70000"])
    assert "70000 is not between 0 and 65535" in capsys.readouterr().err
