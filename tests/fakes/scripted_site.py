"""Pages that scripts fill, and a neighbour that nobody may reach: each notes what it was asked for."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

Answer = tuple[str, str]
"""A content type and a body."""


class ScriptedSite:
    """A server on loopback; `requests` are the first lines of what it was sent."""

    def __init__(self, pages: Mapping[str, Answer]) -> None:
        self.requests: list[str] = []
        self.host = ""
        self.pages = dict(pages)

    def url(self, path: str) -> str:
        return f"http://{self.host}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request; a connection counts even if nothing is said over it."""
        place = len(self.requests)
        self.requests.append("a connection")
        try:
            line = (await reader.readline()).decode("latin-1").strip()
            self.requests[place] = line
            while (await reader.readline()).strip():
                pass
            path = line.split(" ")[1].partition("?")[0] if line.count(" ") == 2 else ""
            kind, body = self.pages.get(path, ("text/plain", ""))
            status = "200 OK" if path in self.pages else "404 Not Found"
            head = f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body.encode())}\r\n"
            writer.write(f"{head}Access-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n{body}".encode())
            await writer.drain()
        except OSError:
            return
        finally:
            writer.close()


@asynccontextmanager
async def scripted_site(pages: Mapping[str, Answer]) -> AsyncIterator[ScriptedSite]:
    """It runs meanwhile."""
    site = ScriptedSite(pages)
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    site.host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield site


class DatagramEar(asyncio.DatagramProtocol):
    """Hears datagrams."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []

    def datagram_received(self, data: bytes, addr: object) -> None:
        self.heard.append(data)


@asynccontextmanager
async def datagram_ear() -> AsyncIterator[tuple[DatagramEar, int]]:
    """A port for datagrams, and what comes to it."""
    loop = asyncio.get_running_loop()
    transport, ear = await loop.create_datagram_endpoint(DatagramEar, local_addr=("127.0.0.1", 0))
    try:
        yield ear, transport.get_extra_info("sockname")[1]
    finally:
        transport.close()
