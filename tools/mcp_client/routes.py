"""A tool of other programs, and the servers over which it can be called."""

import json
import math
from dataclasses import dataclass, replace
from functools import cached_property

from tools.base import Tool, ToolSchema
from tools.mcp_client.elicitation.forms import Ask
from tools.mcp_client.listing import Listed
from tools.mcp_client.server import RemoteServer
from utils.errors import ToolError, Unsent
from utils.text import one_line

_LIKENED = 300
"""Characters of a description that is compared with a question: its first sentences say what the tool is for."""


@dataclass(frozen=True)
class Route:
    """A tool of one server."""

    server: RemoteServer
    listed: Listed
    name: str
    """By which a model may know it."""
    place: int
    """Of the server in the file."""

    @property
    def shown_name(self) -> str:
        """`server.tool`, as the user knows it."""
        return f"{self.server.spec.name}.{one_line(self.listed.name, 100)}"


class RemoteTool:
    """One tool; it has several ways where several servers describe it in the very same words."""

    def __init__(self, way: Route, schema: ToolSchema | None, unfit: str = "", ask: Ask | None = None) -> None:
        """`unfit` is why no model can be given it, as a clause: it has no schema. `ask` puts a server's questions."""
        self.ways = [way]
        self.schema = schema
        self.unfit = unfit
        self._ask = ask
        self.names: list[str] = []
        """Under which the model is offered it."""

    @property
    def best_route(self) -> Route:
        """The one that a call would go now: the first in the file that is ready, else that is starting, else the first.

        Nothing waits between this and the call: who asks for consent asks about the server that is called.
        """
        for state in ("ready", "starting"):
            if found := next((way for way in self.ways if way.server.state == state), None):
                return found
        return self.ways[0]

    @property
    def is_usable(self) -> bool:
        """Whether a model can be given it, and a server that is not switched off has it."""
        return not self.unfit and any(way.server.state in ("ready", "starting") for way in self.ways)

    @cached_property
    def prompt_size(self) -> int:
        """Characters that it takes of a prompt."""
        schema = self.schema
        return len(json.dumps([self.ways[0].name, schema.description, schema.parameters])) if schema else 0

    @property
    def compared_words(self) -> str:
        """What a question is compared with: the names of server and tool in words, and the description."""
        about = self.schema.description if self.schema else ""
        return f"{self.ways[0].name.replace('_', ' ')}: {about[:_LIKENED]}"

    def add_route(self, way: Route) -> None:
        """One more way, in the order of the file."""
        self.ways = sorted([*self.ways, way], key=lambda one: one.place)

    def offered_as(self, name: str) -> Tool:
        """What the toolbox is given."""
        assert self.schema is not None
        # What the arguments must be is the server's to say; it tells the model when they are wrong. The time is kept by
        # the server as well, for it stands still while a person is asked.
        schema = replace(self.schema, name=name)
        return Tool(schema, self._call_tool, dict, seconds=math.inf, shown=lambda: self.best_route.shown_name)

    async def _call_tool(self, **arguments: object) -> str:
        way = self.best_route
        try:
            return await way.server.call_tool(way.listed.name, arguments, self._ask)
        except Unsent as error:
            if self.best_route is way:
                raise ToolError(str(error)) from error
            raise
