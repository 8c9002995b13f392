"""MCP servers as real processes, connected to as a chat does, and what is left of them."""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag.embedding.base import Embedder
from tests.fakes.attacks import ATTACKS
from tools.base import Toolbox, ToolContext
from tools.mcp_client.auth.tokens import Tokens
from tools.mcp_client.config import ServerSpec
from tools.mcp_client.context import ServerContext
from tools.mcp_client.elicitation.forms import Ask, Form, FormReply, Visit
from tools.mcp_client.servers import Servers
from tools.mcp_client.tool_selection import ToolLimits, ToolSelection
from tools.mcp_client.trust import Trust
from utils.network.access import NetworkAccess

HOSTILE = ATTACKS / "mcp" / "faulty_server.py"
AMPLE = ToolLimits(300, 10_000_000)
GOOD = Path(__file__).parent / "mcp_server.py"
STRANGE = Path(__file__).parent / "mcp_strange.py"


def good(name: str = "weather", **settings: object) -> ServerSpec:
    """A server that does what it should."""
    return ServerSpec(name, "stdio", (sys.executable, str(GOOD)), **settings)  # type: ignore[arg-type]


def hostile(mode: str, timeout: float = 2.0) -> ServerSpec:
    """One of the hostile server's modes."""
    return ServerSpec(mode, "stdio", (sys.executable, str(HOSTILE), mode), timeout=timeout, separate=True)


async def declining(question: Form | Visit) -> FormReply:
    """Somebody who is there and answers no question."""
    return FormReply("decline")


@dataclass
class Connected:
    """Servers that are connected to, the tools that they offer, and what the user was told."""

    servers: Servers
    offers: ToolSelection
    toolbox: Toolbox
    trust: Trust
    told: list[str] = field(default_factory=list)

    async def call(self, name: str, **arguments: object) -> tuple[bool, str]:
        """Whether a call went well, and its result."""
        outcome = await self.toolbox.execute_call(name, dict(arguments), ToolContext("a question"))
        return outcome.ok, outcome.result.text


@asynccontextmanager
async def connected(
    folder: Path,
    specs: Sequence[ServerSpec],
    *,
    approved: bool = True,
    limits: ToolLimits = AMPLE,
    environment: Mapping[str, str] = os.environ,
    reach: NetworkAccess | None = None,
    toolbox: Toolbox | None = None,
    embedder: Embedder | None = None,
    told: Callable[[str], None] = lambda said: None,
    ask: Ask | None = None,
    **settings: Any,
) -> AsyncIterator[Connected]:
    """All of these, once each is ready or known not to be; ended afterwards."""
    trust, toolbox, heard = Trust(folder / "trust.json"), toolbox or Toolbox([]), list[str]()
    for spec in specs if approved else ():
        trust.approve_command(spec)

    def tell(said: str, warning: bool) -> None:
        heard.append(said)
        told(said)

    tokens, attended = Tokens(folder / "tokens.json"), ask is not None
    settings = {"start_seconds": 30.0, "attended": attended, **settings}
    context = ServerContext(trust, tokens, reach or NetworkAccess(), tell, environment, **settings)
    offers = ToolSelection(toolbox, limits, tell, embedder, ask=ask)
    toolbox.chooser = offers.choose_for
    servers = Servers(specs, context)
    servers.join(offers)
    servers.start()
    try:
        await servers.settled()
        yield Connected(servers, offers, toolbox, trust, heard)
    finally:
        await servers.leave(offers)
        await servers.close()


def running(mark: str) -> list[str]:
    """The processes in whose command line or environment a text stands, but not this one."""
    found: list[str] = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            said = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if mark.encode() in said and entry.name != str(os.getpid()):
            found.append(said.replace(b"\0", b" ").decode(errors="replace")[:200])
    return found


async def none_left(mark: str, seconds: float = 5.0) -> list[str]:
    """What still runs of that mark after so many seconds, or as soon as nothing does."""
    until = time.monotonic() + seconds
    while (left := running(mark)) and time.monotonic() < until:
        await asyncio.sleep(0.05)
    return left
