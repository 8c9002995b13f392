"""An MCP server over HTTP that sends events without end, in this process and without the SDK."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

TOOL = {"name": "echo", "description": "echo", "inputSchema": {"type": "object", "properties": {}}}
NOTE = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "again"}}
ASKED = {"jsonrpc": "2.0", "id": "x", "method": "roots/list"}
LARGE = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "a" * 1_000_000}}
FLOODS: dict[str, bytes] = {
    "notes": b"event: message\ndata: " + json.dumps(NOTE).encode() + b"\n\n",
    "requests": b"event: message\ndata: " + json.dumps(ASKED).encode() + b"\n\n",
    "large": b"event: message\ndata: " + json.dumps(LARGE).encode() + b"\n\n",
    "nothing": b": still here\n",
}


def answer(message: dict[str, Any]) -> dict[str, Any]:
    """What a good server answers to a request."""
    match message["method"]:
        case "initialize":
            version = message["params"]["protocolVersion"]
            about = {"name": "s", "version": "1"}
            result: dict[str, Any] = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
        case "tools/list":
            result = {"tools": [TOOL]}
        case _:
            result = {"content": [{"type": "text", "text": "ok"}]}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


class Flooding:
    """`where` it floods: `get`, the stream that is open all the time, or `call`, the one that answers a call."""

    def __init__(self, flood: str, where: str) -> None:
        self._flood = FLOODS[flood]
        self._where = where
        self._called = asyncio.Event()
        self._stream: asyncio.StreamWriter | None = None
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection."""
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                lengths = [
                    line.split(":")[1] for line in head.lower().splitlines() if line.startswith("content-length")
                ]
                body = await reader.readexactly(int(lengths[0])) if lengths else b""
                method, path, _ = head.split(" ", 2)
                if method == "GET":
                    await self._listened_to(path, writer)
                else:
                    await self._asked(path, json.loads(body) if body else {}, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.transport.abort()

    async def _listened_to(self, path: str, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        if path == "/sse":
            writer.write(b"event: endpoint\ndata: /post\n\n")
            self._stream = writer
        if self._where == "get":
            await self._called.wait()
            await self._pour(writer)
        await asyncio.sleep(3600)

    async def _asked(self, path: str, message: dict[str, Any], writer: asyncio.StreamWriter) -> None:
        if message.get("method") == "tools/call":
            self._called.set()
            if self._where == "call":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
                await self._pour(writer)
        said = json.dumps(answer(message)).encode() if "id" in message and "method" in message else b""
        if path == "/post" and said and self._stream:
            self._stream.write(b"event: message\ndata: " + said + b"\n\n")
            said = b""
        status = b"200 OK" if said else b"202 Accepted"
        session = b"Mcp-Session-Id: one\r\nContent-Type: application/json\r\n"
        writer.write(b"HTTP/1.1 %s\r\n%sContent-Length: %d\r\n\r\n%s" % (status, session, len(said), said))
        await writer.drain()

    async def _pour(self, writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(self._flood * (1 if len(self._flood) > 10_000 else 100))
            await writer.drain()
            await asyncio.sleep(0)


@asynccontextmanager
async def flooding(flood: str, where: str) -> AsyncIterator[int]:
    """The port of such a server."""
    one = Flooding(flood, where)
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(one.serve(reader, writer)))

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
