"""What several MCP servers are asked at once: their answers, and a sentence on each that gave none."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from chatbot.mcp.tools import RemoteTools
from utils.errors import MagpieError

if TYPE_CHECKING:
    from tools.mcp_client.server import RemoteServer

Item = TypeVar("Item")


@dataclass(frozen=True)
class Gathered(Generic[Item]):
    """Pairs of a server's name and an item, in the order of the file; and what is missing, a sentence each."""

    items: list[tuple[str, Item]]
    problems: list[str]


async def ask_servers(
    remote: RemoteTools, what: str, ask: Callable[["RemoteServer"], Awaitable[list[Item]]], name: str = ""
) -> Gathered[Item]:
    """The items of all servers that run, or of the one that is named; raises `MagpieError` where there is none such."""
    servers = await remote.begun_servers()
    if name:
        asked = [remote.shared.find(name)]
    else:
        asked = [one for one in servers.all.values() if one.state in ("starting", "ready")] if servers else []
    answers = await asyncio.gather(*(_ask_server(server, what, ask) for server in asked))
    items = [(server.spec.name, item) for server, (found, _) in zip(asked, answers, strict=True) for item in found]
    return Gathered(items, [problem for _, problem in answers if problem])


async def _ask_server(
    server: "RemoteServer", what: str, ask: Callable[["RemoteServer"], Awaitable[list[Item]]]
) -> tuple[list[Item], str]:
    # The SDK, which whoever has a server has loaded.
    from tools.mcp_client.listing import MAX_LISTED

    try:
        found = await ask(server)
        return found, f"Of the {what} of {server.spec.name} the first {MAX_LISTED} are listed." if len(
            found
        ) >= MAX_LISTED else ""
    except MagpieError as error:
        return [], f"The MCP server {server.spec.name} does not tell its {what}: {error.problem}."
