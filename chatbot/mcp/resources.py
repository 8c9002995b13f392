"""The resources of MCP servers as the user names them: `@server:uri` in a question."""

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chatbot.conversation.messages import Attachment
from chatbot.mcp.listing import Gathered, ask_servers
from chatbot.mcp.tools import RemoteTools
from utils.errors import DocumentError

if TYPE_CHECKING:
    from tools.mcp_client.resources import Resource

FRESH = 60.0
"""Seconds after which a list that completes what is typed is read again."""
MAX_COMPLETIONS = 50
"""Completions of one word."""


@dataclass(frozen=True)
class Mention:
    """What can be typed behind an @."""

    text: str
    """`server:uri`, or `server:` alone."""
    about: str


async def list_resources(remote: RemoteTools, server: str = "") -> "Gathered[Resource]":
    """The resources of all servers, or of one; raises `MagpieError` where there is none of that name."""
    # The SDK, which takes a second.
    from tools.mcp_client.resources import list_resources

    return await ask_servers(remote, "resources", list_resources, server)


def mention_text(name: str) -> str:
    """`server:uri` as it is written in a question."""
    return f'@"{name}"' if " " in name else f"@{name}"


class RemoteResources:
    """The resources of a chat's servers: read where a question names them, completed where it is typed."""

    def __init__(self, remote: RemoteTools) -> None:
        self._remote = remote
        self._known: dict[str, tuple[float, list[Resource]]] = {}
        """By server: when it was listed last, and what."""

    async def read_mention(self, names: Sequence[str]) -> Attachment | None:
        """The text of what `server:uri` names; None where it names no server; raises `MagpieError`.

        Of the ways to read a word that one is taken which is listed, else the last.
        """
        server = await self.server_of(names[0])
        if not server:
            return None
        _, known = self._known.get(server, (0.0, []))
        uris = [name[len(server) + 1 :] for name in names]
        uri = next((uri for uri in uris if any(one.uri == uri for one in known)), uris[-1])
        if not uri:
            words = f"Write @{server}:URI, or \\@{names[0]} to mean just the words."
            raise DocumentError(f"@{names[0]} names no resource of the MCP server {server}.", words)
        from tools.mcp_client.resources import read_resource

        return Attachment(f"{server}:{uri}", await read_resource(self._remote.shared.find(server), uri), "resource")

    async def complete_mention(self, typed: str) -> list[Mention]:
        """What can stand behind an @ that is followed by this; what a server has is asked once a minute."""
        servers = self._remote.servers.all.values() if self._remote.servers else ()
        ready = [one.spec.name for one in servers if one.state == "ready"]
        server = await self.server_of(typed)
        if server not in ready:
            return [Mention(f"{name}:", "MCP server") for name in ready if name.startswith(typed)]
        when, known = self._known.get(server, (-math.inf, []))
        if time.monotonic() > when + FRESH:
            # Whoever types on meanwhile gets what is known.
            self._known[server] = (time.monotonic(), known)
            known = [one for _, one in (await list_resources(self._remote, server)).items]
            self._known[server] = (time.monotonic(), known)
        wanted = typed[len(server) + 1 :].casefold()
        found = [one for one in known if wanted in one.uri.casefold() or wanted in one.name.casefold()]
        # What is to be filled in is left to be typed.
        return [
            Mention(f"{server}:{one.uri.partition('{')[0]}", one.description or one.name)
            for one in found[:MAX_COMPLETIONS]
        ]

    async def server_of(self, name: str) -> str:
        """The server that `server:uri` names; empty where there is none of that name."""
        servers = await self._remote.begun_servers() if ":" in name else None
        return max((one for one in servers.all if name.startswith(f"{one}:")), key=len, default="") if servers else ""
