"""Who is let in, and with how much: hostile hosts, origins, tokens, paths and bodies."""

import asyncio
import json
import stat
from pathlib import Path
from typing import Any

import httpx
import pytest

from chatbot.cli import main, parse_arguments
from chatbot.frontends.http_api.arguments import serving_settings
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.guard.request_rate import MAX_CLIENTS_COUNTED, RequestRate
from chatbot.frontends.http_api.person_tokens import TOKENS_FILE_NAME, PersonTokens
from chatbot.frontends.researching.arguments import decide_settings
from chatbot.frontends.serving.listening import HeaderTimeoutProtocol
from tests.fakes.api_server import configured, running_api
from utils.errors import ConfigError

LIST = "/api/consent"
HOSTS = (
    *("evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "evil.example:80", "127.0.0.2", "[::2]"),
    *("127.0.0.1@evil.example", "0x7f.1", "", " ", "localhost:80:80", "localhost:x", "127.0.0.1:80, evil.example"),
)
ORIGINS = ("http://evil.example", "null", "https://localhost.evil.example", "http://localhost:1", "file://", "*")


async def raw(url: str, request: bytes) -> str:
    """What comes back for bytes as they are, until the server closes or is silent."""
    host, port = url.removeprefix("http://").split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request)
    await writer.drain()
    try:
        return (await asyncio.wait_for(reader.read(100_000), 20)).decode(errors="replace")
    finally:
        writer.close()


async def test_foreign_hosts_and_origins_are_refused(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api:
        port = api.url.rpartition(":")[2]
        for host in HOSTS:
            told = await raw(api.url, f"GET {LIST} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            assert told.split(" ")[1] in ("400", "421"), (host, told)
        twice = f"GET {LIST} HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
        assert (await raw(api.url, twice.encode())).split(" ")[1] in ("400", "421")
        for origin in ORIGINS:
            refused = await api.client.get(LIST, headers={"Origin": origin})
            assert refused.status_code == 403 and "access-control-allow-origin" not in refused.headers
            preflight = {"Origin": origin, "Access-Control-Request-Method": "POST"}
            assert (await api.client.options(LIST, headers=preflight)).status_code == 403
        for site in ("cross-site", "same-site"):
            assert (await api.client.get(LIST, headers={"Sec-Fetch-Site": site})).status_code == 403
        for host in (f"localhost:{port}", f"127.0.0.1:{port}", f"[::1]:{port}", "LOCALHOST"):
            own = {"Host": host, "Origin": f"http://{host}", "Sec-Fetch-Site": "same-origin"}
            assert (await api.client.get(LIST, headers=own)).status_code == 200


async def test_an_origin_that_is_allowed_may_read_and_no_other(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path, **{"serve.allow_origins": ["https://app.example"]})) as api:
        allowed = {"Origin": "https://app.example"}
        read = await api.client.get(LIST, headers=allowed)
        assert (read.status_code, read.headers["access-control-allow-origin"]) == (200, "https://app.example")
        preflight = await api.client.options("/api/chat", headers=allowed)
        assert (preflight.status_code, preflight.headers["access-control-allow-origin"]) == (204, "https://app.example")
        assert (await api.client.get(LIST, headers={"Origin": "https://app.example.evil"})).status_code == 403
        behind_proxy = {"Host": "app.example", "Origin": "https://app.example"}
        assert (await api.client.get(LIST, headers=behind_proxy)).status_code == 200
        assert (await api.client.get(LIST, headers={"Host": "evil.example"})).status_code == 421


async def test_tokens_say_whose_a_request_is_and_wrong_ones_let_nobody_in(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path, **{"serve.require_token": True})) as api:
        assert (await api.client.get("/api/health")).json()["status"] == "ok"
        token = api.service.tokens.add("ann")
        wrong = (
            None,
            "",
            "Bearer",
            "Bearer ",
            f"Bearer {token}x",
            f"Bearer {token[:-1]}",
            f"Basic {token}",
            "Bearer é",
        )
        for sent in (*wrong, token, f"Bearer {token}\x00", "Bearer " + "a" * 10_000):
            headers = {} if sent is None else {"Authorization": sent.encode()}
            try:
                refused = await api.client.get(LIST, headers=headers)
            except (httpx.LocalProtocolError, httpx.RemoteProtocolError):
                continue
            assert refused.status_code in (400, 401), sent
        right = {"Authorization": f"Bearer {token}"}
        assert (await api.client.get(LIST, headers=right)).status_code == 200
        assert PersonTokens(tmp_path).drop("ann") == 1
        assert (await api.client.get(LIST, headers=right)).status_code == 401
    kept = tmp_path / TOKENS_FILE_NAME
    assert token not in kept.read_text() and stat.S_IMODE(kept.stat().st_mode) == 0o600


async def test_two_people_have_conversations_of_their_own(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api:
        people = {name: {"Authorization": f"Bearer {api.service.tokens.add(name)}"} for name in ("ann", "bob")}
        anns = await api.client.post("/api/chat", json={"message": "My code is 4471."}, headers=people["ann"])
        session = anns.headers["magpie-session"]
        for headers in (people["bob"], {}):
            asked = {"message": "What is the code?", "session": session}
            assert (await api.client.post("/api/chat", json=asked, headers=headers)).status_code == 404
            chat = anns.headers["magpie-chat"]
            assert (await api.client.get(f"/api/chat/{chat}", headers=headers)).status_code == 404
        went_on = {"message": "And the price?", "session": session}
        assert (await api.client.post("/api/chat", json=went_on, headers=people["ann"])).status_code == 200
    assert (tmp_path / "people" / "ann" / "sessions.db").exists()


async def test_who_asks_too_often_is_told_when_to_come_again(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path, **{"serve.requests_per_minute": 20})) as api:
        statuses = [(await api.client.get("/api/health")).status_code for _ in range(20)]
        assert set(statuses) == {200}
        refused = await api.client.get("/api/health")
        assert refused.status_code == 429 and 1 <= int(refused.headers["retry-after"]) <= 60
        # Others are not held up by that; who guesses tokens is, sooner.
        ann = {"Authorization": f"Bearer {api.service.tokens.add('ann')}"}
        assert (await api.client.get("/api/health", headers=ann)).status_code == 200
        guesses = [await api.client.get(LIST, headers={"Authorization": "Bearer no"}) for _ in range(3)]
        assert [guess.status_code for guess in guesses] == [401, 401, 429]


def test_a_minute_later_requests_are_let_through_again_and_few_clients_are_remembered() -> None:
    now = 0.0
    rate = RequestRate(2, lambda: now)
    for _ in range(2):
        rate.take("ann")
    with pytest.raises(ApiRefusal) as refused:
        rate.take("ann")
    assert refused.value.headers == {"retry-after": "60"}
    now = 60.0
    rate.take("ann")
    for number in range(2 * MAX_CLIENTS_COUNTED):
        rate.take(str(number))
    assert len(rate._times) == MAX_CLIENTS_COUNTED


async def test_bodies_that_are_too_large_or_too_slow_go_no_further(tmp_path: Path) -> None:
    settings = {"serve.max_body_bytes": 1000, "serve.body_seconds": 0.3}
    async with running_api(configured(tmp_path, **settings)) as api:
        large = json.dumps({"message": "a" * 2000}).encode()

        async def pieces() -> Any:
            for start in range(0, len(large), 100):
                yield large[start : start + 100]

        for content in (large, pieces()):
            refused = await api.client.post("/api/chat", content=content)
            assert (refused.status_code, refused.json()["error"]["code"]) == (413, "too_large")
        head = f"POST /api/chat HTTP/1.1\r\nHost: {api.url.removeprefix('http://')}\r\n"
        assert " 408 " in await raw(api.url, f"{head}Content-Length: 100\r\n\r\n{{".encode())
        assert " 413 " in await raw(api.url, f"{head}Content-Length: 9999999999999\r\n\r\n{{".encode())
        for wrong in (
            "Content-Length: -1",
            "Content-Length: 99999999999999999999999",
            "Content-Length: 5\r\nContent-Length: 6",
            "Content-Length: 5\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked, identity",
            "Transfer-Encoding: xchunked",
        ):
            told = await raw(
                api.url, f"{head}{wrong}\r\nConnection: close\r\n\r\n0\r\n\r\nGET /api/health HTTP/1.1\r\n\r\n".encode()
            )
            assert told.count("HTTP/1.1 ") == 1 and told.split(" ")[1] != "200", (wrong, told)
        flood = "".join(f"X-{number}: {'a' * 100}\r\n" for number in range(2000))
        assert " 200 " not in (await raw(api.url, f"{head}{flood}\r\n".encode()))[:20]
        assert (await api.client.get("/api/health")).status_code == 200


async def test_a_request_whose_headers_never_end_keeps_no_connection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HeaderTimeoutProtocol, "header_seconds", 0.2)
    async with running_api(configured(tmp_path)) as api:
        host = api.url.removeprefix("http://")
        for beginning in ("", "GET /api/health HTTP/1.1\r\n", f"GET /api/health HTTP/1.1\r\nHost: {host}\r\nX: "):
            assert await raw(api.url, beginning.encode()) == ""
        whole = f"GET /api/health HTTP/1.1\r\nHost: {host}\r\n\r\n"
        told = await raw(api.url, f"{whole}GET /api/health HTTP/1.1\r\nX: ".encode())
        assert told.count("HTTP/1.1 200") == 1


async def test_made_up_paths_and_methods_lead_nowhere(tmp_path: Path) -> None:
    async with running_api(configured(tmp_path)) as api:
        host = api.url.removeprefix("http://")
        for path in (
            "/../../etc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd",
            "//etc/passwd",
            "/api/chat/..%2f..%2fetc",
            "/\\x",
        ):
            told = await raw(api.url, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
            assert told.split(" ")[1] in ("400", "404"), (path, told)
            assert "root:" not in told
        for method in ("TRACE", "CONNECT", "PROPFIND", "PUT"):
            told = await raw(
                api.url, f"{method} /api/chat HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
            )
            assert told.split(" ")[1] in ("400", "404", "405", "501"), (method, told)
        missing = (await api.client.get("/nothing")).json()["error"]
        assert missing["problem"] == "There is nothing at this address."
        odd = await api.client.post(
            "/api/chat", content=b'{"message": "\\ud800"}', headers={"content-type": "application/json"}
        )
        assert odd.status_code == 422 and "Traceback" not in odd.text
        metrics = (await api.client.get("/api/metrics")).text
        assert 'magpie_http_requests_total{method="GET",route="/api/metrics"' not in metrics
        assert 'route="none",status="404"' in metrics and "passwd" not in metrics


def test_a_token_is_printed_once_and_only_its_hash_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"data_dir": str(tmp_path)}))
    monkeypatch.setenv("MAGPIE_CONFIG", str(tmp_path / "config.json"))
    assert main(["serve", "--host", "0.0.0.0"]) == 1
    assert (
        "so a token must guard it, and there is none yet. Make one first: magpie serve --new-token"
        in capsys.readouterr().err
    )
    assert main(["serve", "--new-token"]) == 0
    token = capsys.readouterr().out.strip()
    assert main(["serve", "--new-token", "ann"]) == 0
    anns = capsys.readouterr().out.strip()
    tokens = PersonTokens(tmp_path)
    assert [tokens.find_person(one) for one in (token, anns, "", token[:-1])] == ["", "ann", None, None]
    assert main(["serve", "--new-token", "../ann"]) == 1
    assert "is no name of a person" in capsys.readouterr().err
    assert main(["serve", "--drop-tokens", "ann"]) == 0
    assert capsys.readouterr().out == "1 token let nobody in any more.\n" and tokens.find_person(anns) is None
    (tmp_path / TOKENS_FILE_NAME).write_text('{"a": 1}')
    with pytest.raises(ConfigError, match="is no list of tokens"):
        PersonTokens(tmp_path).find_person(token)


def test_serving_is_told_from_a_question() -> None:
    assert parse_arguments(["serve"])[0].module == "chatbot.frontends.http_api.command"
    assert parse_arguments(["serve", "me", "tea"])[0].module == "chatbot.frontends.oneshot"


def test_a_profile_and_what_may_leave_and_stay_are_chosen_on_the_command_line() -> None:
    arguments = parse_arguments(["serve", "--profile", "coder", "--private", "--offline", "--port", "0"])[1]
    assert serving_settings(arguments) == {"serve.port": 0, "profile": "coder", "private": True, "offline": True}
    assert decide_settings(parse_arguments(["research", "--profile", "coder", "Why?"])[1]) == {"profile": "coder"}
