"""The reference servers of the protocol, over every transport that they offer, used as a chat uses them."""

import asyncio
import os
import re
import socket
from asyncio.subprocess import DEVNULL, create_subprocess_exec
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.fakes.mcp_servers import Connected, connected
from tests.fakes.node import EVERYTHING, FILESYSTEM, NODE, needs
from tools.mcp_client.config import Kind, ServerSpec
from tools.mcp_client.prompts import Filled, ServerPrompt, fill_prompt, list_prompts
from tools.mcp_client.resources import Resource, list_resources, read_resource
from utils.errors import DocumentError, MagpieError

DOCUMENT = "demo://resource/static/document/features.md"
TEMPLATE = Resource(
    "demo://resource/dynamic/text/{resourceId}",
    "Dynamic Text Resource",
    "Plaintext dynamic resource fabricated from the {resourceId} variable, which must be an integer.",
    "text/plain",
    template=True,
)
ARGUMENTS = ServerPrompt(
    "args-prompt", "A prompt with two arguments, one required and one optional", ("city",), ("state",)
)


@asynccontextmanager
async def everything(kind: Kind) -> AsyncIterator[ServerSpec]:
    """The server that offers one of everything, over a transport."""
    if kind == "stdio":
        yield ServerSpec("every", "stdio", (str(NODE), str(EVERYTHING), "stdio"))
        return
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = int(one.getsockname()[1])
    mode, path = ("sse", "sse") if kind == "sse" else ("streamableHttp", "mcp")
    process = await create_subprocess_exec(
        *(NODE, EVERYTHING, mode), env={**os.environ, "PORT": str(port)}, stdout=DEVNULL, stderr=DEVNULL
    )
    try:
        while True:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    break
            await asyncio.sleep(0.05)
        yield ServerSpec("every", kind, url=f"http://127.0.0.1:{port}/{path}")
    finally:
        process.kill()
        await process.wait()


@needs(EVERYTHING)
@pytest.mark.parametrize("kind", ["stdio", "sse", "http"])
async def test_everything_is_used_over_every_transport(tmp_path: Path, kind: Kind) -> None:
    async with everything(kind) as spec, connected(tmp_path, [spec]) as there:
        await check_tools(there)
        await check_resources(there)
        await check_prompts(there)
        assert (there.told, there.servers.all["every"].state) == ([], "ready")


async def check_tools(there: Connected) -> None:
    """Results of every kind: words, numbers, structured ones, links, pictures, errors."""
    assert await there.call("every_echo", message="hi") == (True, "Echo: hi")
    assert await there.call("every_get_sum", a=19, b=23) == (True, "The sum of 19 and 23 is 42.")
    ok, told = await there.call("every_get_structured_content", location="Chicago")
    assert ok and told == '{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}'
    ok, told = await there.call("every_get_resource_links", count=1)
    assert ok and "(a link to demo://resource/dynamic/" in told
    ok, told = await there.call("every_get_tiny_image")
    assert ok and "(image of the type image/png, not shown)" in told
    ok, told = await there.call("every_get_sum", a="much")
    assert not ok and "Invalid arguments" in told


async def check_resources(there: Connected) -> None:
    server = there.servers.all["every"]
    listed = await list_resources(server)
    assert DOCUMENT in [one.uri for one in listed]
    assert TEMPLATE in listed
    assert (await read_resource(server, DOCUMENT)).startswith("# Everything Server - Features")
    made = await read_resource(server, "demo://resource/dynamic/text/3")
    assert made.startswith("Resource 3: This is a plaintext resource")
    with pytest.raises(DocumentError, match=r"cannot be read: it is data of the type .*, not sent as text"):
        await read_resource(server, "demo://resource/dynamic/blob/3")
    with pytest.raises(DocumentError, match="Resource demo://gone not found"):
        await read_resource(server, "demo://gone")


async def check_prompts(there: Connected) -> None:
    server = there.servers.all["every"]
    assert ARGUMENTS in await list_prompts(server)
    assert await fill_prompt(server, "simple-prompt", {}) == Filled("This is a simple prompt without arguments.")
    filled = await fill_prompt(server, "args-prompt", {"city": "Bonn", "state": "NRW"})
    assert filled == Filled("What's weather in Bonn, NRW?")
    filled = await fill_prompt(server, "resource-prompt", {"resourceType": "Text", "resourceId": "2"})
    [(uri, text)] = filled.enclosed
    assert filled.text.endswith("Please analyze the following resource:")
    assert uri == "demo://resource/dynamic/text/2"
    assert re.match("Resource 2: This is a plaintext resource", text)
    with pytest.raises(MagpieError, match="Invalid arguments for prompt args-prompt"):
        await fill_prompt(server, "args-prompt", {})


@needs(FILESYSTEM)
async def test_files_are_listed_read_and_kept_to_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "ferry.txt").write_text("The ferry leaves at nine.")
    spec = ServerSpec("files", "stdio", (str(NODE), str(FILESYSTEM), str(folder)))
    async with connected(tmp_path, [spec]) as there:
        server = there.servers.all["files"]
        assert (server.state, len(server.tools)) == ("ready", 14)
        assert await there.call("files_list_directory", path=str(folder)) == (True, "[FILE] ferry.txt")
        read = await there.call("files_read_text_file", path=str(folder / "ferry.txt"))
        assert read == (True, "The ferry leaves at nine.")
        ok, told = await there.call("files_read_text_file", path="/etc/passwd")
        assert not ok and "Access denied" in told
        assert (await list_resources(server), await list_prompts(server)) == ([], [])
