"""Servers of OpenAI's protocol on this machine: found by what they answer, and asked for their list of models alone."""

import asyncio
import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chatbot.models.openai.endpoints import ServerKind, kind_of
from chatbot.models.remote.destination import Destination
from chatbot.models.remote.server import read_entries
from utils.errors import NetworkError
from utils.network.access import NetworkAccess
from utils.network.api_client import ApiEndpoint, open_api_client

log = logging.getLogger(__name__)

KNOWN_PORTS = (1234, 8080, 8000)
"""Where LM Studio, llama-server and vLLM listen unless told otherwise; what answers there may be anything."""
FOUND_ORDER = (ServerKind.LM_STUDIO, ServerKind.LLAMA_SERVER, ServerKind.VLLM, ServerKind.OTHER)
LOOKING_SECONDS = 1.0
"""Within this time a server that nobody named must answer."""


@dataclass(frozen=True)
class FoundServer:
    """A server on this machine and what it said of itself; no key goes to it."""

    where: Destination
    kind: ServerKind
    entries: Sequence[dict[str, Any]]


async def find_servers(reach: NetworkAccess, timeout: float, ports: Sequence[int] | None = None) -> list[FoundServer]:
    """The servers that list a model, in the order in which they are taken; `timeout` is that of later requests."""
    asked = KNOWN_PORTS if ports is None else ports
    looked = await asyncio.gather(*(_look_at(f"http://127.0.0.1:{port}/v1", reach, timeout) for port in asked))
    found = [server for server in looked if server]
    return sorted(found, key=lambda server: FOUND_ORDER.index(server.kind))


async def _look_at(url: str, reach: NetworkAccess, timeout: float) -> FoundServer | None:
    """What answers at a base URL, if it is a server of this protocol with a model."""
    import httpx2

    endpoint = ApiEndpoint(url, "openai", timeout)
    # Importing takes a moment: not on the loop that draws the prompt.
    client = await asyncio.to_thread(open_api_client, endpoint, reach)
    try:
        async with client, asyncio.timeout(LOOKING_SECONDS):
            answer = await client.get(f"{url}/models")
            entries = read_entries(json.loads(answer.content)) if answer.status_code == 200 else None
    except (OSError, httpx2.HTTPError, NetworkError, ValueError, RecursionError) as error:
        log.info("no server of models at %s: %s", url, error)
        return None
    # A list alone may be anybody's; who says that it is one of models, or whose, is taken at the word.
    kind = kind_of(endpoint.host, entries or ())
    named = kind is not ServerKind.OTHER or all(entry.get("object") == "model" for entry in entries or ())
    return FoundServer(Destination(endpoint), kind, entries) if entries and named else None
