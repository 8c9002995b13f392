"""A server that asks the user something while one of its tools is called; at any other time it is declined."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mcp_types as types
from mcp.client import ClientRequestContext
from pydantic import ValidationError

from tools.mcp_client.connection.pausable_timeout import Clocks
from tools.mcp_client.elicitation.forms import Ask, Form, FormReply, UnfitForm, Visit, read_form, read_visit

log = logging.getLogger("magpie.mcp")

_MOST = 10
"""Questions during one call."""


class Elicitation:
    """The questions of one server."""

    def __init__(self, server: str, clocks: Clocks, ask: Ask | None) -> None:
        """`ask` is None where nobody is there."""
        self._server = server
        self._clocks = clocks
        self._ask = ask
        self._calls = 0
        self._asked = 0
        self._under_way: set[asyncio.Future[FormReply]] = set()

    @contextmanager
    def calling(self) -> Iterator[None]:
        """While a tool is called: what is still asked when no call is left is taken back."""
        if not self._calls:
            self._asked = 0
        self._calls += 1
        try:
            yield
        finally:
            self._calls -= 1
            if not self._calls:
                for task in self._under_way:
                    task.cancel()

    async def answer(self, context: ClientRequestContext, params: types.ElicitRequestParams) -> types.ElicitResult:
        """What the user says, for the SDK."""
        try:
            if isinstance(params, types.ElicitRequestURLParams):
                reply = await self._put(read_visit(self._server, params.message, params.url))
            else:
                schema: dict[str, Any] = dict(params.requested_schema)
                reply = await self._put(read_form(self._server, params.message, schema))
        except UnfitForm as error:
            log.warning("question", extra={"data": {"server": self._server, "declined": str(error)}})
            return types.ElicitResult(action="decline")
        content: Any = dict(reply.values)
        filled = reply.action == "accept" and not isinstance(params, types.ElicitRequestURLParams)
        return types.ElicitResult(action=reply.action, content=content if filled else None)

    async def send_elsewhere(self, data: Any) -> str:
        """Show the addresses that a call needs opened first, and say how that ended, for the model."""
        try:
            asked = types.ElicitationRequiredErrorData.model_validate(data).elicitations[:_MOST]
            replies = [await self._put(read_visit(self._server, one.message, one.url)) for one in asked]
        except (ValidationError, UnfitForm):
            return "The server wants an address opened that is none."
        if all(reply.action == "accept" for reply in replies):
            return "The user was shown an address to open first. Call it again once they say that it is done."
        return "The user would have to open an address first, and does not want to."

    async def _put(self, question: Form | Visit) -> FormReply:
        """Ask, while no clock runs."""
        self._asked += 1
        if self._ask is None or not self._calls or self._asked > _MOST:
            return FormReply("decline")
        task = asyncio.ensure_future(self._ask(question))
        self._under_way.add(task)
        try:
            with self._clocks.stopped():
                await asyncio.wait({task})
        finally:
            task.cancel()
            self._under_way.discard(task)
        reply = FormReply("cancel") if task.cancelled() else task.result()
        if reply.action != "accept":
            # Whoever said no is not asked on in the same call.
            self._asked = _MOST
        log.info("question", extra={"data": {"server": self._server, "ok": reply.action == "accept"}})
        return reply
