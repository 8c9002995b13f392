"""The command on MCP servers: other programs whose tools the model may call."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.events import Event, Listing, Notice
from chatbot.remote_tools import RemoteTools, servers_file
from utils.errors import MagpieError

if TYPE_CHECKING:
    from chatbot.app import App
    from tools.mcp_client.server import RemoteServer

_USAGE = "Write /mcp, /mcp tools, /mcp enable NAME, /mcp disable NAME or /mcp restart NAME."


@command(argument="[tools|enable|disable|restart ...]")
async def mcp(app: "App", argument: str) -> AsyncIterator[Event]:
    """List the MCP servers and their tools; enable, disable or restart one."""
    action, _, name = argument.partition(" ")
    remote, name = app.parts.remote, name.strip()
    match action.lower():
        case "" | "tools" if remote.servers is None:
            yield Notice(f"No MCP server is configured in {servers_file(app.configuration)}.")
        case "":
            yield _servers(remote)
        case "tools":
            yield _tools(remote)
        case "enable" if name:
            yield Notice(await remote.enable(name))
        case "disable" if name:
            yield Notice(await remote.disable(name))
        case "restart" if name:
            yield Notice(await remote.restart(name))
        case _:
            raise MagpieError("That is no way to use /mcp.", _USAGE)


def _servers(remote: RemoteTools) -> Listing:
    servers = remote.servers.all.values() if remote.servers else ()
    columns = ("server", "over", "state", "tools", "calls", "time")
    return Listing("MCP servers", columns, tuple(_row(server) for server in servers))


def _row(server: "RemoteServer") -> tuple[str, ...]:
    why = "; ".join(filter(None, [server.reason, *server.changes])) if server.state != "ready" else ""
    state = f"{server.state}: {why}" if why else server.state
    tools = str(len(server.tools)) if server.tools else ""
    return server.spec.name, server.spec.kind, state, tools, str(server.calls), f"{server.seconds:.1f} s"


def _tools(remote: RemoteTools) -> Listing:
    tools = remote.servers.tools.values() if remote.servers else ()
    rows = tuple((tool.shown, tool.name or f"left out: {tool.left_out}", tool.description) for tool in tools)
    return Listing("Tools of MCP servers", ("tool", "as the model calls it", "what it does"), rows)
