"""The resources of an MCP server: what can be read there, and the text of one of them."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import Client, MCPError
from mcp_types import METHOD_NOT_FOUND

from tools.mcp_client.listing import LISTING_SECONDS, MAX_LISTED, read_list
from tools.mcp_client.server import RemoteServer
from utils.errors import DocumentError, MagpieError
from utils.text import clean, one_line

MAX_RESOURCE_CHARS = 1_000_000
"""Characters of one resource: more fills any window many times."""
LONGEST_URI = 1000


@dataclass(frozen=True)
class Resource:
    """A resource as its server describes it, on cleaned lines."""

    uri: str
    """Of a template with its parts to be filled in, in braces."""
    name: str
    description: str
    media_type: str
    template: bool = False


async def list_resources(server: RemoteServer) -> list[Resource]:
    """What can be read of a server, then its templates, 200 at most; raises `MagpieError` with a reason, as a clause.

    What cannot be typed is left out: a URI that is too long or has characters that cannot be shown.
    """
    found = await server.ask_client(_list_all, LISTING_SECONDS)
    return [one for one in found if one.uri and one_line(one.uri, LONGEST_URI) == one.uri]


async def read_resource(server: RemoteServer, uri: str) -> str:
    """The text of a resource, cleaned; raises `DocumentError` with one sentence."""
    what = f"{one_line(uri)} of the MCP server {server.spec.name}"
    remedy = f"/mcp resources {server.spec.name} lists what it offers."
    try:
        result = await server.ask_client(lambda client: client.session.read_resource(uri))
        return await asyncio.to_thread(_contents_text, result.contents)
    except MagpieError as error:
        raise DocumentError(f"{what} cannot be read: {error.problem}.", remedy) from error


def _contents_text(contents: Sequence[Any]) -> str:
    """What stands in a resource, or in each of those that it is made of; raises `MagpieError` with a clause."""
    texts = [(part.uri, part.text) for part in contents if isinstance(part, types.TextResourceContents)]
    if sum(len(text) for _, text in texts) > MAX_RESOURCE_CHARS:
        raise MagpieError(f"it has more than {MAX_RESOURCE_CHARS:,} characters")
    if contents and not texts:
        kind = one_line(contents[0].mime_type or "", 60)
        # Some servers send even texts as data.
        raise MagpieError("it is data" + (f" of the type {kind}" if kind else "") + ", not sent as text")
    parts = [text for _, text in texts] if len(texts) < 2 else [f"{one_line(uri)}:\n{text}" for uri, text in texts]
    text = clean("\n\n".join(parts)).strip()
    if not text:
        raise MagpieError("it is empty")
    return text


async def _list_all(client: Client) -> list[Resource]:
    if client.server_capabilities.resources is None:
        return []
    session = client.session
    found = await read_list(lambda at: session.list_resources(params=at), lambda page: page.resources, "resources")
    try:
        templates = await read_list(
            lambda at: session.list_resource_templates(params=at), lambda page: page.resource_templates, "templates"
        )
    except MCPError as error:
        if error.code != METHOD_NOT_FOUND:
            raise
        templates = []
    described = (_describe_resource(one.uri_template, one, template=True) for one in templates)
    return [*(_describe_resource(one.uri, one) for one in found), *described][:MAX_LISTED]


def _describe_resource(uri: str, one: types.Resource | types.ResourceTemplate, *, template: bool = False) -> Resource:
    described = one_line(one.description or "", 300)
    return Resource(uri, one_line(one.title or one.name, 100), described, one_line(one.mime_type or "", 60), template)
