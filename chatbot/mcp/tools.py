"""A chat's side of the MCP servers: the tools of theirs that its model is offered."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chatbot.mcp.servers import RemoteServers
from chatbot.models.base import LanguageModel
from rag.embedding.base import Embedder
from tools.base import Toolbox
from tools.mcp_client.elicitation.forms import Ask
from utils.errors import ModelError
from utils.faults import in_background

if TYPE_CHECKING:
    from tools.mcp_client.servers import Servers
    from tools.mcp_client.tool_selection import ToolSelection


@dataclass(frozen=True)
class Choosing:
    """By what tools are chosen where there are more than the prompt has room for."""

    embedder: Embedder | None = None
    """Compares them with a question; None: by their words."""
    model: Callable[[], LanguageModel] | None = None

    async def in_steps(self) -> bool:
        """Whether the model is served in steps, and its prompt is spared the tools."""
        try:
            return self.model is not None and (await self.model().describe()).in_steps
        except ModelError:
            # It is told when the model is to answer.
            return False


class RemoteTools:
    """The tools of MCP servers in one chat; they come in the background, and nothing waits for them."""

    def __init__(
        self,
        shared: RemoteServers,
        toolbox: Toolbox,
        tell: Callable[[str, bool], None],
        choosing: Choosing | None = None,
        ask: Ask | None = None,
    ) -> None:
        """`tell` shows the user a sentence, `ask` puts a server's questions; None: nobody is there."""
        self.shared = shared
        self._toolbox = toolbox
        self._tell = tell
        self._choosing = choosing or Choosing()
        self._ask = ask
        self._joining: asyncio.Task[None] | None = None
        self.selection: ToolSelection | None = None
        """None until there are servers."""

    @property
    def servers(self) -> "Servers | None":
        """The servers; None until there are some."""
        return self.shared.servers

    def start_servers(self) -> None:
        """Have the servers started, and their tools offered, in the background."""
        if self._joining is None:
            self._joining = in_background(self._join(), "Offering the tools of MCP servers")

    async def begun_servers(self) -> "Servers | None":
        """The servers once their tools are offered, while each may still be starting; None where there are none."""
        self.start_servers()
        if self._joining is not None:
            await asyncio.shield(self._joining)
        return self.servers

    async def settled(self) -> None:
        """Wait until every server is ready, or known not to be."""
        if servers := await self.begun_servers():
            await servers.settled()

    async def close(self) -> None:
        """Offer their tools no longer; the servers go on for other chats."""
        if self._joining is not None:
            self._joining.cancel()
            await asyncio.wait([self._joining])
        if self.servers and self.selection:
            await self.servers.leave(self.selection)

    def shown_name(self, name: str) -> str:
        """`server.tool` of a tool that the model calls; empty for Magpie's own."""
        return self.selection.shown_name(name) if self.selection else ""

    def allowed(self, name: str) -> bool:
        """Whether the file of servers has a tool that the model calls carried out without asking."""
        return self.selection is not None and self.selection.allowed(name)

    async def _join(self) -> None:
        if servers := await self.shared.begun():
            self.selection = self._make_selection()
            self._toolbox.chooser = self.selection.choose_for
            servers.join(self.selection)

    def _make_selection(self) -> "ToolSelection":
        # The SDK, which is loaded where there are servers.
        from tools.mcp_client.tool_selection import ToolLimits, ToolSelection

        values, choosing = self.shared.configuration.values, self._choosing
        limits = ToolLimits.of_window(values.mcp.max_tools, values.context_window)
        return ToolSelection(self._toolbox, limits, self._tell, choosing.embedder, choosing.in_steps, self._ask)
