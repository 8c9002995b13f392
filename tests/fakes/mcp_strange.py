"""A hostile MCP server with modes of our own, without the SDK: `python mcp_strange.py MODE`."""

import json
import os
import sys
import threading
import time
from typing import Any

MODE = sys.argv[1]
SLOW = {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}
QUESTION = {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}}
HEARD: list[str] = []
OK = {"content": [{"type": "text", "text": "ok"}]}
TOOL = {"name": "echo", "description": "echo", "inputSchema": {"type": "object", "properties": {}}}


def write(value: Any) -> None:
    """One line."""
    sys.stdout.write((value if isinstance(value, str) else json.dumps(value)) + "\n")
    sys.stdout.flush()


def flood(line: str) -> None:
    """The same for ever."""
    try:
        while True:
            sys.stdout.write((line + "\n") * 1000)
    except BrokenPipeError:
        os._exit(1)


def begin() -> None:
    """What this mode does before it answers a call."""
    match MODE:
        case "changes":
            changed = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
            threading.Thread(target=flood, args=(changed,), daemon=True).start()
        case "garbage":
            flood("nothing" * 100)
        case "asking":
            flood('{"jsonrpc":"2.0","id":1,"method":"roots/list"}')
        case "answering":
            flood('{"jsonrpc":"2.0","id":-1,"result":{}}')
        case "requests":
            for number in range(2000):
                write({"jsonrpc": "2.0", "id": f"x{number}", "method": "roots/list"})
        case "secret":
            sys.stderr.write(f"my token is {os.environ['TOKEN']}, no {os.environ['NOTES']}\n")
            sys.stderr.flush()
            time.sleep(0.3)
            os._exit(1)


def answer() -> str:
    """What it says to a call, as JSON."""
    match MODE:
        case "catastrophe":
            return json.dumps({**OK, "structuredContent": {"a": "a" * 60 + "!"}})
        case "deep":
            return "[" * 100_000 + "]" * 100_000
        case "asks":
            return json.dumps({"content": [{"type": "text", "text": " ".join(HEARD)}]})
        case "types":
            return '{"content": {"type": "text"}, "isError": "perhaps"}'
    return json.dumps(OK)


for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize":
            version = message["params"]["protocolVersion"]
            about = {
                "protocolVersion": version,
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"},
            }
            write({"jsonrpc": "2.0", "id": message["id"], "result": about})
        case "tools/list":
            tool = {**TOOL, "outputSchema": SLOW} if MODE == "catastrophe" else TOOL
            if MODE == "asks":
                # Before the list, so that it is heard before anything is called.
                write({"jsonrpc": "2.0", "id": "question", "method": "elicitation/create", "params": QUESTION})
            write({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": [tool]}})
        case None if message.get("id") == "question":
            HEARD.append(message["result"]["action"])
        case "tools/call":
            begin()
            write(f'{{"jsonrpc": "2.0", "id": {json.dumps(message["id"])}, "result": {answer()}}}')
