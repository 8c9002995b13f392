"""/api/memory and /api/reminders: what is remembered of a person, and what they are reminded of."""

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import Field

from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.service import Desk
from chatbot.frontends.http_api.values import ApiModel
from chatbot.memory.facts import MAX_FACT_CHARS, Fact, Memory
from chatbot.memory.reminders import due_text

memory_router = APIRouter(prefix="/api/memory", tags=["memory"])
reminders_router = APIRouter(prefix="/api/reminders", tags=["memory"])
FactNumber = Annotated[int, Path(ge=1, le=2**63 - 1)]


class RememberedFact(ApiModel):
    """A fact."""

    number: int
    text: str
    kept: bool
    """False while it is only proposed: a model wanted it remembered, and you have not agreed."""


class FactList(ApiModel):
    """Facts and proposals, oldest first."""

    facts: list[RememberedFact]


class FactText(ApiModel):
    """The words of a fact."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_FACT_CHARS, pattern=r"\S", examples=["I am vegetarian"])]


class FactChange(ApiModel):
    """Other words for a fact; without any a proposal is agreed to as it is."""

    text: Annotated[str, Field(max_length=MAX_FACT_CHARS)] = ""


class ReminderEntry(ApiModel):
    """A reminder to come."""

    number: int
    text: str
    due: str
    """ISO 8601, UTC."""
    active: bool
    """False for one that is switched off, and will not be told."""


class ReminderList(ApiModel):
    """Those to come, the next first."""

    reminders: list[ReminderEntry]


class DueReminders(ApiModel):
    """What to tell now, a sentence each."""

    due: list[str]


@memory_router.get("")
async def list_facts(desk: Desk) -> FactList:
    """What is remembered of you."""
    return FactList(facts=[_remembered(fact) for fact in await desk.memory.list_facts()])


@memory_router.post("", status_code=201)
async def add_fact(told: FactText, desk: Desk) -> RememberedFact:
    """Have something remembered, from the next conversation on."""
    return _remembered(await desk.memory.add_fact(told.text))


@memory_router.patch("/{number}")
async def change_fact(number: FactNumber, told: FactChange, desk: Desk) -> RememberedFact:
    """Put other words in its place, or agree to a proposal."""
    await _require_fact(desk.memory, number)
    if told.text.strip():
        return _remembered(await desk.memory.edit_fact(number, told.text))
    return _remembered(await desk.memory.keep_proposal(number))


@memory_router.delete("/{number}", status_code=204)
async def drop_fact(number: FactNumber, desk: Desk) -> None:
    """Have it forgotten."""
    await _require_fact(desk.memory, number)
    await desk.memory.drop_fact(str(number))


@reminders_router.get("")
async def list_reminders(desk: Desk) -> ReminderList:
    """Your reminders to come; they are set in words, in a chat."""
    entries = [
        ReminderEntry(
            number=one.number, text=one.text, due=datetime.fromtimestamp(one.due, UTC).isoformat(), active=one.active
        )
        for one in await desk.reminders.pending_reminders()
    ]
    return ReminderList(reminders=entries)


@reminders_router.post("/due")
async def claim_due_reminders(desk: Desk) -> DueReminders:
    """Take those that are due now: each is given once, to whoever asks first, and to be shown there."""
    if not desk.reminders.writable:
        return DueReminders(due=[])
    now = desk.reminders.clock()
    return DueReminders(due=[due_text(one, now) for one in await desk.reminders.claim_due()])


@reminders_router.delete("/{number}", status_code=204)
async def cancel_reminder(number: FactNumber, desk: Desk) -> None:
    """Take one out."""
    if number not in {one.number for one in await desk.reminders.pending_reminders()}:
        raise ApiRefusal(
            404, "There is no reminder of that number.", "GET /api/reminders lists them.", code="no_reminder"
        )
    await desk.reminders.cancel_number(number)


async def _require_fact(memory: Memory, number: int) -> None:
    if number not in {fact.number for fact in await memory.list_facts()}:
        raise ApiRefusal(404, "Nothing of that number is remembered.", "GET /api/memory lists it.", code="no_fact")


def _remembered(fact: Fact) -> RememberedFact:
    return RememberedFact.model_validate(fact, from_attributes=True)
