"""Which tools of all servers the model is offered: those likest to the first question; the others it can find."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass

from rag.embedding.base import Embedder, cosine_similarities
from tools.base import Toolbox, tool
from tools.mcp_client.elicitation.forms import Ask
from tools.mcp_client.listing import Listed
from tools.mcp_client.routes import RemoteTool, Route
from tools.mcp_client.schemas import UnfitSchema, model_name, tool_schema
from tools.mcp_client.server import RemoteServer
from tools.web.ranking import nearest_by_words
from utils.errors import EmbedderUnavailable
from utils.faults import in_background

FIND = "find_tools"
_WINDOW_SHARE = 0.3
"""Of the window, for the tools of all servers: conversation and evidence need the rest."""
_AT_FIRST = 0.75
"""Of the places, where not all tools have one: the rest is for those that are found later."""
_FOUND = 5
"""Tools that one search brings in at most."""
_IN_STEPS = 200
"""Tools that a model served in steps chooses from: its prompt holds none of them."""


@dataclass(frozen=True)
class ToolLimits:
    """What of a prompt the tools of all servers may take."""

    tools: int
    characters: int
    """Of all schemas together."""

    @classmethod
    def of_window(cls, tools: int, tokens: int) -> "ToolLimits":
        """So many tools, and a share of a window, at four characters to a token."""
        return cls(tools, int(_WINDOW_SHARE * 4 * tokens))

    @property
    def at_first(self) -> "ToolLimits":
        """What of it is filled before the model looks for more."""
        return ToolLimits(
            self.tools - max(self.tools // 4, min(1, self.tools - 1), 0), int(_AT_FIRST * self.characters)
        )


async def _calls_natively() -> bool:
    return False


class ToolSelection:
    """The tools of all servers, of which the toolbox is given what there is room for.

    What it was given in a conversation stays there, and the same first question makes the same choice again.
    """

    def __init__(
        self,
        toolbox: Toolbox,
        limits: ToolLimits,
        tell: Callable[[str, bool], None],
        embedder: Embedder | None = None,
        in_steps: Callable[[], Awaitable[bool]] = _calls_natively,
        ask: Ask | None = None,
    ) -> None:
        """`tell` shows the user a sentence, `ask` puts a server's questions to them while one of its tools is called.

        `in_steps` is whether the prompt is spared the tools.
        """
        self._toolbox = toolbox
        self._limits = self._room = limits
        self._tell = tell
        self._embedder = embedder
        self._in_steps = in_steps
        self._ask = ask
        self._taken = {*toolbox.taken_names, FIND}
        self._prefixes: dict[str, str] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._known: dict[object, RemoteTool] = {}
        self._begun: str | None = None
        """The first question of the conversation; None before any."""
        self._called: set[str] = set()
        """Names that the conversation knows tools by."""
        self._told: set[tuple[str, str]] = set()
        self._preparing: asyncio.Task[None] | None = None

    def expect_servers(self, servers: Sequence[str]) -> None:
        """Learn the names of all servers in the file's order, by which those of their tools are made."""
        for server in servers:
            self._prefixes[server] = model_name(server, "", self._prefixes.values())

    @property
    def known_tools(self) -> list[RemoteTool]:
        """All that are known, in the order of the file."""
        return sorted(self._known.values(), key=lambda one: one.ways[0].place)

    def find_tool(self, name: str) -> RemoteTool | None:
        """The tool that the model calls by a name; None where it is not one of these."""
        return next((one for one in self._known.values() if name in one.names), None)

    def shown_name(self, name: str) -> str:
        """The name by which the user knows a tool that the model calls, `server.tool` of the server that a call would
        go to now; empty where it is none of these.
        """
        tool = self.find_tool(name)
        return tool.best_route.shown_name if tool else ""

    def allowed(self, name: str) -> bool:
        """Whether the file has a tool called without asking, on the server that a call would go to now."""
        tool = self.find_tool(name)
        return tool is not None and tool.best_route.listed.name in tool.best_route.server.spec.allowed

    def left_out(self, one: RemoteTool) -> str:
        """Why a tool is not offered, as a clause; empty where it is, or nothing was asked yet."""
        if one.unfit or one.names or self._begun is None:
            return one.unfit
        if not one.is_usable:
            return "its server is not ready"
        if len(self._offered_names()) + len(self._tools_left()) > self._room.tools:
            return f"more than {self._room.tools} tools (mcp.max_tools)"
        return "the window is too small for more (context_window)"

    def take_server(self, server: RemoteServer, settled: bool) -> None:
        """Learn the tools of a server as they are now; `settled`: no other one is still starting.

        What all has room is offered at once, but before the first question only when no more is to come.
        """
        if server.state == "ready":
            self._forget_changed(server)
            for listed in server.tools:
                self._learn_tool(server, listed)
        if self._begun is not None or settled:
            self._offer_called()
            if self._fits_limits(left := self._tools_left()):
                self._offer_tools(left, self._room)
            elif self._embedder and self._preparing is None:
                # The embedder remembers them: the first question is not kept waiting.
                self._preparing = in_background(self._rank_tools("", left), "Choosing among the tools of MCP servers")

    async def close(self) -> None:
        """Prepare no choice any more."""
        self._embedder = None
        if self._preparing:
            self._preparing.cancel()
            await asyncio.wait([self._preparing])

    async def choose_for(self, question: str, called: Collection[str]) -> None:
        """Offer what is best for the first question of a conversation, and the tools that were called in it.

        Is asked again with each question: what came up since then joins where there is room.
        """
        steps = bool(self._known and self._limits.tools) and await self._in_steps()
        room = ToolLimits(max(_IN_STEPS, self._limits.tools), 10**9) if steps else self._limits
        first = room if steps else room.at_first
        self._called = set(called)
        if (question, room) != (self._begun, self._room) and (self._begun is not None or not self._all_offered()):
            for one in self._known.values():
                one.names.clear()
            self._toolbox.drop_tools(set(self._names.values()) | {FIND})
        self._begun, self._room = question, room
        self._offer_called()
        if self._fits_limits(left := self._tools_left()):
            self._offer_tools(left, room)
            return
        self._offer_tools(await self._rank_tools(question, left), first)
        if first.tools < room.tools:
            self._toolbox.add_tools([tool(self.find_tools)])

    async def find_tools(self, query: str) -> str:
        """Find tools beside those that you have: some were left out of the list.

        Args:
            query: What the tool should do, e.g. "create a calendar entry".
        """
        best = (await self._rank_tools(query, self._tools_left()))[:_FOUND]
        self._offer_tools(best, self._room)
        told = [f"- {one.names[0]}: {_describe_tool(one)}" for one in best if one.names]
        full = [f"- {_describe_tool(one)}" for one in best if not one.names]
        parts = ["You can call these from now on:", *told] if told else []
        parts += ["For these there is no room in this conversation:", *full] if full else []
        return "\n".join(parts) or "There are no other tools."

    def _learn_tool(self, server: RemoteServer, listed: Listed) -> None:
        spec = server.spec
        named = (spec.name, listed.name)
        if named not in self._names:
            self._names[named] = model_name(self._prefixes[spec.name], listed.name, self._taken)
            self._taken.add(self._names[named])
        way = Route(server, listed, self._names[named], list(self._prefixes).index(spec.name))
        key = (listed.described, spec.name if spec.separate else "")
        if key not in self._known:
            try:
                schema = tool_schema(way.name, listed.description, listed.arguments)
                self._known[key] = RemoteTool(way, schema, ask=self._ask)
            except UnfitSchema as error:
                self._known[key] = RemoteTool(way, None, str(error))
        elif all(other.server is not server for other in self._known[key].ways):
            self._known[key].add_route(way)
            self._tell_of_merging(self._known[key].ways, way)

    def _tell_of_merging(self, ways: Sequence[Route], new: Route) -> None:
        """Say once that two servers of one kind are taken for one: they may be two after all."""
        for other in ways:
            first, second = sorted((other, new), key=lambda way: way.place)
            names = (first.server.spec.name, second.server.spec.name)
            if other is new or first.server.spec.kind != second.server.spec.kind or names in self._told:
                continue
            self._told.add(names)
            told = f"The MCP servers {names[0]} and {names[1]} describe tools in the very same words. They are taken "
            told += f"for one: {names[0]} is called, and {names[1]} where that cannot be reached. "
            self._tell(f'{told}"separate": true at {names[1]} has both offered.', False)

    def _forget_changed(self, server: RemoteServer) -> None:
        """Let go of what a server describes otherwise now, which was agreed to; the new takes its name."""
        now = {listed.name: listed.described for listed in server.tools}
        for key, one in list(self._known.items()):
            for way in one.ways:
                if way.server is not server or now.get(way.listed.name, way.listed.described) == way.listed.described:
                    continue
                one.ways = [other for other in one.ways if other is not way]
                if one.names:
                    self._toolbox.drop_tools(one.names)
                    self._called.update(one.names, (other.name for other in one.ways))
                    one.names.clear()
            if not one.ways:
                del self._known[key]

    def _all_offered(self) -> bool:
        """Whether all is offered, under the names that the conversation knows."""
        return not self._tools_left() and not self._called & set(self._names.values()) - set(self._offered_names())

    def _offered_names(self) -> list[str]:
        return [name for one in self._known.values() for name in one.names]

    def _tools_left(self) -> list[RemoteTool]:
        return [one for one in self.known_tools if one.is_usable and not one.names]

    def _fits_limits(self, more: Sequence[RemoteTool]) -> bool:
        count = len(self._offered_names()) + len(more)
        return (
            count <= self._room.tools
            and self._used_characters() + sum(one.prompt_size for one in more) <= self._room.characters
        )

    def _used_characters(self) -> int:
        return sum(one.prompt_size * len(one.names) for one in self._known.values())

    def _offer_called(self) -> None:
        """A conversation that is gone on with keeps the names that it knows tools by."""
        for one in self.known_tools:
            if one.schema:
                for name in sorted({way.name for way in one.ways} & self._called - set(one.names)):
                    self._put_in_toolbox(one, name)

    def _offer_tools(self, tools: Sequence[RemoteTool], limits: ToolLimits) -> None:
        for one in tools:
            # Another search may have brought it in meanwhile.
            if (
                not one.names
                and len(self._offered_names()) < limits.tools
                and self._used_characters() + one.prompt_size <= limits.characters
            ):
                self._put_in_toolbox(one, one.ways[0].name)

    def _put_in_toolbox(self, one: RemoteTool, name: str) -> None:
        self._toolbox.add_tools([one.offered_as(name)])
        one.names.append(name)

    async def _rank_tools(self, question: str, tools: Sequence[RemoteTool]) -> list[RemoteTool]:
        """Those first that are likest to a question; without an embedder those with its rarest words."""
        texts = [one.compared_words for one in tools]
        if self._embedder and tools:
            with contextlib.suppress(EmbedderUnavailable):
                vectors = await self._embedder.embed([question, *texts])
                alike = cosine_similarities(vectors[0], vectors[1:])
                return [tools[index] for index in (-alike).argsort(kind="stable")]
        return [tools[index] for index in nearest_by_words(question, texts, len(texts))]


def _describe_tool(one: RemoteTool) -> str:
    return f"({one.best_route.shown_name}) {one.schema.description if one.schema else ''}".rstrip()
