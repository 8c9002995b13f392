"""The tools that a server lists, read to their end or to ours."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, TypeVar

import mcp_types as types
from mcp import Client

from tools.mcp_client.trust import Described
from utils.errors import MagpieError

Page = TypeVar("Page", bound=types.PaginatedResult)

MOST = 200
"""Tools of one server that are looked at."""
_PAGES = 50


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
    found: dict[str, Listed] = {}
    async with aclosing(read_pages(lambda params: client.session.list_tools(params=params), "tools")) as pages:
        async for page in pages:
            for tool in page.tools[: MOST - len(found)]:
                found.setdefault(tool.name, _listed(tool))
            if len(found) >= MOST:
                break
    return list(found.values())


async def read_pages(
    ask: Callable[[types.PaginatedRequestParams], Awaitable[Page]], what: str
) -> AsyncGenerator[Page, None]:
    """The pages of a list of `what`; raises `MagpieError` where it has no end."""
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(_PAGES):
        page = await ask(types.PaginatedRequestParams(cursor=cursor))
        yield page
        cursor = page.next_cursor
        if not cursor:
            return
        if cursor in seen:
            break
        seen.add(cursor)
    raise MagpieError(f"its list of {what} has no end")


def _listed(tool: types.Tool) -> Listed:
    schemas = json.dumps([tool.input_schema, tool.output_schema], sort_keys=True)
    description = tool.description or ""
    return Listed(tool.name, description, tool.input_schema, Described(tool.name, description, schemas))
