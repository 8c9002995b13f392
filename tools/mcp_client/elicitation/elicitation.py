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

    def __init__(self, server: str, clocks: Clocks) -> None:
        self._server = server
        self._clocks = clocks
        self._askers: list[Ask | None] = []
        """Of each call under way, who can be asked."""
        self._asked = 0
        self._under_way: set[asyncio.Future[FormReply]] = set()

    @contextmanager
    def while_calling(self, ask: Ask | None) -> Iterator[None]:
        """While a tool is called: what is still asked when no call is left is taken back.

        `ask` reaches whoever called; None where nobody is there.
        """
        if not self._askers:
            self._asked = 0
        self._askers.append(ask)
        try:
            yield
        finally:
            self._askers.remove(ask)
            if not self._askers:
                for task in self._under_way:
                    task.cancel()

    async def answer_server(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult:
        """What the user says, for the SDK."""
        try:
            if isinstance(params, types.ElicitRequestURLParams):
                reply = await self._put_question(read_visit(self._server, params.message, params.url))
            else:
                schema: dict[str, Any] = dict(params.requested_schema)
                reply = await self._put_question(read_form(self._server, params.message, schema))
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
            replies = [await self._put_question(read_visit(self._server, one.message, one.url)) for one in asked]
        except (ValidationError, UnfitForm):
            return "The server wants an address opened that is none."
        if all(reply.action == "accept" for reply in replies):
            return "The user was shown an address to open first. Call it again once they say that it is done."
        return "The user would have to open an address first, and does not want to."

    async def _put_question(self, question: Form | Visit) -> FormReply:
        """Ask, while no clock runs."""
        self._asked += 1
        ask = self._asker()
        if ask is None or self._asked > _MOST:
            return FormReply("decline")
        task = asyncio.ensure_future(ask(question))
        self._under_way.add(task)
        try:
            with self._clocks.stop_clocks():
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

    def _asker(self) -> Ask | None:
        """Who is asked. A question does not name its call, so that of two who call at once neither is."""
        first = self._askers[0] if self._askers else None
        return first if all(ask == first for ask in self._askers) else None
