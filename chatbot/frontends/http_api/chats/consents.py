"""What waits for a person's consent: listed for them, and for nobody else, until they answer or the time is over."""

import asyncio
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime

from chatbot.conversation.json_events import versioned_object
from chatbot.frontends.http_api.chats.live_answer import EventFields, LiveAnswer
from chatbot.trust.consent import Decision, Request


@dataclass(eq=False)
class PendingConsent:
    """A request that nobody has answered yet."""

    request: Request
    answer: LiveAnswer
    decision: "asyncio.Future[Decision]"
    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    asked: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def fields(self) -> EventFields:
        """It as an object for programs."""
        request = self.request
        said = {"question": request.question, "tool": request.tool, "sent": request.sent, "why": request.why}
        where = {"chat": self.answer.id, "session": self.answer.session}
        return {"id": self.id, **where, "asked": self.asked, **said}


class PendingConsents:
    """The requests of all people."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._pending: dict[str, PendingConsent] = {}

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._pending)

    def list_pending(self, person: str) -> list[PendingConsent]:
        """Those of a person, oldest first."""
        return [one for one in self._pending.values() if one.answer.person == person]

    async def ask(self, answer: LiveAnswer, request: Request) -> Decision:
        """What the person of an answer decides; no, where they do not within the time."""
        pending = PendingConsent(request, answer, asyncio.get_running_loop().create_future())
        self._pending[pending.id] = pending
        answer.add_event(versioned_object("consent_asked", pending.fields))
        decision: Decision = "no"
        try:
            async with asyncio.timeout(self._seconds):
                decision = await pending.decision
        except TimeoutError:
            pass
        finally:
            del self._pending[pending.id]
        decided = {"id": pending.id, "allowed": decision in ("once", "session")}
        answer.add_event(versioned_object("consent_decided", decided))
        return decision

    def decide(self, person: str, id: str, decision: Decision) -> bool:
        """Answer a request of that person; whether there was one that waited."""
        pending = self._pending.get(id)
        if pending is None or pending.answer.person != person or pending.decision.done():
            return False
        pending.decision.set_result(decision)
        return True
