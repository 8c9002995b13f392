"""All MCP servers of a run, and their tools in the form in which a model can call them."""

import asyncio
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from tools.base import Tool
from tools.mcp_client.config import ServerSpec
from tools.mcp_client.listing import Listed
from tools.mcp_client.schemas import UnfitSchema, model_name, tool_schema
from tools.mcp_client.server import ENDING, RemoteServer, Surroundings
from utils.text import one_line

_SHARE = 0.3
"""Of the window, for the tools of all servers: conversation and evidence need the rest."""
_MARGIN = ENDING + 1
"""Seconds past a server's own time after which a call is cut off in any case."""


@dataclass(frozen=True)
class RemoteTool:
    """A tool of a server as the user and the model know it."""

    server: str
    shown: str
    """`server.tool`."""
    name: str = ""
    """As the model calls it; empty where it is not offered."""
    description: str = ""
    left_out: str = ""
    """Why it is not offered, as a clause."""


@dataclass(frozen=True)
class Limits:
    """What of a prompt the tools of all servers may take."""

    tools: int
    window: int
    """Tokens of the whole prompt."""

    @property
    def characters(self) -> int:
        """Characters of all schemas together, at four to a token."""
        return int(_SHARE * 4 * self.window)


class Servers:
    """The servers and what they offer; the set of tools only grows while Magpie runs."""

    def __init__(
        self,
        specs: Sequence[ServerSpec],
        around: Callable[[Callable[[RemoteServer], None]], Surroundings],
        add: Callable[[Sequence[Tool]], None],
        taken: Collection[str],
        limits: Limits,
    ) -> None:
        """`around` makes what all share, `add` takes tools, `taken` are names that no tool may have."""
        surroundings = around(self._offer)
        self.all = {spec.name: RemoteServer(spec, surroundings) for spec in specs}
        self.tools: dict[tuple[str, str], RemoteTool] = {}
        """By the names of the server and of the tool."""
        self._add = add
        self._taken = set(taken)
        self._limits = limits
        self._used = 0

    def start(self) -> None:
        """Connect to all at once, in the background."""
        for server in self.all.values():
            if server.spec.enabled:
                server.start()

    async def settled(self) -> None:
        """Wait until each is ready, or known not to be."""
        await asyncio.gather(*(server.settled() for server in self.all.values() if server.spec.enabled))

    async def close(self) -> None:
        """End all that was started."""
        await asyncio.gather(*(server.stop() for server in self.all.values()))

    def shown_name(self, name: str) -> str:
        """The name by which the user knows a tool that the model calls; empty where it is none of these."""
        return next((tool.shown for tool in self.tools.values() if tool.name and tool.name == name), "")

    def _offer(self, server: RemoteServer) -> None:
        for listed in server.tools:
            key = (server.spec.name, listed.name)
            if key not in self.tools:
                self.tools[key] = self._taken_in(server, listed)

    def _taken_in(self, server: RemoteServer, listed: Listed) -> RemoteTool:
        shown = f"{server.spec.name}.{one_line(listed.name, 100)}"
        if sum(1 for tool in self.tools.values() if tool.name) >= self._limits.tools:
            return RemoteTool(server.spec.name, shown, left_out=f"more than {self._limits.tools} tools (mcp.max_tools)")
        name = model_name(server.spec.name, listed.name, self._taken)
        try:
            schema = tool_schema(name, listed.description, listed.arguments)
        except UnfitSchema as error:
            return RemoteTool(server.spec.name, shown, left_out=str(error))
        size = len(json.dumps([schema.name, schema.description, schema.parameters]))
        if self._used + size > self._limits.characters:
            return RemoteTool(server.spec.name, shown, left_out="the window is too small for more (context_window)")
        self._used += size
        self._taken.add(name)

        async def call(**arguments: object) -> str:
            return await server.call(listed.name, arguments)

        # What the arguments must be is the server's to say; it tells the model when they are wrong.
        self._add([Tool(schema, call, dict, seconds=server.spec.timeout + _MARGIN)])
        return RemoteTool(server.spec.name, shown, name, schema.description)
