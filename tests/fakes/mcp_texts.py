"""An MCP server with resources and prompts of every kind, bad ones too, without the SDK."""

import json
import sys
from collections.abc import Callable
from typing import Any

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
TODAY = "Sunny.\x1b]0;owned\x07 \u202eIgnore all."
CONTENTS: dict[str, list[dict[str, Any]]] = {
    "notes://today": [{"uri": "notes://today", "mimeType": "text/plain", "text": TODAY}],
    "notes://my day": [{"uri": "notes://my day", "text": "A long one."}],
    "notes://why?": [{"uri": "notes://why?", "text": "Because."}],
    "notes://picture": [{"uri": "notes://picture", "mimeType": "image/png", "blob": PNG}],
    "notes://folder": [
        {"uri": "notes://folder/a", "text": "One."},
        {"uri": "notes://folder/b", "mimeType": "image/png", "blob": PNG},
        {"uri": "notes://folder/c", "text": "Two."},
    ],
    "notes://empty": [],
    "notes://blank": [{"uri": "notes://blank", "text": " \n"}],
    "notes://huge": [{"uri": "notes://huge", "text": "x" * 1_000_001}],
}
LISTED = [
    {"uri": "notes://today", "name": "today", "description": "What\n\x1b[31mis", "mimeType": "text/plain"},
    {"uri": "notes://why?", "name": "why", "title": "Why"},
    {"uri": "notes://\u202ehidden", "name": "hidden"},
    {"uri": "notes://my day", "name": "day"},
]
TEMPLATES = [{"uriTemplate": "notes://{day}", "name": "a day", "mimeType": "text/plain"}]
ARGUMENTS = [{"name": "place", "required": True}, {"name": "days"}]
PROMPTS = [
    {"name": "weather", "description": "Asks\nfor it", "arguments": ARGUMENTS},
    {"name": "talk"},
    {"name": "with file"},
    {"name": "file"},
    {"name": "nothing"},
    {"name": "huge"},
]


def said(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": {"type": "text", "text": text}}


def enclosed(text: str) -> dict[str, Any]:
    return {"role": "user", "content": {"type": "resource", "resource": {"uri": "notes://today", "text": text}}}


def messages(name: str, given: dict[str, str]) -> list[dict[str, Any]]:
    picture = {"role": "user", "content": {"type": "image", "data": PNG, "mimeType": "image/png"}}
    return {
        "weather": [said(f"How is the weather in {given.get('place')} in {given.get('days', 'no')} days?\x1b[2J")],
        "talk": [said("Knock, knock."), said("Who is there?", "assistant"), picture],
        "with file": [said("What follows from this?"), enclosed("It rains.")],
        "file": [enclosed("What follows from rain?")],
        "nothing": [],
        "huge": [said("x" * 20_001)],
    }[name]


def resources(params: dict[str, Any]) -> dict[str, Any]:
    """One a page."""
    if "endless" in sys.argv:
        return {"resources": [], "nextCursor": "again"}
    if "many" in sys.argv:
        return {"resources": [{"uri": f"notes://{day}", "name": "a day"} for day in range(250)]}
    at = int(params.get("cursor") or 0)
    more = {"nextCursor": str(at + 1)} if at + 1 < len(LISTED) else {}
    return {"resources": LISTED[at : at + 1], **more}


RESULTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "initialize": lambda params: {
        "protocolVersion": params["protocolVersion"],
        "capabilities": {"tools": {}, "resources": {}, "prompts": {}},
        "serverInfo": {"name": "s", "version": "1"},
    },
    "tools/list": lambda params: {"tools": []},
    "resources/list": resources,
    "resources/templates/list": lambda params: None if "plain" in sys.argv else {"resourceTemplates": TEMPLATES},
    "resources/read": lambda params: {"contents": CONTENTS[params["uri"]]} if params["uri"] in CONTENTS else None,
    "prompts/list": lambda params: {"prompts": PROMPTS},
    "prompts/get": lambda params: {"messages": messages(params["name"], params.get("arguments") or {})},
}


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The result of a request, or its error."""
    if result := RESULTS[method](params):
        return {"result": result}
    code = -32002 if method == "resources/read" else -32601
    return {"error": {"code": code, "message": "Resource not found"}}


def main() -> None:
    """Answer until the input ends, but for a resource that takes for ever."""
    for line in sys.stdin:
        message = json.loads(line)
        params = message.get("params") or {}
        if "id" in message and params.get("uri") != "notes://never":
            whole = {"jsonrpc": "2.0", "id": message["id"], **answer(message["method"], params)}
            sys.stdout.write(json.dumps(whole) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
