import asyncio
import gzip
import json
import logging
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.fakes.mcp_servers import GOOD, connected, good
from tools.base import ToolContext
from tools.mcp_client.config import ServerSpec
from utils.errors import AddressRefused
from utils.log import log_path, start_log
from utils.network.access import NetworkAccess
from utils.network.addresses import parse_url, public_web
from utils.network.http import Client

FORECAST = {"place": "Bonn", "degrees": 21}
Answer = Callable[[str], bytes]


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@asynccontextmanager
async def serving(kind: str, port: int) -> AsyncIterator[asyncio.subprocess.Process]:
    """The good server over HTTP, once it listens."""
    quiet = asyncio.subprocess.DEVNULL
    program = (sys.executable, str(GOOD), kind, str(port))
    process = await asyncio.create_subprocess_exec(*program, stdout=quiet, stderr=quiet)
    try:
        while True:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    break
            await asyncio.sleep(0.05)
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@asynccontextmanager
async def answering(answer: Answer) -> AsyncIterator[tuple[int, list[str]]]:
    """A server that gives one answer to each request, by its path; its port and the heads of the requests."""
    heads: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        heads.append(head)
        writer.write(answer(head.split()[1]))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], heads


def response(body: bytes, *headers: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def reason(folder: Path, url: str, kind: str = "http", **headers: str) -> str:
    """Why a server cannot be used."""
    spec = ServerSpec("remote", kind, url=url, headers=headers)  # type: ignore[arg-type]
    async with connected(folder, [spec]) as there:
        return "".join(there.told)


async def test_tools_are_called_over_streamable_http_and_over_events(tmp_path: Path) -> None:
    one, other = free_port(), free_port()
    specs = [
        ServerSpec("new", "http", url=f"http://127.0.0.1:{one}/mcp", separate=True),
        ServerSpec("old", "sse", url=f"http://127.0.0.1:{other}/sse", separate=True),
        ServerSpec("either", "http", url=f"http://127.0.0.1:{other}/sse", separate=True),
    ]
    async with serving("streamable-http", one) as process, serving("sse", other), connected(tmp_path, specs) as there:
        assert there.told == []
        for name in ("new", "old", "either"):
            ok, text = await there.call(f"{name}_forecast", place="Bonn")
            assert (ok, json.loads(text)) == (True, FORECAST)
        process.kill()
        await process.wait()
        # One that is gone is said, and used again when it is back.
        ok, text = await there.call("new_forecast", place="Bonn")
        assert (ok, text.startswith("The MCP server new could not carry out forecast: ")) == (False, True)
        async with serving("streamable-http", one):
            while there.servers.all["new"].state != "ready":
                await asyncio.sleep(0.05)
            assert (await there.call("new_shout", text="back")) == (True, "BACK")


@pytest.mark.parametrize("kind", ["streamable-http", "sse"])
async def test_of_an_address_the_log_holds_its_origin_alone(tmp_path: Path, kind: str) -> None:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    start_log(tmp_path, verbose=True)
    port = free_port()
    url = f"http://127.0.0.1:{port}/{'mcp' if kind == 'streamable-http' else 'sse'}?key=harbourword"
    specs = [
        ServerSpec("good", "http", url=url),
        ServerSpec("bad", "http", url=f"http://harbourhost.example@127.0.0.1:{port}/harbourword/x"),
        ServerSpec("lost", "http", url=f"http://127.0.0.1:{port}/harbourword/x"),
    ]
    try:
        async with serving(kind, port), connected(tmp_path, specs) as there:
            assert await there.call("good_shout", text="a") == (True, "A")
    finally:
        for handler in root.handlers:
            handler.close()
        root.handlers[:] = handlers
        root.setLevel(level)
        logging.captureWarnings(False)
    written = log_path(tmp_path).read_text()
    assert f"http://127.0.0.1:{port}" in written
    assert "harbourword" not in written


async def test_a_call_that_found_no_connection_may_go_to_the_same_server_over_another_transport(tmp_path: Path) -> None:
    port = free_port()
    far = ServerSpec("far", "http", url=f"http://127.0.0.1:{port}/mcp")
    async with serving("streamable-http", port) as process, connected(tmp_path, [far, good("near")]) as there:
        assert there.told == []
        assert await there.call("far_shout", text="a") == (True, "A")
        process.kill()
        await process.wait()
        outcome = await there.toolbox.execute_call("far_shout", {"text": "b"}, ToolContext("a question"))
        assert (outcome.ok, outcome.unsent) == (False, True)
        assert there.offers.shown_name("far_shout") == "near.shout"
        assert await there.call("far_shout", text="b") == (True, "B")
        assert [server.calls for server in there.servers.all.values()] == [2, 1]


async def test_an_older_server_that_is_gone_is_known_to_be_before_it_is_called(tmp_path: Path) -> None:
    port = free_port()
    far = ServerSpec("far", "sse", url=f"http://127.0.0.1:{port}/sse")
    async with serving("sse", port) as process, connected(tmp_path, [far, good("near")]) as there:
        process.kill()
        await process.wait()
        while there.servers.all["far"].state == "ready":
            await asyncio.sleep(0.02)
        assert there.offers.shown_name("far_shout") == "near.shout"
        assert await there.call("far_shout", text="b") == (True, "B")


async def test_a_redirect_to_another_place_is_not_followed(tmp_path: Path) -> None:
    async with answering(lambda path: response(b"")) as (elsewhere, visits):
        place = f"Location: http://127.0.0.1:{elsewhere}/"
        async with answering(lambda path: response(b"", place, status="307 Temporary Redirect")) as (port, heads):
            said = await reason(tmp_path, f"http://127.0.0.1:{port}/mcp", Authorization="Bearer secret")
    assert said.startswith("The MCP server remote cannot be used: ")
    assert (visits, "Bearer secret" in said) == ([], False)
    assert "authorization: bearer secret" in heads[0].lower()
    assert "user-agent: magpie" in heads[0].lower()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (response(b"no", status="401 Unauthorized"), "it answers with HTTP status 401"),
        (response(b"no", status="500 Internal Server Error"), "it answers with HTTP status 500"),
    ],
)
async def test_a_server_that_refuses_is_said(tmp_path: Path, answer: bytes, why: str) -> None:
    async with answering(lambda path: answer) as (port, _):
        assert await reason(tmp_path, f"http://127.0.0.1:{port}/mcp") == f"The MCP server remote cannot be used: {why}."


@pytest.mark.parametrize(
    "answer",
    [
        response(b" " * 11_000_000, "Content-Type: application/json"),
        response(gzip.compress(b" " * 11_000_000), "Content-Type: application/json", "Content-Encoding: gzip"),
        response(b"<html>", "Content-Type: text/html"),
        response(b"\xff{", "Content-Type: application/json"),
        b"nonsense\r\n\r\n",
        b"",
    ],
)
async def test_an_answer_that_is_too_large_or_packed_or_none_ends_in_a_reason(tmp_path: Path, answer: bytes) -> None:
    async with answering(lambda path: answer) as (port, _):
        said = await reason(tmp_path, f"http://127.0.0.1:{port}/mcp")
    assert said.startswith("The MCP server remote cannot be used: ")
    assert "\n" not in said


async def test_offline_a_server_elsewhere_is_not_reached(tmp_path: Path) -> None:
    spec = ServerSpec("remote", "http", url="http://192.0.2.1:9/mcp")
    async with connected(tmp_path, [spec], reach=NetworkAccess(offline=True)) as there:
        why = "192.0.2.1 is not on this machine, and Magpie is offline"
        assert there.told == [f"The MCP server remote cannot be used: {why}."]


async def test_a_private_server_is_open_to_its_own_connection_alone(tmp_path: Path) -> None:
    port = free_port()
    reach = NetworkAccess()
    spec = ServerSpec("new", "http", url=f"http://127.0.0.1:{port}/mcp")
    async with serving("streamable-http", port), connected(tmp_path, [spec], reach=reach) as there:
        assert there.servers.all["new"].state == "ready"
        with pytest.raises(AddressRefused):
            await Client(public_web(), reach=reach).get(parse_url(spec.url).url)
