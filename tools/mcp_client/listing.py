"""The tools that a server lists, read to their end or to ours."""

import json
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import Client

from tools.mcp_client.trust import Described
from utils.errors import MagpieError

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
    cursor: str | None = None
    seen: set[str] = set()
    for _ in range(_PAGES):
        page = await client.session.list_tools(params=types.PaginatedRequestParams(cursor=cursor))
        for tool in page.tools[: MOST - len(found)]:
            found.setdefault(tool.name, _listed(tool))
        cursor = page.next_cursor
        if not cursor or len(found) >= MOST:
            return list(found.values())
        if cursor in seen:
            break
        seen.add(cursor)
    raise MagpieError("its list of tools has no end")


def _listed(tool: types.Tool) -> Listed:
    schemas = json.dumps([tool.input_schema, tool.output_schema], sort_keys=True)
    description = tool.description or ""
    return Listed(tool.name, description, tool.input_schema, Described(tool.name, description, schemas))
