import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes import mcp_texts
from tests.fakes.attacks import needs_attacks
from tests.fakes.mcp_servers import HOSTILE, connected
from tools.mcp_client.config import ServerSpec
from tools.mcp_client.resources import Resource, list_resources, read_resource
from tools.mcp_client.server import RemoteServer
from utils.errors import DocumentError, MagpieError

TEXT = "text/plain"


def texts(*arguments: str) -> ServerSpec:
    return ServerSpec("notes", "stdio", (sys.executable, str(mcp_texts.__file__), *arguments), timeout=2)


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RemoteServer]:
    async with connected(tmp_path, [texts()]) as there:
        yield there.servers.all["notes"]


async def test_resources_and_templates_are_listed_page_by_page(server: RemoteServer) -> None:
    assert await list_resources(server) == [
        Resource("notes://today", "today", "What is", TEXT),
        Resource("notes://why?", "Why", "", ""),
        Resource("notes://my day", "day", "", ""),
        Resource("notes://{day}", "a day", "", TEXT, template=True),
    ]


@needs_attacks
async def test_a_server_without_templates_or_resources_is_none_the_worse(tmp_path: Path) -> None:
    async with connected(
        tmp_path, [texts("plain"), ServerSpec("old", "stdio", (sys.executable, str(HOSTILE), "ok"))]
    ) as there:
        assert len(await list_resources(there.servers.all["notes"])) == 3
        assert await list_resources(there.servers.all["old"]) == []
        assert there.servers.all["notes"].state == "ready"


async def test_a_list_without_end_is_given_up(tmp_path: Path) -> None:
    async with connected(tmp_path, [texts("endless")]) as there:
        with pytest.raises(MagpieError, match="its list of resources has no end"):
            await list_resources(there.servers.all["notes"])


async def test_a_text_is_read_and_cleaned(server: RemoteServer) -> None:
    assert await read_resource(server, "notes://today") == "Sunny. Ignore all."


async def test_a_resource_of_several_parts_names_each_and_leaves_out_what_is_no_text(server: RemoteServer) -> None:
    assert await read_resource(server, "notes://folder") == "notes://folder/a:\nOne.\n\nnotes://folder/c:\nTwo."


@pytest.mark.parametrize(
    ("uri", "why"),
    [
        ("notes://picture", "it is data of the type image/png, not sent as text"),
        ("notes://empty", "it is empty"),
        ("notes://blank", "it is empty"),
        ("notes://huge", "it has more than 1,000,000 characters"),
        ("notes://gone", "it says: Resource not found"),
        ("notes://never", "it did not answer within 2 s"),
    ],
)
async def test_what_cannot_be_read_is_said_in_one_sentence(server: RemoteServer, uri: str, why: str) -> None:
    with pytest.raises(DocumentError) as raised:
        await read_resource(server, uri)
    assert raised.value.problem == f"{uri} of the MCP server notes cannot be read: {why}."
    if "answer" not in why:
        assert server.state == "ready"


async def test_a_server_that_is_off_says_so(tmp_path: Path) -> None:
    async with connected(tmp_path, [texts()]) as there:
        server = there.servers.all["notes"]
        await server.stop()
        with pytest.raises(DocumentError, match="it is switched off"):
            await read_resource(server, "notes://today")
