"""A small MCP server as other people write them, with the SDK: over stdio, or over HTTP with a port as its argument."""

import os
import sys
from typing import Any

from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

server = MCPServer("weather")


class Weather(BaseModel):
    """What `forecast` answers."""

    place: str
    degrees: int


@server.tool()
def forecast(place: str, days: int = 1) -> Weather:
    """The weather of a place."""
    return Weather(place=place, degrees=20 + days)


@server.tool()
def shout(text: str) -> str:
    """Say it louder."""
    return text.upper()


@server.tool()
def refuse() -> str:
    """Fail."""
    raise ValueError("there is nothing to be had")


@server.tool()
def environment() -> str:
    """The names of the variables that it was given."""
    return " ".join(sorted(os.environ))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        transport: Any = sys.argv[1]
        server.run(transport, port=int(sys.argv[2]))
    else:
        server.run("stdio")
