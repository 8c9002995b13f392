"""What all MCP servers of a run have in common."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tools.mcp_client.auth.oauth import SIGN_IN_SECONDS
from tools.mcp_client.auth.tokens import Tokens
from tools.mcp_client.trust import Trust
from utils.network.access import NetworkAccess

SERVER_START_SECONDS = 10.0
"""For starting a server and reading its list of tools."""


@dataclass(frozen=True)
class ServerContext:
    """Where servers are kept, reached, shown and offered."""

    trust: Trust
    tokens: Tokens
    reach: NetworkAccess
    tell: Callable[[str, bool], None]
    """Tells the user a sentence; True: it is a warning."""
    environment: Mapping[str, str]
    attended: bool = False
    """Whether somebody is there who can sign in."""
    start_seconds: float = SERVER_START_SECONDS
    sign_in_seconds: float = SIGN_IN_SECONDS
