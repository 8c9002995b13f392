"""Bodies of requests: read piece by piece up to a limit and within a time, whatever they say of their length."""

import asyncio
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from chatbot.frontends.http_api.errors import ApiRefusal, error_response
from chatbot.settings import ServeSettings

LINGER_SECONDS = 1.0
"""Seconds in which the rest of a refused body is read and thrown away: whoever sends it would else see the connection
break, and not why."""


class BodyGuard:
    """Hands a request on once its body is there; one that is too large or too slow goes no further."""

    def __init__(self, app: ASGIApp, settings: ServeSettings) -> None:
        self._app = app
        self._limit = settings.max_body_bytes
        self._seconds = settings.body_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """An ASGI application."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            body = await self._read_body(Headers(scope=scope), receive)
        except ApiRefusal as refusal:
            with suppress(TimeoutError):
                async with asyncio.timeout(LINGER_SECONDS):
                    while (await receive()).get("more_body"):
                        pass
            # What may still come of the body is not read: the connection ends with this.
            refusal.headers["connection"] = "close"
            await error_response(refusal)(scope, receive, send)
            return
        if body is not None:
            await self._app(scope, _replay_body(body, receive), send)

    async def _read_body(self, headers: Headers, receive: Receive) -> bytes | None:
        """The body; None where the client left in the middle of it."""
        told = headers.get("content-length", "0")
        if not told.isdecimal() or int(told[:20]) > self._limit:
            raise self._too_large()
        body = bytearray()
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    body += message.get("body", b"")
                    if len(body) > self._limit:
                        raise self._too_large()
                    if not message.get("more_body"):
                        return bytes(body)
        except TimeoutError:
            problem = f"The body did not arrive within {self._seconds:g} seconds."
            raise ApiRefusal(408, problem, "Send it faster, or raise serve.body_seconds.") from None

    def _too_large(self) -> ApiRefusal:
        problem = f"The body is larger than {self._limit:,} bytes."
        return ApiRefusal(413, problem, "Send less, or raise serve.max_body_bytes.", code="too_large")


def _replay_body(body: bytes, receive: Receive) -> Receive:
    """What receives the body that is there, and after that what else comes: that the client leaves."""
    told = False

    async def receive_again() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again
