"""One call of a tool, as it goes over the wire."""

import asyncio
from typing import Any

import mcp_types as types
from mcp import Client, MCPError
from mcp_types import URL_ELICITATION_REQUIRED

from tools.mcp_client.elicitation.elicitation import Elicitation
from tools.mcp_client.results import text_of


async def call_tool(client: Client, tool: str, arguments: dict[str, Any], elicitation: Elicitation) -> tuple[bool, str]:
    """Whether the server did it, and what it says; raises what the SDK raises."""
    # Not the client's own `call_tool`, which checks the result by the server's schema: a pattern can take for ever.
    request = types.CallToolRequest(params=types.CallToolRequestParams(name=tool, arguments=arguments))
    try:
        result = await client.session.send_request(request, types.CallToolResult)
    except MCPError as error:
        if error.code != URL_ELICITATION_REQUIRED:
            raise
        return False, await elicitation.send_elsewhere(error.data)
    return not result.is_error, await asyncio.to_thread(text_of, result)
