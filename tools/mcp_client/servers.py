"""All MCP servers of a run."""

import asyncio
from collections.abc import Callable, Sequence

from tools.mcp_client.config import ServerSpec
from tools.mcp_client.context import ServerContext
from tools.mcp_client.server import RemoteServer
from tools.mcp_client.tool_selection import ToolSelection


class Servers:
    """The servers of a run, and what of their tools the model is offered."""

    def __init__(
        self,
        specs: Sequence[ServerSpec],
        around: Callable[[Callable[[RemoteServer], None]], ServerContext],
        offers: ToolSelection,
    ) -> None:
        """`around` makes what all share."""
        surroundings = around(self._take)
        self.offers = offers
        offers.expect([spec.name for spec in specs])
        self.all = {spec.name: RemoteServer(spec, surroundings) for spec in specs}
        self._awaited = {spec.name for spec in specs if spec.enabled}
        """Those of which it is not known yet whether they can be used."""

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
        await asyncio.gather(*(server.stop() for server in self.all.values()), self.offers.close())

    def shown_name(self, name: str) -> str:
        """The name by which the user knows a tool that the model calls, `server.tool` of the server that a call would
        go to now; empty where it is none of these.
        """
        tool = self.offers.find(name)
        return tool.way.shown if tool else ""

    def allowed(self, name: str) -> bool:
        """Whether the file has a tool called without asking, on the server that a call would go to now."""
        tool = self.offers.find(name)
        return tool is not None and tool.way.listed.name in tool.way.server.spec.allowed

    def _take(self, server: RemoteServer) -> None:
        self._awaited.discard(server.spec.name)
        self.offers.take(server, not self._awaited)
