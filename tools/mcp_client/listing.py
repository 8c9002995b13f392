"""What a server lists, its tools before all, read to the end or to ours."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import mcp_types as types
from mcp import Client

from tools.mcp_client.trust import Described
from utils.errors import MagpieError

Page = TypeVar("Page", bound=types.PaginatedResult)
Item = TypeVar("Item")

MAX_LISTED = 200
"""Of one server, what is looked at of a kind: tools, resources, prompts."""
_PAGES = 50
LISTING_SECONDS = 10.0
"""For a list that the user asked for."""


@dataclass(frozen=True)
class Listed:
    """A tool as its server describes it."""

    name: str
    description: str
    arguments: dict[str, Any]
    """The JSON schema of its arguments."""
    described: Described
    """All of it of which nothing may change unnoticed."""


async def list_tools(client: Client) -> list[Listed]:
    """A server's tools in its order, the first of each name; raises `MagpieError`, and what the SDK raises."""
    tools = await read_list(lambda params: client.session.list_tools(params=params), lambda page: page.tools, "tools")
    found: dict[str, Listed] = {}
    for tool in tools:
        found.setdefault(tool.name, _describe_tool(tool))
    return list(found.values())


async def read_list(
    ask: Callable[[types.PaginatedRequestParams], Awaitable[Page]], items: Callable[[Page], list[Item]], what: str
) -> list[Item]:
    """The items on all pages of a list of `what`, 200 at most; raises `MagpieError` where it has no end."""
    found: list[Item] = []
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(_PAGES):
        page = await ask(types.PaginatedRequestParams(cursor=cursor))
        found += items(page)[: MAX_LISTED - len(found)]
        cursor = page.next_cursor
        if not cursor or len(found) >= MAX_LISTED:
            return found
        if cursor in seen:
            break
        seen.add(cursor)
    raise MagpieError(f"its list of {what} has no end")


def _describe_tool(tool: types.Tool) -> Listed:
    schemas = json.dumps([tool.input_schema, tool.output_schema], sort_keys=True)
    description = tool.description or ""
    return Listed(tool.name, description, tool.input_schema, Described(tool.name, description, schemas))
