"""/api/consent: what Magpie would send, and may not unless its person agrees."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path

from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.service import PersonName, Service
from chatbot.frontends.http_api.values import ApiModel, shown_with
from chatbot.trust.consent import Decision

consent_router = APIRouter(prefix="/api/consent", tags=["consent"])
ConsentId = Annotated[str, Path(description="Of the request.", max_length=64, examples=["n8Ck2wQy"])]


class ConsentRequest(ApiModel):
    """What would leave the machine."""

    id: str
    chat: str
    """The answer that waits for it."""
    session: str
    asked: str
    """When, ISO 8601."""
    question: str
    tool: str
    sent: str
    """The whole address, query or arguments, as they would leave."""
    why: str
    """What makes it doubtful."""


class ConsentList(ApiModel):
    """What waits, oldest first."""

    requests: list[ConsentRequest]


class ConsentDecision(ApiModel):
    """What the person says."""

    model_config = shown_with({"decision": "allow"}, {"decision": "deny", "for_session": True})
    decision: Literal["allow", "deny"]
    for_session: bool = False
    """Let it count for all alike in this conversation."""


@consent_router.get("")
async def list_consents(service: Service, person: PersonName) -> ConsentList:
    """What waits for your consent."""
    pending = service.consents.list_pending(person)
    return ConsentList(requests=[ConsentRequest(**one.fields) for one in pending])


@consent_router.post("/{id}", status_code=204)
async def decide_consent(id: ConsentId, decided: ConsentDecision, service: Service, person: PersonName) -> None:
    """Allow or deny it; without an answer it is denied after `serve.consent_seconds`."""
    allowed = decided.decision == "allow"
    decision: Decision = "session" if decided.for_session else "once"
    if not allowed:
        decision = "never" if decided.for_session else "no"
    if not service.consents.decide(person, id, decision):
        problem = "Nothing of that id waits for your consent."
        raise ApiRefusal(404, problem, "GET /api/consent lists what does.", code="no_consent")
