"""Signing in to a server over HTTP, against a real one with its authorization server on loopback."""

import asyncio
import json
import stat
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.fakes.mcp_servers import Connected, connected, declining
from tests.fakes.oauth_server import OAuthServer, oauth_server
from tools.mcp_client.config import OAuth, ServerSpec

ASKED = "The MCP server remote asks you to sign in at 127.0.0.1. Open this in a browser: "
FAILED = "The MCP server remote cannot be used: signing in to it failed: "
SIGN_IN = [
    "GET /.well-known/oauth-protected-resource/mcp",
    "GET /.well-known/oauth-authorization-server",
    "POST /register",
    "GET /authorize",
    "POST /token",
    "authorization_code",
]


class Person:
    """Opens the addresses that are shown, as a browser does."""

    def __init__(self, change: Callable[[str], str] = lambda address: address) -> None:
        self._change = change
        self.pages: list[asyncio.Task[str]] = []

    def told(self, said: str) -> None:
        if said.startswith(ASKED):
            self.pages.append(asyncio.create_task(self.visit(said.removeprefix(ASKED))))

    async def visit(self, address: str) -> str:
        async with httpx.AsyncClient(follow_redirects=True) as browser:
            return (await browser.get(self._change(address))).text


def remote(server: OAuthServer, **settings: object) -> ServerSpec:
    return ServerSpec("remote", "http", url=server.url, **settings)  # type: ignore[arg-type]


async def until(there: Connected, *states: str) -> str:
    """The server's reason once it is in one of these states."""
    server = there.servers.all["remote"]
    while server.state not in states:
        await asyncio.sleep(0.01)
    return server.reason


def signed_in(folder: Path) -> dict[str, object]:
    kept: dict[str, object] = json.loads((folder / "tokens.json").read_text())["remote"]
    return kept


async def test_the_user_signs_in_in_a_browser_and_the_tools_are_there(tmp_path: Path) -> None:
    person = Person()
    async with (
        oauth_server() as server,
        connected(tmp_path, [remote(server)], ask=declining, told=person.told) as there,
    ):
        await until(there, "ready")
        assert await there.call("remote_shout") == (True, "LOUD")
        assert ["Magpie has the answer. You can close this page" in await page for page in person.pages] == [True]
    assert [said.split("?")[0] for said in there.told] == [
        f"{ASKED}{server.origin}/authorize",
        "You are signed in to the MCP server remote.",
    ]
    assert server.asked[1:7] == SIGN_IN
    # Only the server itself is sent the token.
    carried = [head.split()[1] for head in server.heads if "token1" in head]
    assert set(carried) == {"/mcp"}
    assert stat.S_IMODE((tmp_path / "tokens.json").stat().st_mode) == 0o600


async def test_what_was_kept_is_used_in_the_next_run_and_refreshed_when_it_has_ended(tmp_path: Path) -> None:
    person = Person()
    async with oauth_server(expires_in=0) as server:
        for _ in range(2):
            async with connected(tmp_path, [remote(server)], ask=declining, told=person.told) as there:
                await until(there, "ready")
                assert await there.call("remote_shout") == (True, "LOUD")
    assert len(person.pages) == 1
    assert server.asked.count("authorization_code") == 1
    assert server.asked.count("refresh_token") > 1
    assert signed_in(tmp_path)["tokens"] == {
        "access_token": f"token{server.tokens}",
        "token_type": "Bearer",
        "expires_in": 0,
        "refresh_token": f"refresh{server.tokens}",
    }


async def test_a_token_that_was_taken_back_is_refreshed_without_the_user(tmp_path: Path) -> None:
    person = Person()
    async with (
        oauth_server() as server,
        connected(tmp_path, [remote(server)], ask=declining, told=person.told) as there,
    ):
        await until(there, "ready")
        server.valid.clear()
        assert await there.call("remote_shout") == (True, "LOUD")
    assert (len(person.pages), server.asked.count("refresh_token")) == (1, 1)


async def test_where_the_refresh_is_refused_the_user_signs_in_again(tmp_path: Path) -> None:
    person = Person()
    async with (
        oauth_server() as server,
        connected(tmp_path, [remote(server)], ask=declining, told=person.told) as there,
    ):
        await until(there, "ready")
        server.valid.clear()
        server.tokens += 1
        assert await there.call("remote_shout") == (True, "LOUD")
    assert len(person.pages) == 2


async def test_a_call_that_needs_more_is_carried_out_after_another_sign_in(tmp_path: Path) -> None:
    person = Person()
    async with (
        oauth_server(needed={"tools/call": "loud"}) as server,
        connected(tmp_path, [remote(server)], ask=declining, told=person.told) as there,
    ):
        await until(there, "ready")
        assert await there.call("remote_shout") == (True, "LOUD")
        server.needed["tools/call"] = "louder"
        server.denies = True
        ok, text = await there.call("remote_shout")
        assert (ok, text) == (
            False,
            "The MCP server remote could not carry out shout: signing in to it failed: it was refused: access_denied.",
        )
        # What it may do already it still does.
        assert there.servers.all["remote"].state == "ready"
    assert len(person.pages) == 3


async def test_while_it_waits_for_the_user_nothing_waits_for_it_and_its_time_stands_still(tmp_path: Path) -> None:
    async with (
        oauth_server() as server,
        connected(tmp_path, [remote(server)], ask=declining, start_seconds=0.5) as there,
    ):
        assert await until(there, "waiting") == "it waits for you to sign in"
        address = there.servers.all["remote"].sign_in_at
        assert address.startswith(f"{server.origin}/authorize?")
        await asyncio.sleep(0.6)
        assert there.servers.all["remote"].state == "waiting"
        await Person().visit(address)
        await until(there, "ready")
        assert there.servers.all["remote"].sign_in_at == ""


@pytest.mark.parametrize(
    ("settings", "denies", "why"),
    [
        ({"sign_in_seconds": 0.2}, False, "you did not do it within 0.2 s"),
        ({}, True, "it was refused: access_denied"),
    ],
)
async def test_a_sign_in_that_comes_to_nothing_is_said_and_not_asked_for_again(
    tmp_path: Path, settings: dict[str, float], denies: bool, why: str
) -> None:
    person = Person((lambda address: address) if denies else (lambda address: "http://127.0.0.1:9/"))
    async with (
        oauth_server(denies=denies) as server,
        connected(
            tmp_path, [remote(server)], ask=declining, told=person.told if denies else print, **settings
        ) as there,
    ):
        assert await until(there, "failed") == f"signing in to it failed: {why}; /mcp restart remote tries again"
        assert there.told[1:] == [f"{FAILED}{why}."]


async def test_where_nobody_is_there_it_is_said_in_one_sentence(tmp_path: Path) -> None:
    async with oauth_server() as server, connected(tmp_path, [remote(server)]) as there:
        why = "it needs you to sign in, which takes a chat in a terminal"
        assert there.told == [f"The MCP server remote cannot be used: {why}."]
    assert [line for line in server.asked if "mcp" not in line] == []


async def test_an_answer_with_another_state_or_by_another_name_is_not_listened_to(tmp_path: Path) -> None:
    async with (
        oauth_server() as server,
        connected(tmp_path, [remote(server)], ask=declining) as there,
    ):
        await until(there, "waiting")
        asked = httpx.URL(there.servers.all["remote"].sign_in_at).params
        back, state = asked["redirect_uri"], asked["state"]
        async with httpx.AsyncClient() as other:
            for params, headers in (
                ({"code": "evil", "state": "guessed"}, {}),
                ({"code": "evil", "state": state}, {"Host": "evil.example"}),
                ({"code": "evil"}, {}),
            ):
                answer = await other.get(back, params=params, headers=headers)
                assert (answer.status_code, "not what Magpie is waiting for" in answer.text) == (404, True)
        assert there.servers.all["remote"].state == "waiting"
        await Person().visit(there.servers.all["remote"].sign_in_at)
        await until(there, "ready")
        # The listener is closed.
        with pytest.raises(httpx.ConnectError):
            await Person().visit(back)


@pytest.mark.parametrize(
    ("issuer", "why"),
    [
        ("http://192.0.2.1", "192.0.2.1:80 would be told secrets without encryption"),
        ("https://192.0.2.1", "192.0.2.1 is a private address (192.0.2.1), not the public internet"),
        ("https://router.local", "router.local is not a name on the public internet"),
    ],
)
async def test_an_authorization_server_may_be_no_private_address_elsewhere(
    tmp_path: Path, issuer: str, why: str
) -> None:
    async with (
        oauth_server(issuer=issuer) as server,
        connected(tmp_path, [remote(server)], ask=declining) as there,
    ):
        assert there.told == [f"{FAILED}{why}."]


async def test_the_browser_is_sent_to_no_such_address_either(tmp_path: Path) -> None:
    async with (
        oauth_server(metadata={"authorization_endpoint": "http://192.0.2.1/authorize"}) as server,
        connected(tmp_path, [remote(server)], ask=declining) as there,
    ):
        why = "192.0.2.1:80 would be told secrets without encryption"
        assert there.told == [f"{FAILED}{why}."]


async def test_tokens_are_for_the_address_they_were_given_for(tmp_path: Path) -> None:
    person = Person()
    async with oauth_server() as server, oauth_server() as other:
        async with connected(tmp_path, [remote(server)], ask=declining, told=person.told) as there:
            await until(there, "ready")
        async with connected(tmp_path, [remote(other)]) as there:
            assert there.servers.all["remote"].state == "failed"
    assert [head for head in other.heads if "token1" in head or "refresh1" in head] == []


async def test_who_gives_a_token_in_the_file_does_not_sign_in(tmp_path: Path) -> None:
    async with oauth_server() as server:
        spec = remote(server, headers={"authorization": "Bearer ${MINE}"})
        async with connected(tmp_path, [spec], ask=declining, environment={"MINE": "mine"}) as there:
            assert there.told == ["The MCP server remote cannot be used: it answers with HTTP status 401."]
    assert set(server.asked) == {"POST /mcp", "GET /mcp"}


async def test_a_client_of_the_user_s_own_is_used_and_its_secret_not_written_down(tmp_path: Path) -> None:
    person = Person()
    async with oauth_server() as server:
        own = OAuth(client_id="mine", client_secret="${SECRET}")
        spec, there = remote(server, oauth=own), {"SECRET": "s3cr3t-of-mine"}
        async with connected(tmp_path, [spec], ask=declining, told=person.told, environment=there) as connection:
            await until(connection, "ready")
    assert "POST /register" not in server.asked
    assert signed_in(tmp_path)["client"] == {"client_id": "mine", "issuer": server.origin}
    assert "s3cr3t" not in (tmp_path / "tokens.json").read_text()


async def test_the_port_that_is_registered_is_used_again_and_one_that_is_taken_registered_anew(tmp_path: Path) -> None:
    person = Person()
    ports: list[int] = []
    async with oauth_server() as server:
        for blocked in (False, True, False):
            async with connected(tmp_path, [remote(server)], ask=declining) as there:
                await until(there, "waiting")
                address = there.servers.all["remote"].sign_in_at
                ports.append(httpx.URL(httpx.URL(address).params["redirect_uri"]).port or 0)
                await person.visit(address)
                await until(there, "ready")
            server.valid.clear()
            server.tokens += 1
            if blocked:
                blocker = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", ports[0])
        blocker.close()
    assert (ports[0] == ports[1], ports[0] == ports[2]) == (True, False)
    assert server.asked.count("POST /register") == 2


async def test_a_token_that_another_magpie_has_renewed_is_taken_from_the_file(tmp_path: Path) -> None:
    person = Person()
    async with oauth_server() as server:
        spec = remote(server)
        async with (
            connected(tmp_path, [spec], ask=declining, told=person.told) as there,
            connected(tmp_path, [spec], ask=declining) as other,
        ):
            await until(there, "ready")
            await Person().visit(other.servers.all["remote"].sign_in_at)
            await until(other, "ready")
            assert (server.tokens, server.valid) == (2, {"token1", "token2"})
            server.valid.remove("token1")
            # Its own refresh token is not the newest.
            assert await there.call("remote_shout") == (True, "LOUD")
    assert (len(person.pages), server.asked.count("refresh_token")) == (1, 0)


async def test_a_registration_with_which_a_sign_in_failed_is_not_used_again(tmp_path: Path) -> None:
    person = Person()
    async with oauth_server(denies=True) as server:
        async with connected(tmp_path, [remote(server)], ask=declining, told=person.told) as there:
            await until(there, "failed")
        server.denies = False
        async with connected(tmp_path, [remote(server)], ask=declining, told=person.told) as there:
            await until(there, "ready")
    assert server.asked.count("POST /register") == 2


async def test_more_rights_are_not_asked_for_where_nobody_is_there(tmp_path: Path) -> None:
    person = Person()
    async with oauth_server(needed={"tools/call": "loud"}) as server:
        async with connected(tmp_path, [remote(server)], ask=declining, told=person.told) as there:
            await until(there, "ready")
        async with connected(tmp_path, [remote(server)]) as there:
            why = "it needs you to sign in, which takes a chat in a terminal"
            assert await there.call("remote_shout") == (
                False,
                f"The MCP server remote could not carry out shout: {why}.",
            )
            assert there.servers.all["remote"].state == "ready"


async def test_what_cannot_be_read_of_an_earlier_sign_in_is_as_if_there_were_none(tmp_path: Path) -> None:
    person = Person()
    async with oauth_server() as server:
        kept = {"url": server.url, "tokens": {"access_token": 1}, "client": {"redirect_uris": "no"}}
        (tmp_path / "tokens.json").write_text(json.dumps({"remote": kept}))
        async with connected(tmp_path, [remote(server)], ask=declining, told=person.told) as there:
            await until(there, "ready")
    assert len(person.pages) == 1


async def test_where_nothing_can_be_written_the_sign_in_holds_for_this_run(tmp_path: Path) -> None:
    person = Person()
    (tmp_path / "tokens.json").mkdir()
    async with (
        oauth_server(expires_in=0) as server,
        connected(tmp_path, [remote(server)], ask=declining, told=person.told) as there,
    ):
        await until(there, "ready")
        assert await there.call("remote_shout") == (True, "LOUD")
    assert len(person.pages) == 1
