"""The prompts of an MCP server: what questions it has ready, and the text of one of them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import mcp_types as types
from mcp import Client

from tools.mcp_client.listing import LISTING_SECONDS, read_list
from tools.mcp_client.results import block_text
from tools.mcp_client.server import RemoteServer
from utils.errors import MagpieError
from utils.text import clean, one_line

MAX_PROMPT_CHARS = 20_000
"""Characters of a prompt's own words, all of which are shown before they are sent: some 5,000 tokens."""
ENCLOSED = 1_000_000
"""Characters of what a prompt encloses."""


@dataclass(frozen=True)
class ServerPrompt:
    """A prompt as its server describes it."""

    name: str
    """As the server knows it, uncleaned."""
    description: str
    required: tuple[str, ...] = ()
    """Arguments that it cannot do without."""
    optional: tuple[str, ...] = ()


@dataclass(frozen=True)
class Filled:
    """A prompt with its arguments filled in: its words, and the texts that it encloses, with their URIs; cleaned."""

    text: str
    enclosed: tuple[tuple[str, str], ...] = ()


async def list_prompts(server: RemoteServer) -> list[ServerPrompt]:
    """A server's prompts, 200 at most; raises `MagpieError` with the reason, as a clause."""
    return await server.ask_client(_list_all, LISTING_SECONDS)


async def fill_prompt(server: RemoteServer, name: str, arguments: Mapping[str, str]) -> Filled:
    """A prompt with these arguments; raises `MagpieError` with one sentence."""
    try:
        result = await server.ask_client(lambda client: client.session.get_prompt(name, dict(arguments)))
        return await asyncio.to_thread(_join_messages, result.messages)
    except MagpieError as error:
        what = f"The prompt {one_line(name, 100)} of the MCP server {server.spec.name}"
        raise MagpieError(f"{what} cannot be had: {error.problem}.") from error


async def _list_all(client: Client) -> list[ServerPrompt]:
    if client.server_capabilities.prompts is None:
        return []
    listed = await read_list(lambda at: client.session.list_prompts(params=at), lambda page: page.prompts, "prompts")
    return [_describe_prompt(one) for one in listed]


def _describe_prompt(one: types.Prompt) -> ServerPrompt:
    arguments = one.arguments or []
    required = tuple(each.name for each in arguments if each.required)
    optional = tuple(each.name for each in arguments if not each.required)
    return ServerPrompt(one.name, one_line(one.description or one.title or "", 300), required, optional)


def _join_messages(messages: Sequence[types.PromptMessage]) -> Filled:
    """Its words, with who says what where it has words for both sides; raises `MagpieError` with a clause."""
    held = [each for message in messages if (each := _enclosed_text(message.content))]
    said = [(message.role, block_text(message.content)) for message in messages if not _enclosed_text(message.content)]
    if not said:
        # A prompt that is a file.
        said, held = [("user", each.text) for each in held], []
    both = len({role for role, _ in said}) > 1
    words = "\n\n".join(f"{role.capitalize()}: {text}" if both else text for role, text in said)
    if len(words) > MAX_PROMPT_CHARS or sum(len(each.text) for each in held) > ENCLOSED:
        raise MagpieError(f"it has more than {MAX_PROMPT_CHARS:,} characters, or encloses more than {ENCLOSED:,}")
    text = clean(words).strip()
    if not text:
        raise MagpieError("it is empty")
    return Filled(text, tuple((one_line(each.uri, 300), clean(each.text).strip()) for each in held))


def _enclosed_text(block: types.ContentBlock) -> types.TextResourceContents | None:
    """A part of a prompt that is a text of its own rather than words to the model."""
    resource = block.resource if isinstance(block, types.EmbeddedResource) else None
    return resource if isinstance(resource, types.TextResourceContents) else None
