"""Magpie's own MCP client as the conformance suite wants it: `python conformance_client.py URL`.

It connects as a chat does, calls every tool that is listed, and plays the person: it opens the address that is shown,
and presses Enter at every question.
"""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import httpx

from tests.fakes.mcp_servers import connected
from tools.mcp_client.config import OAuth, ServerSpec
from tools.mcp_client.elicitation.forms import Form, FormReply, Visit
from tools.mcp_client.listing import Listed
from utils.errors import ToolError

DOCUMENT = "https://conformance-test.local/client-metadata.json"
"""Where the suite expects the description of a client to stand."""
VALUES = {"integer": 1, "number": 1, "boolean": True, "string": "text", "array": [], "object": {}}


def issuer_of(url: str) -> str:
    """The authorization server of a server, as its documentation would name it."""
    host, _, path = url.removeprefix("http://").partition("/")
    return str(
        httpx.get(f"http://{host}/.well-known/oauth-protected-resource/{path}").json()["authorization_servers"][0]
    )


def oauth(url: str, scenario: str, context: Mapping[str, str]) -> OAuth:
    """What a user would write for this scenario."""
    if scenario == "auth/basic-cimd":
        return OAuth(client_metadata_url=DOCUMENT)
    if "client-credentials" in scenario:
        return OAuth(
            client_id=context["client_id"],
            client_secret=context.get("client_secret", ""),
            private_key=context.get("private_key_pem", ""),
            algorithm=context.get("signing_algorithm", "RS256"),
            grant="client_credentials",
            issuer=issuer_of(url).rstrip("/"),
        )
    return OAuth(client_id=context.get("client_id", ""), client_secret=context.get("client_secret", ""))


def arguments(tool: Listed) -> dict[str, Any]:
    """Something for each argument of a tool."""
    return {name: VALUES[value.get("type", "string")] for name, value in tool.arguments.get("properties", {}).items()}


async def by_default(question: Form | Visit) -> FormReply:
    """Press Enter at every question."""
    assert isinstance(question, Form)
    values = {one.name: one.read_value("") for one in question.fields}
    return FormReply("accept", {name: value for name, value in values.items() if value is not None})


async def visit(address: str) -> None:
    """Open an address as a browser does."""
    async with httpx.AsyncClient(follow_redirects=True) as browser:
        (await browser.get(address)).raise_for_status()


async def main(url: str, scenario: str, context: str) -> bool:
    """Connect, call, and leave; whether the server could be used. `context` is the scenario's JSON, or empty."""
    visits: list[asyncio.Task[None]] = []

    def tell(said: str) -> None:
        sys.stderr.write(f"{scenario}: {said}\n")
        if "Open this in a browser: " in said:
            visits.append(asyncio.create_task(visit(said.split()[-1])))

    settings = oauth(url, scenario, json.loads(context or "{}"))
    spec = ServerSpec("suite", "http", url=url, oauth=settings, timeout=20.0)
    with tempfile.TemporaryDirectory() as folder:
        async with connected(Path(folder), [spec], told=tell, ask=by_default) as there:
            server = there.servers.all["suite"]
            while server.state in ("starting", "waiting"):
                await asyncio.sleep(0.02)
            for tool in server.tools:
                with suppress(ToolError):
                    sys.stderr.write(f"{scenario}: {await server.call_tool(tool.name, arguments(tool), by_default)}\n")
            well = server.state == "ready"
        await asyncio.gather(*visits)
    return well


if __name__ == "__main__":
    told = [os.environ.get(f"MCP_CONFORMANCE_{name}", "") for name in ("SCENARIO", "CONTEXT")]
    sys.exit(not asyncio.run(main(sys.argv[-1], *told)))
