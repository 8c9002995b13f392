"""The MCP servers of a process; where none is configured, nothing of them is even imported."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from chatbot.config import Configuration
from tools.mcp_client.auth.tokens import Tokens
from tools.mcp_client.config import Configured, ServerSpec, read_servers
from tools.mcp_client.trust import Trust, command_line
from utils.errors import MagpieError
from utils.faults import in_background
from utils.files import expand_home
from utils.network.access import NetworkAccess

if TYPE_CHECKING:
    from tools.mcp_client.server import RemoteServer
    from tools.mcp_client.servers import Servers

VARIABLE = "MCP_CONFIG_PATH"
_USE = "/mcp lists the servers."


class Hearers(Protocol):
    """Whoever hears of the servers."""

    @property
    def attended(self) -> bool:
        """Whether somebody is there who can sign in."""
        ...

    def tell(self, said: str, warning: bool) -> None:
        """Show a sentence."""
        ...


class RemoteServers:
    """The MCP servers that all chats of a process share; they start in the background, and nothing waits for them."""

    def __init__(self, configuration: Configuration, reach: NetworkAccess, hearers: Hearers) -> None:
        self.configuration = configuration
        self._reach = reach
        self._hearers = hearers
        self._starting: asyncio.Task[None] | None = None
        self.servers: Servers | None = None
        """None until there are some."""

    def start(self) -> None:
        """Read the file and connect to its servers, in the background."""
        if self._starting is None:
            self._starting = in_background(self._start(), "Starting the MCP servers", self._fail)

    def _fail(self, failure: MagpieError) -> None:
        self._hearers.tell(str(failure), True)

    async def begun(self) -> "Servers | None":
        """The servers once their file was read, while each may still be starting; None where it has none."""
        self.start()
        if self._starting is not None:
            await asyncio.shield(self._starting)
        return self.servers

    async def close(self) -> None:
        """End every server."""
        if self._starting is not None:
            self._starting.cancel()
            await asyncio.wait([self._starting])
        if self.servers is not None:
            await self.servers.close()

    async def enable(self, name: str) -> str:
        """Agree to a server's command and tools as they are, start it, and say so; raises `MagpieError`."""
        server = self.find(name)
        if server.state in ("ready", "starting"):
            return f"{name} is on already."
        await asyncio.to_thread(server.agree_to_changes)
        await self._begin(server)
        return f"{name} is started{f': {command_line(server.spec)}' if server.spec.kind == 'stdio' else '.'}"

    async def disable(self, name: str) -> str:
        """End a server until it is enabled again, and say so; raises `MagpieError`."""
        await self.find(name).stop()
        return f"{name} is switched off in this session; its tools say so when they are called."

    async def restart(self, name: str) -> str:
        """End a server, start it again, and say so; raises `MagpieError`."""
        await self._begin(self.find(name))
        return f"{name} is started again."

    async def _begin(self, server: "RemoteServer") -> None:
        await server.stop()
        server.start()

    def find(self, name: str) -> "RemoteServer":
        """The server of that name; raises `MagpieError`."""
        server = self.servers.all.get(name) if self.servers else None
        if server is None:
            raise MagpieError(f"There is no MCP server {name}.", _USE)
        return server

    async def _start(self) -> None:
        configured = await asyncio.to_thread(configured_servers, self.configuration)
        for problem in configured.problems:
            self._hearers.tell(problem, True)
        if configured.servers:
            self.servers = await asyncio.to_thread(self._make, configured)
            self.servers.start()

    def _make(self, configured: Configured) -> "Servers":
        # The SDK, which takes a second.
        from tools.mcp_client.context import ServerContext
        from tools.mcp_client.servers import Servers

        trust, tokens, hearers = kept_trust(self.configuration), kept_tokens(self.configuration), self._hearers
        context = ServerContext(trust, tokens, self._reach, hearers.tell, os.environ, hearers.attended)
        return Servers(configured.servers, context)


def servers_file(configuration: Configuration, environment: Mapping[str, str] = os.environ) -> Path:
    """The file of servers: `mcp.config`, the variable MCP_CONFIG_PATH, else mcp.json beside the configuration."""
    named = configuration.values.mcp.config or environment.get(VARIABLE)
    return expand_home(Path(named)) if named else configuration.path.parent / "mcp.json"


def configured_servers(configuration: Configuration) -> Configured:
    """The servers in force, and a sentence on each that is not."""
    return read_servers(servers_file(configuration))


def kept_trust(configuration: Configuration) -> Trust:
    """What the user agreed to; a private run writes nothing down."""
    values = configuration.values
    return Trust(values.data_folder / "mcp_trust.json", read_only=values.private)


def kept_tokens(configuration: Configuration) -> Tokens:
    """What signing in to servers brought; a private run writes nothing down."""
    values = configuration.values
    return Tokens(values.data_folder / "mcp_tokens.json", read_only=values.private)


def approve_server(configuration: Configuration, name: str) -> str:
    """Agree to a server's command, and to its tools as they were last seen, and say so; raises `MagpieError`."""
    found = {spec.name: spec for spec in configured_servers(configuration).servers}
    if name not in found:
        raise MagpieError(f"There is no MCP server {name} in {servers_file(configuration)}.", "Check its name there.")
    spec, trust = found[name], kept_trust(configuration)
    trust.approve_command(spec)
    changed = trust.accept_differences(name)
    return "\n".join([_approval_text(spec), *(f"Its tools have changed, and are accepted: {line}" for line in changed)])


def _approval_text(spec: ServerSpec) -> str:
    if spec.kind != "stdio":
        return f"{spec.name} is reached at {spec.url}, which needs no approval."
    return f"{spec.name} may run: {command_line(spec)}"
