"""Servers whose tools and states a test sets by hand: what is offered of them is real."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from tools.base import Toolbox
from tools.mcp_client.config import Kind, ServerSpec
from tools.mcp_client.listing import Listed
from tools.mcp_client.server import State
from tools.mcp_client.tool_selection import ToolLimits, ToolSelection
from tools.mcp_client.trust import Described
from utils.errors import ToolError, Unsent


def listed(name: str, description: str = "", **arguments: Any) -> Listed:
    """A tool as a server describes it."""
    schema = {"type": "object", "properties": arguments}
    return Listed(name, description, schema, Described(name, description, json.dumps([schema, None])))


class StandIn:
    """What is used of a server: it answers with its name and what it was called with, or hears nothing."""

    def __init__(self, name: str, *tools: Listed, kind: Kind = "stdio", **settings: Any) -> None:
        self.spec = ServerSpec(name, kind, ("program",), **settings)
        self.tools = tools
        self.state: State = "ready"
        self.heard: list[str] = []
        self.deaf = ""
        """Why it cannot be reached, though that was not known before the call."""
        self.broken = ""
        """Why it fails after it was called."""
        self.on_failure: Callable[[], None] = lambda: None

    async def call_tool(self, tool: str, arguments: dict[str, Any], ask: object = None) -> str:
        if self.deaf or self.state != "ready":
            self.state = "failed"
            raise Unsent(f"{self.spec.name}: {self.deaf or self.state}")
        self.heard.append(tool)
        if self.broken:
            self.state = "failed"
            raise ToolError(f"{self.spec.name}: {self.broken}")
        return f"{self.spec.name} did {tool}"


class Offered:
    """Offers of such servers, in the order of the file."""

    def __init__(self, servers: Sequence[StandIn], tools: int = 40, characters: int = 100_000, **choosing: Any) -> None:
        self.servers = {server.spec.name: server for server in servers}
        self.toolbox = Toolbox([])
        self.told: list[str] = []
        limits = ToolLimits(tools, characters)
        self.offers = ToolSelection(self.toolbox, limits, lambda said, warning: self.told.append(said), **choosing)
        self.toolbox.chooser = self.offers.choose_for
        self.offers.expect_servers(list(self.servers))

    def ready(self, *names: str, settled: bool = True) -> list[str]:
        """Some get ready, in that order; what is offered then. `settled`: no more are to come."""
        for name in names:
            self.offers.take_server(self.servers[name], settled and name == names[-1])  # type: ignore[arg-type]
        return self.names

    async def asked(self, question: str, *called: str) -> list[str]:
        """What is offered once a conversation with that first question asks something."""
        await self.toolbox.choose_tools(question, called)
        return self.names

    @property
    def names(self) -> list[str]:
        return [schema.name for schema in self.toolbox.schemas]
