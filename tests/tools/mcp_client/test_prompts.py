import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fakes import mcp_texts
from tests.fakes.mcp_servers import connected
from tools.mcp_client.config import ServerSpec
from tools.mcp_client.prompts import Filled, ServerPrompt, fill_prompt, list_prompts
from tools.mcp_client.server import RemoteServer
from utils.errors import MagpieError


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RemoteServer]:
    spec = ServerSpec("notes", "stdio", (sys.executable, str(mcp_texts.__file__)), timeout=5)
    async with connected(tmp_path, [spec]) as there:
        yield there.servers.all["notes"]


async def test_prompts_are_listed_with_their_arguments(server: RemoteServer) -> None:
    assert (await list_prompts(server))[:2] == [
        ServerPrompt("weather", "Asks for it", ("place",), ("days",)),
        ServerPrompt("talk", ""),
    ]


@pytest.mark.parametrize(
    ("name", "filled"),
    [
        ("weather", Filled("How is the weather in Bonn in no days?")),
        (
            "talk",
            Filled("User: Knock, knock.\n\nAssistant: Who is there?\n\nUser: (image of the type image/png, not shown)"),
        ),
        ("with file", Filled("What follows from this?", (("notes://today", "It rains."),))),
        ("file", Filled("What follows from rain?")),
    ],
)
async def test_a_prompt_is_filled_in_and_cleaned(server: RemoteServer, name: str, filled: Filled) -> None:
    assert await fill_prompt(server, name, {"place": "Bonn"}) == filled


@pytest.mark.parametrize(
    ("name", "why"),
    [("nothing", "it is empty"), ("huge", "it has more than 20,000 characters, or encloses more than 1,000,000")],
)
async def test_a_prompt_that_is_none_is_said_in_one_sentence(server: RemoteServer, name: str, why: str) -> None:
    with pytest.raises(MagpieError) as raised:
        await fill_prompt(server, name, {})
    assert str(raised.value) == f"The prompt {name} of the MCP server notes cannot be had: {why}."
