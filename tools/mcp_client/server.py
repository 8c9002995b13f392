"""One MCP server while Magpie runs: started, listed, called, started again when it ends, off when it changes."""

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Literal, TypeVar

import mcp_types as types
from mcp import Client, MCPError
from mcp_types import CONNECTION_CLOSED, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from pydantic import ValidationError

from tools.mcp_client.auth.oauth import Desk, SignIn
from tools.mcp_client.config import ServerSpec
from tools.mcp_client.connection.calling import call_tool
from tools.mcp_client.connection.pausable_timeout import Clocks
from tools.mcp_client.connection.transports import Transport, iter_transports
from tools.mcp_client.context import ServerContext
from tools.mcp_client.elicitation.elicitation import Elicitation
from tools.mcp_client.elicitation.forms import Ask
from tools.mcp_client.error_messages import broke_off, first_of, reason_of
from tools.mcp_client.listing import Listed, list_tools
from tools.mcp_client.trust import command_line
from utils.errors import MagpieError, NetworkError, ToolError, Unsent
from utils.faults import in_background
from utils.network.addresses import Target
from utils.text import one_line

log = logging.getLogger("magpie.mcp")
Answer = TypeVar("Answer")
State = Literal["starting", "ready", "waiting", "failed", "changed", "off"]

BACK_OFF = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0)
"""Seconds before a server that ended is started again."""
STEADY = 60.0
"""Seconds after which a connection counts as one that worked."""
_ANSWERS = frozenset({INVALID_PARAMS, METHOD_NOT_FOUND, INTERNAL_ERROR, -32002, 0})
"""Codes of errors that a server that is well answers with: -32002 for a resource that it has not, 0 of older SDKs."""
_REASON_SECONDS = 5.0
"""Seconds for which a call that was cut off waits to hear why."""


class _Unheard(MagpieError):
    """A server was not reached: nothing of what it is asked has gone out."""


class RemoteServer:
    """One server, and the task that keeps it running."""

    def __init__(self, spec: ServerSpec, around: ServerContext, offer: Callable[["RemoteServer"], None]) -> None:
        """`offer` is told when it is ready, or known not to be, and when it may have other tools."""
        self.spec = spec
        self.state: State = "off"
        self.reason = "it is switched off"
        """Why it is not ready, as a clause."""
        self.tools: tuple[Listed, ...] = ()
        self.changes: tuple[str, ...] = ()
        """What it has changed of its tools since they were agreed to, a line each."""
        self.calls, self.seconds = 0, 0.0
        """How many there were, and what all took together."""
        self.sign_in_at = ""
        """The address where the user is waited for; empty while nobody is."""
        self._around, self._offer = around, offer
        self._client: Client | None = None
        self._task: asyncio.Task[None] | None = None
        self._settled = asyncio.Event()
        self._news = asyncio.Event()
        self._ended = asyncio.Event()
        self._lost = self._unreached = self._visited = False
        self._under_way, self._said = 0, ""
        self._clocks = Clocks()
        waiting = self._while_waiting if around.attended else None
        self._desk = Desk(around.environment, around.reach, around.tokens, waiting, around.sign_in_seconds)
        self._sign_in = SignIn(spec, self._desk)
        self._elicitation = Elicitation(spec.name, self._clocks)

    def start(self) -> None:
        """Connect in the background, where that was agreed to."""
        self._settled.clear()
        self._said = ""
        self._sign_in = SignIn(self.spec, self._desk)
        if self._around.trust.is_approved(self.spec):
            self._change_state("starting", "it is starting")
            self._task = in_background(self._keep_running(), f"The MCP server {self.spec.name}", self._tell_failure)
            return
        self._change_state("waiting", "its command is new or has changed")
        self._around.tell(self.question, False)

    @property
    def question(self) -> str:
        """What the user is to agree to, all that would be run; empty where nothing waits for that."""
        name, waits = self.spec.name, self.state == "waiting" and not self._around.trust.is_approved(self.spec)
        would = f"The MCP server {name} would run: {command_line(self.spec)}. It waits for /mcp enable {name}"
        return would if waits else ""

    async def stop(self) -> None:
        """Disconnect and end what was started."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        self._change_state("off", "it is switched off")

    def agree_to_changes(self) -> None:
        """Let its command run as it is now, and take its tools as they are now."""
        self._around.trust.approve_command(self.spec)
        if self.changes:
            self._around.trust.accept_differences(self.spec.name)
        self.changes = ()

    async def settled(self) -> None:
        """Wait until it is ready, or known not to be."""
        await self._settled.wait()

    async def call_tool(self, tool: str, arguments: dict[str, Any], ask: Ask | None = None) -> str:
        """What a tool answers; `ask` puts its questions. Raises `ToolError`, `Unsent` where nothing was heard."""
        began = time.monotonic()
        self.calls += 1

        async def send_call(client: Client) -> tuple[bool, str]:
            return await call_tool(client, tool, arguments, self._elicitation)

        try:
            with self._elicitation.while_calling(ask):
                well, text = await self.ask_client(send_call)
        except MagpieError as error:
            done = f"The MCP server {self.spec.name} could not carry out {one_line(tool, 100)}"
            failure = Unsent if isinstance(error, _Unheard) else ToolError
            raise failure(f"{done}: {error.problem}.") from error
        finally:
            self.seconds += time.monotonic() - began
        if not well:
            raise ToolError(text)
        return text

    async def ask_client(self, request: Callable[[Client], Awaitable[Answer]], seconds: float = math.inf) -> Answer:
        """What it answers to a request within its time, or these; raises `MagpieError` with the reason, as a clause."""
        failure: type[MagpieError] = MagpieError
        seconds = min(seconds, self.spec.timeout)
        self._under_way += 1
        try:
            async with self._clocks.limit_time(seconds):
                if self.state == "starting":
                    await self.settled()
                if self._client is None:
                    raise MagpieError(self.reason)
                self._ended.clear()
                return await request(self._client)
        except TimeoutError:
            why = f"it did not answer within {seconds:g} s"
        except Exception as error:  # noqa: BLE001 - whatever the SDK makes of what a stranger sent
            why = await self._explain_failure(error)
            failure = _Unheard if self._unreached or isinstance(error, MagpieError) else MagpieError
        finally:
            self._under_way -= 1
        raise failure(why)

    async def _explain_failure(self, error: BaseException) -> str:
        """What a call failed for; where the connection was lost, it is made anew."""
        if isinstance(error, MagpieError | ValidationError):
            return reason_of(error)
        if isinstance(error, MCPError) and error.code in _ANSWERS:
            return self._sign_in.failed or reason_of(error)
        self._lost = True
        self._news.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), _REASON_SECONDS)
            if isinstance(error, MCPError) and error.code == CONNECTION_CLOSED:
                return self._said
        return reason_of(error)

    def _change_state(self, state: State, reason: str = "") -> None:
        self.state, self.reason = state, reason
        if state != "starting":
            self._settled.set()
            self._offer(self)
        log.info("server", extra={"data": {"server": self.spec.name, "state": state, "reason": reason}})

    @contextmanager
    def _while_waiting(self, address: Target) -> Iterator[None]:
        """While the user is to sign in: no time counts, and nothing waits for this server."""
        starting, reason = self.state == "starting", self.reason
        self.sign_in_at = address.url
        if starting:
            self._change_state("waiting", "it waits for you to sign in")
        told = f"The MCP server {self.spec.name} asks you to sign in at {address.host}. Open this in a browser: "
        self._around.tell(told + address.url, False)
        try:
            with self._clocks.stop_clocks():
                yield
            self._visited = True
        finally:
            self.sign_in_at = ""
            if starting:
                self._settled.clear()
                self._change_state("starting", reason)

    async def _keep_running(self) -> None:
        """Connect, and again when the connection has ended, less and less often."""
        failures = 0
        while failures < len(BACK_OFF):
            began = time.monotonic()
            why = await self._stay_connected()
            if self.changes:
                self._change_state("changed", "it has changed its tools since you agreed to them")
                told = f"The MCP server {self.spec.name} has changed its tools and is switched off: "
                self._around.tell(f"{told}{'; '.join(self.changes)}. /mcp enable {self.spec.name} accepts that", True)
                return
            self._tell_failure(why)
            if self._sign_in.refused:
                self.reason += f"; /mcp restart {self.spec.name} tries again"
                return
            failures = 0 if time.monotonic() - began > STEADY else failures + 1
            await asyncio.sleep(BACK_OFF[max(0, failures - 1)])
            self._settled.clear()
            self._change_state("starting", f"it is being started again, for {why}")
        self._change_state(
            "failed", f"{self._said}; it was tried {failures} times, and /mcp restart {self.spec.name} tries again"
        )

    def _tell_failure(self, why: str | MagpieError) -> None:
        """Each reason is told once."""
        why = why.problem.rstrip(".") if isinstance(why, MagpieError) else why
        self._change_state("failed", why)
        said, self._said = self._said, why
        self._ended.set()
        if said != why:
            self._around.tell(f"The MCP server {self.spec.name} cannot be used: {why}.", True)

    async def _stay_connected(self) -> str:
        """Connect, list, and stay until the connection ends; why it did, as a clause."""
        why = ""
        try:
            async with self._clocks.limit_time(self._around.start_seconds) as clock:
                for transport in iter_transports(self.spec, self._desk, self._sign_in):
                    # A server that speaks the older way alone is reached by it: else the first failure tells more.
                    ended = await self._run_session(transport, clock)
                    if clock.when() is None or self.changes:
                        return ended
                    why = why or ended
        except TimeoutError:
            return f"it was not ready within {self._around.start_seconds:g} s"
        return why

    async def _run_session(self, transport: Transport, clock: asyncio.Timeout) -> str:
        self._news.clear()
        self._lost = self._unreached = self._visited = False
        transport.on_news = self._news.set

        async def hear_message(message: object) -> None:
            self._lost = self._lost or broke_off(message)
            if self._lost or isinstance(message, types.ToolListChangedNotification):
                self._news.set()

        try:
            streams, answer = transport.open_streams(), self._elicitation.answer_server
            async with Client(
                streams, mode="legacy", message_handler=hear_message, elicitation_callback=answer, cache=None
            ) as client:
                await self._list_tools(client)
                clock.reschedule(None)
                transport.patient = True
                self._client = client
                self._change_state("ready")
                if self._visited:
                    self._around.tell(f"You are signed in to the MCP server {self.spec.name}.", False)
                await self._stay_open(client, transport)
        except Exception as error:
            # Of two calls nobody could tell which of them it was that found no connection.
            self._unreached = isinstance(first_of(error), NetworkError) and self._under_way == 1
            log.debug("connection ended", exc_info=error, extra={"data": {"server": self.spec.name}})
            return self._sign_in.failed or transport.how_ended() or reason_of(error)
        finally:
            self._client = None
        return transport.how_ended() or "the connection was lost"

    async def _stay_open(self, client: Client, transport: Transport) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            if transport.closed or self._lost:
                return
            async with self._clocks.limit_time(self._around.start_seconds):
                await self._list_tools(client)
            self._offer(self)
            # A server that tells of changes without end is not asked without end.
            await asyncio.sleep(1)

    async def _list_tools(self, client: Client) -> None:
        """Read the tools; raises `MagpieError` where they are not those that were agreed to."""
        tools = await list_tools(client)
        described = [tool.described for tool in tools]
        found = await asyncio.to_thread(self._around.trust.find_differences, self.spec.name, described)
        self.changes = tuple(found)
        if found:
            raise MagpieError("it has changed its tools")
        self.tools = tuple(tools)
