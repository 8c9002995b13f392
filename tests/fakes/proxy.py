"""An HTTP proxy on loopback that leads every tunnel to one place, and remembers what it was asked."""

import asyncio
import contextlib
import ssl


class FakeProxy:
    """`place` is where all tunnels lead, `host:port`; `answer` is what a request for one gets."""

    def __init__(self, place: str, answer: bytes = b"HTTP/1.1 200 OK\r\n\r\n") -> None:
        self.place, self.answer = place, answer
        self.asked: list[list[str]] = []
        """The lines of each request."""

    async def __aenter__(self) -> "FakeProxy":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.tls)
        self.host = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._server.close()

    tls: ssl.SSLContext | None = None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.asked.append(head.decode().strip().split("\r\n"))
        writer.write(self.answer)
        if self.answer.startswith(b"HTTP/1.1 200"):
            host, _, port = self.place.rpartition(":")
            there, back = await asyncio.open_connection(host, int(port))
            await asyncio.gather(copy(reader, back), copy(there, writer))
        writer.close()


async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """Pass on all bytes until either side leaves."""
    with contextlib.suppress(OSError):
        while block := await source.read(65_536):
            target.write(block)
            await target.drain()
        target.close()
