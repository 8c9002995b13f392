"""An MCP server that tells everybody the key that it was given; over stdio it is the variable NOTES_TOKEN."""

import json
import os
import sys
from typing import Any

_NOTHING: dict[str, Any] = {"type": "object", "properties": {}}


def answer(message: dict[str, Any], key: str) -> dict[str, Any] | None:
    """What it answers to a message; None to one that asks nothing."""
    if "id" not in message:
        return None
    head, asked = {"jsonrpc": "2.0", "id": message["id"]}, message.get("params", {})
    match message["method"]:
        case "initialize":
            about = {"serverInfo": {"name": "telling", "version": "1"}, "capabilities": {"tools": {}}}
            return {**head, "result": {"protocolVersion": asked["protocolVersion"], **about}}
        case "tools/list":
            tools = [{"name": name, "description": f"To {name}.", "inputSchema": _NOTHING} for name in ("ask", "fail")]
            return {**head, "result": {"tools": tools}}
        case "tools/call" if asked["name"] == "ask":
            said = {"content": [{"type": "text", "text": f"You gave me {key}."}], "structuredContent": {"key": key}}
            return {**head, "result": said}
    return {**head, "error": {"code": -32603, "message": f"The key {key} is refused"}}


if __name__ == "__main__":
    own = os.environ["NOTES_TOKEN"]
    sys.stderr.write(f"begun with {own}\n")
    sys.stderr.flush()
    for line in sys.stdin:
        if (said := answer(json.loads(line), own)) is not None:
            sys.stdout.write(json.dumps(said) + "\n")
            sys.stdout.flush()
