"""The command on MCP servers: other programs whose tools the model may call."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Asked, Event, Listing, Notice
from chatbot.mcp.prompts import fill_prompt, list_prompts, prompt_usage
from chatbot.mcp.resources import list_resources, mention_text
from chatbot.mcp.servers import servers_file
from chatbot.mcp.tools import RemoteTools
from chatbot.trust.consent import Request
from utils.errors import MagpieError

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat
    from tools.mcp_client.resources import Resource
    from tools.mcp_client.routes import RemoteTool
    from tools.mcp_client.server import RemoteServer

_MCP_USAGE = (
    "Write /mcp, /mcp tools, /mcp resources [SERVER], /mcp prompts [SERVER], /mcp prompt NAME [ARGUMENT=...], "
    "/mcp enable NAME, /mcp disable NAME or /mcp restart NAME."
)


@command(argument="[tools|resources|prompts|prompt|enable|disable|restart ...]")
async def mcp(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """List the MCP servers, their tools, resources or prompts; ask a prompt; enable, disable or restart one."""
    action, _, name = argument.partition(" ")
    action, name, remote = action.lower(), name.strip(), chat.remote
    if action in ("", "enable", "disable", "restart"):
        # What is run, and with which secrets, is for nobody else.
        chat.require_owner()
    if action in _LIST_FUNCTIONS and not await remote.begun_servers():
        yield Notice(f"No MCP server is configured in {servers_file(chat.configuration)}.")
    elif action in _LIST_FUNCTIONS:
        for event in await _LIST_FUNCTIONS[action](remote, name):
            yield event
    elif action == "prompt" and name:
        async with aclosing(_ask_prompt(chat, name)) as events:
            async for event in events:
                yield event
    elif name and action in ("enable", "disable", "restart"):
        shared = remote.shared
        change = {"enable": shared.enable, "disable": shared.disable, "restart": shared.restart}[action]
        yield Notice(await change(name))
    else:
        raise MagpieError("That is no way to use /mcp.", _MCP_USAGE)


async def _list_servers(remote: RemoteTools, _: str) -> list[Event]:
    servers = remote.servers.all.values() if remote.servers else ()
    columns = ("server", "over", "state", "tools", "calls", "time")
    # Not in the table, whose cells are cut.
    asked = [Notice(server.question) for server in servers if server.question]
    asked += [
        Notice(f"To sign in to {server.spec.name}, open this in a browser: {server.sign_in_at}")
        for server in servers
        if server.sign_in_at
    ]
    return [Listing("MCP servers", columns, tuple(_server_row(server) for server in servers)), *asked]


def _server_row(server: "RemoteServer") -> tuple[str, ...]:
    why = "; ".join(filter(None, [server.reason, *server.changes])) if server.state != "ready" else ""
    state = f"{server.state}: {why}" if why else server.state
    tools = str(len(server.tools)) if server.tools else ""
    return server.spec.name, server.spec.kind, state, tools, str(server.calls), f"{server.seconds:.1f} s"


async def _list_tools(remote: RemoteTools, _: str) -> list[Event]:
    offers = remote.selection
    rows = tuple(_tool_row(tool, offers.left_out(tool)) for tool in offers.known_tools) if offers else ()
    if not rows:
        return [Notice("No server has listed its tools yet; /mcp tells why.")]
    return [Listing("Tools of MCP servers", ("tool", "offered", "what it does"), rows)]


def _tool_row(tool: "RemoteTool", left_out: str) -> tuple[str, ...]:
    """A tool by its first server's name for it; where else it can be called, or why it is not offered."""
    first, *others = (way.shown_name for way in tool.ways)
    also = f"yes, also by {', '.join(others)}" if others else "yes"
    state = f"no: {left_out}" if left_out else also if tool.names else "with the first question"
    return first, state, tool.schema.description if tool.schema else ""


async def _list_resources(remote: RemoteTools, server: str) -> list[Event]:
    found = await list_resources(remote, server)
    rows = tuple(
        (mention_text(f"{name}:{one.uri}"), one.media_type, _describe_resource(one)) for name, one in found.items
    )
    return _make_listing("Resources of MCP servers", ("in a question", "type", "what it is"), rows, found.problems)


async def _list_prompts(remote: RemoteTools, server: str) -> list[Event]:
    found = await list_prompts(remote, server)
    rows = tuple((prompt_usage(name, one), one.description) for name, one in found.items)
    return _make_listing("Prompts of MCP servers", ("/mcp prompt", "what it asks"), rows, found.problems)


def _make_listing(
    title: str, columns: tuple[str, ...], rows: tuple[tuple[str, ...], ...], problems: list[str]
) -> list[Event]:
    warnings = [Notice(problem, "warning") for problem in problems]
    if rows:
        return [Listing(title, columns, rows), *warnings]
    return [*warnings] or [Notice("None is offered.")]


def _describe_resource(one: "Resource") -> str:
    filled = "Fill in what stands in braces. " if one.template else ""
    return filled + (f"{one.name}: {one.description}" if one.description else one.name)


async def _ask_prompt(chat: "Chat", written: str) -> AsyncGenerator[Event, None]:
    """Show a prompt's words, and ask the model in the user's place once they agree."""
    prompt = await fill_prompt(chat.remote, written)
    why = "the words are those of its server, not yours"
    enclosed = [f"(with the enclosed {one.name}, {len(one.text):,} characters)" for one in prompt.enclosed]
    shown = "\n\n".join([prompt.text, *enclosed])
    if not await chat.consent.ask_user(Request("the model", shown, why, f"{prompt.origin}\n{shown}")):
        yield Notice(f"Not asked: {prompt.origin}.")
        return
    yield Asked(prompt.text)
    asked = chat.agent.ask(prompt.text, attachments=prompt.enclosed, origin=prompt.origin)
    async with aclosing(asked) as events:
        async for event in events:
            yield event


_LIST_FUNCTIONS = {"": _list_servers, "tools": _list_tools, "resources": _list_resources, "prompts": _list_prompts}
