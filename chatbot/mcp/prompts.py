"""The prompts of MCP servers as the user asks them: `server.name argument=value`."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chatbot.conversation.messages import Attachment
from chatbot.mcp.listing import Gathered, ask_servers
from chatbot.mcp.tools import RemoteTools
from utils.errors import MagpieError
from utils.text import one_line

if TYPE_CHECKING:
    from tools.mcp_client.prompts import ServerPrompt

# A value goes on until the next name=, or stands between quotation marks.
_ARGUMENT = re.compile(r'\s*([^\s="]+)=(?:"([^"]*)"(?=\s|$)|((?:(?!\s[^\s="]+=).)*))', re.DOTALL)
_LIST = "/mcp prompts lists them."


@dataclass(frozen=True)
class FilledPrompt:
    """A prompt as a question: its words, what it encloses, and what it is called."""

    text: str
    enclosed: tuple[Attachment, ...]
    origin: str


async def list_prompts(remote: RemoteTools, server: str = "") -> "Gathered[ServerPrompt]":
    """The prompts of all servers, or of one; raises `MagpieError` where there is none of that name."""
    # The SDK, which takes a second.
    from tools.mcp_client.prompts import list_prompts

    return await ask_servers(remote, "prompts", list_prompts, server)


async def fill_prompt(remote: RemoteTools, written: str) -> FilledPrompt:
    """The prompt that is named, by its name alone where no other server has one such; raises `MagpieError`."""
    from tools.mcp_client import prompts

    server, prompt, rest = _find_prompt(await list_prompts(remote), written)
    filled = await prompts.fill_prompt(remote.shared.find(server), prompt.name, _read_arguments(server, prompt, rest))
    enclosed = tuple(Attachment(f"{server}:{uri}", text, "resource") for uri, text in filled.enclosed)
    return FilledPrompt(filled.text, enclosed, f"the prompt {shown_name(server, prompt)}")


def shown_name(server: str, prompt: "ServerPrompt") -> str:
    """`server.prompt`."""
    return f"{server}.{one_line(prompt.name, 100)}"


def prompt_usage(server: str, prompt: "ServerPrompt") -> str:
    """How a prompt is written: `server.prompt place= [days=]`."""
    optional = (f"[{one_line(name, 60)}=]" for name in prompt.optional)
    return " ".join([shown_name(server, prompt), *(f"{one_line(name, 60)}=" for name in prompt.required), *optional])


def _find_prompt(asked: "Gathered[ServerPrompt]", written: str) -> "tuple[str, ServerPrompt, str]":
    """Whose prompt is meant, which, and what is written behind its name."""
    found: dict[str, list[tuple[str, ServerPrompt]]] = {}
    for server, prompt in asked.items:
        for name in (shown_name(server, prompt), one_line(prompt.name, 100)):
            if written == name or written.startswith(f"{name} "):
                found.setdefault(name, []).append((server, prompt))
    if not found:
        name = one_line(written.partition(" ")[0], 100)
        raise MagpieError(f"There is no prompt {name}.", " ".join([*asked.problems, _LIST]))
    name = max(found, key=len)
    servers = {server: prompt for server, prompt in reversed(found[name])}
    if len(servers) > 1:
        names = ", ".join(sorted(shown_name(*pair) for pair in servers.items()))
        raise MagpieError(f"Several servers have a prompt {name}.", f"Name one of them: {names}.")
    [(server, prompt)] = servers.items()
    return server, prompt, written[len(name) :].strip()


def _read_arguments(server: str, prompt: "ServerPrompt", written: str) -> dict[str, str]:
    given: dict[str, str] = {}
    at, remedy = 0, f"Write /mcp prompt {prompt_usage(server, prompt)}"
    while match := _ARGUMENT.match(written, at):
        given[match[1]] = match[3].strip() if match[2] is None else match[2]
        at = match.end()
    if written[at:].strip():
        raise MagpieError(f"“{one_line(written[at:], 60)}” is no argument.", remedy)
    known = (*prompt.required, *prompt.optional)
    if unknown := [name for name in given if name not in known]:
        raise MagpieError(
            f"The prompt {shown_name(server, prompt)} has no argument {one_line(unknown[0], 60)}.", remedy
        )
    if missing := [one_line(name, 60) for name in prompt.required if not given.get(name)]:
        raise MagpieError(f"The prompt {shown_name(server, prompt)} needs {', '.join(missing)}.", remedy)
    return given
