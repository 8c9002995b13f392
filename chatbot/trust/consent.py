"""What may leave this machine: calls that could carry something out are asked about."""

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from chatbot.conversation.messages import Message, ToolCall
from chatbot.trust.leak_detection import Leak, find_leak
from chatbot.trust.taint import PrivateTexts, as_known, is_tainted, known_addresses, private_texts, sent_address
from rag.zim.address import is_article
from utils.network.addresses import host_of

log = logging.getLogger("magpie.consent")

OPENING_TOOL_NAME = "fetch_url_content"
SEARCHES = frozenset({"web_search", "news_search"})
Approval = Literal["ask", "allow", "deny"]
Decision = Literal["once", "session", "no", "never"]
"""Yes, or yes for this session; no, or not in this session."""


@dataclass(frozen=True)
class Request:
    """A call that needs the user's consent."""

    tool: str
    """Its name as the user knows it."""
    sent: str
    """The whole address, query or arguments, as they would leave."""
    why: str
    """What makes it doubtful, as a clause: `the model made this address up`."""
    scope: str
    """What a decision for the session stands for; requests of one scope are decided together."""

    @property
    def question(self) -> str:
        """What the user is asked."""
        what = "open this address" if self.tool == OPENING_TOOL_NAME else f"send this to {self.tool}"
        return f"Magpie would {'search for this' if self.tool in SEARCHES else what}, and {self.why}."


Ask = Callable[[Request], Awaitable[Decision]]


class ToolOrigins(Protocol):
    """The tools of other programs and servers, by the names by which the model calls them."""

    def shown_name(self, name: str) -> str:
        """The name by which the user knows the tool that would be called now; empty where it is one of Magpie's."""
        ...

    def allowed(self, name: str) -> bool:
        """Whether the user has it called without asking."""
        ...


class Consent:
    """Decides over calls before they are carried out.

    Nobody is there to be asked until a front end sets `ask`: then what needs consent is not done.
    """

    def __init__(
        self,
        approval: Callable[[], Approval],
        kept: PrivateTexts | None = None,
        remote: ToolOrigins | None = None,
    ) -> None:
        self.ask: Ask | None = None
        self.waited = 0.0
        """Seconds that the user took to decide, all in all."""
        self._approval = approval
        self._kept = kept or PrivateTexts()
        self._remote = remote
        self._decided: dict[str, bool] = {}
        self._known: set[str] = set()
        """Remote tools that were allowed at least once."""
        self._asking = asyncio.Lock()

    def forget_session(self) -> None:
        """What was decided for a session ends with it."""
        self._decided.clear()
        self._known.clear()

    def meant_call(self, call: ToolCall, messages: Sequence[Message]) -> ToolCall:
        """The call with the address as it is known, where the model spelled a known one another way."""
        url = call.arguments.get("url")
        if call.name != OPENING_TOOL_NAME or not isinstance(url, str):
            return call
        return replace(call, arguments=call.arguments | {"url": as_known(url, messages)})

    async def refusal_reason(self, call: ToolCall, question: str, messages: Sequence[Message]) -> str:
        """Why a call is not carried out, for the model and the user; empty where it may be."""
        while True:
            shown = self._shown_name(call.name)
            # A long text is looked at for seconds, in which the chat must go on.
            request = await asyncio.to_thread(self.find_request, call, question, messages)
            if request and not await self.ask_user(request):
                return f"Not done, for it needs the user's consent and has not got it: {request.tool} {request.sent}"
            # Meanwhile it may have become the turn of another server that has the same tool.
            if self._shown_name(call.name) == shown:
                return ""

    def find_request(self, call: ToolCall, question: str, messages: Sequence[Message]) -> Request | None:
        """What has to be asked about a call; None where it is free."""
        if call.name == OPENING_TOOL_NAME:
            return self._request_opening(str(call.arguments.get("url", "")), question, messages)
        if call.name in SEARCHES:
            query = str(call.arguments.get("query", ""))
            leak = self._find_leak(query, question, messages)
            return _leak_request(call.name, query, leak) if leak else None
        name = self._shown_name(call.name)
        return self._remote_call(name, call, question, messages) if name else None

    def may_search(self, query: str, question: str, messages: Sequence[Message]) -> bool:
        """Whether a query that came up within a call carries nothing to be asked about."""
        return self._find_leak(query, question, messages) is None

    def _request_opening(self, url: str, question: str, messages: Sequence[Message]) -> Request | None:
        """A known address is free: who wrote it knew nothing of what is private here. So is what is on this machine."""
        if is_article(url) or sent_address(url) in known_addresses(messages):
            return None
        if leak := self._find_leak(url, question, messages):
            return _leak_request(OPENING_TOOL_NAME, url, leak)
        if not is_tainted(messages):
            return None
        why = "neither you nor a search named it: it comes from a page, or the model made it up"
        return Request(OPENING_TOOL_NAME, url, why, f"{OPENING_TOOL_NAME} {host_of(url)}")

    def _remote_call(self, name: str, call: ToolCall, question: str, messages: Sequence[Message]) -> Request | None:
        """What another program does with a call nobody here knows: it is asked about, before anything came in once."""
        sent = json.dumps(call.arguments, ensure_ascii=False)
        if leak := self._find_leak(sent, question, messages):
            return _leak_request(name, sent, leak)
        if self._remote and self._remote.allowed(call.name):
            return None
        if is_tainted(messages):
            return Request(name, sent, "text from outside may have led to this call", name)
        if name in self._known:
            return None
        return Request(name, sent, "it is the first call of this tool", name)

    def _shown_name(self, name: str) -> str:
        return self._remote.shown_name(name) if self._remote else ""

    def _find_leak(self, sent: str, question: str, messages: Sequence[Message]) -> Leak | None:
        return find_leak(sent, question, private_texts(messages, self._kept))

    async def ask_user(self, request: Request) -> bool:
        """Whether the user agrees, or did so before; the setting may decide for them."""
        approval = self._approval()
        if approval != "ask":
            return self._note_decision(request, approval == "allow", f"by the setting approval: {approval}")
        if self.ask is None:
            return self._note_decision(request, False, "nobody is there to ask")
        # Several calls of one round are asked about one after the other, and a decision counts for those that wait.
        async with self._asking:
            if request.scope in self._decided:
                return self._note_decision(request, self._decided[request.scope], "decided before")
            began = time.monotonic()
            try:
                decision = await self.ask(request)
            finally:
                self.waited += time.monotonic() - began
            if decision in ("session", "never"):
                self._decided[request.scope] = decision == "session"
            return self._note_decision(request, decision in ("once", "session"), decision)

    def _note_decision(self, request: Request, allowed: bool, how: str) -> bool:
        if allowed:
            self._known.add(request.tool)
        log.info(
            "consent",
            extra={"data": {"tool": request.tool, "sent": request.sent, "why": request.why, "ok": allowed, "how": how}},
        )
        return allowed


def _leak_request(tool: str, sent: str, leak: Leak) -> Request:
    origin = f" from {leak.name}" if leak.name else ", which looks secret"
    why = (
        f"it carries “{leak.piece}”{origin}" if leak.piece else "it is too much to be looked through for what is yours"
    )
    return Request(tool, sent, why, json.dumps([tool, leak.name, leak.piece]))
