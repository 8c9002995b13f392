"""All MCP servers of a process."""

import asyncio
from collections.abc import Sequence

from tools.mcp_client.config import ServerSpec
from tools.mcp_client.context import ServerContext
from tools.mcp_client.server import RemoteServer
from tools.mcp_client.tool_selection import ToolSelection


class Servers:
    """The servers of a process, and the chats' selections of their tools."""

    def __init__(self, specs: Sequence[ServerSpec], context: ServerContext) -> None:
        self.all = {spec.name: RemoteServer(spec, context, self._offer) for spec in specs}
        self._selections: list[ToolSelection] = []
        self._awaited = {spec.name for spec in specs if spec.enabled}
        """Those of which it is not known yet whether they can be used."""

    def start(self) -> None:
        """Connect to all at once, in the background."""
        for server in self.all.values():
            if server.spec.enabled:
                server.start()

    def join(self, selection: ToolSelection) -> None:
        """Offer a chat's selection the tools as they are now, and as they become."""
        selection.expect_servers(list(self.all))
        self._selections.append(selection)
        for server in self.all.values():
            if server.spec.name not in self._awaited:
                selection.take_server(server, not self._awaited)

    async def leave(self, selection: ToolSelection) -> None:
        """Offer a chat's selection nothing any more."""
        self._selections.remove(selection)
        await selection.close()

    async def settled(self) -> None:
        """Wait until each is ready, or known not to be."""
        await asyncio.gather(*(server.settled() for server in self.all.values() if server.spec.enabled))

    async def close(self) -> None:
        """End all that was started."""
        await asyncio.gather(*(server.stop() for server in self.all.values()))

    def _offer(self, server: RemoteServer) -> None:
        self._awaited.discard(server.spec.name)
        for selection in self._selections:
            selection.take_server(server, not self._awaited)
