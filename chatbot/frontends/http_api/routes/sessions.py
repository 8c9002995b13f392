"""/api/sessions: a person's kept conversations."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from chatbot.conversation.json_events import event_object
from chatbot.conversation.sources import by_number
from chatbot.engine.chat import Chat
from chatbot.frontends.http_api.chats.held_chats import require_session
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.service import Desk, PersonName, Service
from chatbot.frontends.http_api.values import SESSION_ID, ApiModel, CleanJson
from chatbot.history.entries import Verdict
from chatbot.history.export.documents import to_html, to_markdown
from chatbot.history.feedback.marks import LONGEST_REASON, NotAnswered, marked_turns
from chatbot.history.replay import replay_entries
from chatbot.history.search.sessions import SessionInfo

EXPORT_TYPES = {"json": "application/json", "md": "text/markdown; charset=utf-8", "html": "text/html; charset=utf-8"}
sessions_router = APIRouter(prefix="/api/sessions", tags=["sessions"])
SessionId = Annotated[str, Path(pattern=SESSION_ID, examples=["261126-bq4fk2x"])]


class SessionEntry(ApiModel):
    """A conversation in a list."""

    id: str
    title: str
    created: str
    """ISO 8601, UTC, as all times are."""
    updated: str
    messages: int
    model: str
    parent: str
    """The conversation that it branched off; empty: none."""
    snippet: str
    """Where the words that were looked for occur."""


class SessionList(ApiModel):
    """Conversations, newest first."""

    sessions: list[SessionEntry]


class AnswerMark(ApiModel):
    """What you think of an answer; of several marks of one the last counts."""

    verdict: Verdict
    why: Annotated[str, Field(max_length=LONGEST_REASON, examples=["It is the timetable of last year."])] = ""
    question: Annotated[int | None, Field(ge=1, le=1_000_000)] = None
    """The number of its question in the conversation, from 1; the last answer unless told."""


class SessionDetail(ApiModel):
    """A whole conversation."""

    session: SessionEntry
    events: list[dict[str, Any]]
    """What was asked (`asked`), called and answered, as the events that it was."""
    damaged: int
    """Records that could not be read, and are left out."""
    feedback: list[AnswerMark]
    """What you think of its answers."""


class SessionTitle(ApiModel):
    """A title."""

    title: Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S", examples=["Ferries"])]


class SessionBranch(ApiModel):
    """The copy of a conversation."""

    id: str


@sessions_router.get("")
async def list_sessions(
    desk: Desk,
    search: Annotated[str, Query(max_length=300, description="Words that all occur in it.")] = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> SessionList:
    """Your conversations, newest first; those in which all words occur, where some are given."""
    found = await desk.sessions.list(search, limit, offset)
    return SessionList(sessions=[_session_entry(info) for info in found])


@sessions_router.get("/{id}", response_model=SessionDetail)
async def read_session(id: SessionId, desk: Desk) -> Response:
    """A conversation, as the events that it was when it was had."""
    await require_session(desk.sessions, id)
    loaded = await desk.sessions.load(id)
    events = [event_object(event) for event in replay_entries(loaded.entries, by_number(loaded.messages))]
    marks = [
        {"verdict": mark.verdict, "why": mark.why, "question": number}
        for number, _, mark in marked_turns(loaded.entries)
    ]
    told = {"events": events, "damaged": loaded.damaged, "feedback": marks}
    return CleanJson({"session": _session_entry(loaded.info).model_dump(), **told})


@sessions_router.patch("/{id}", status_code=204)
async def rename_session(id: SessionId, named: SessionTitle, desk: Desk) -> None:
    """Give a conversation a title."""
    await require_session(desk.sessions, id)
    await desk.sessions.title(id, named.title)


@sessions_router.delete("/{id}", status_code=204)
async def delete_session(id: SessionId, desk: Desk, service: Service, person: PersonName) -> None:
    """Delete a conversation, also from the copies that Magpie keeps of all."""
    await _prepare_change(id, desk, service, person)
    await desk.sessions.delete(id)


@sessions_router.post("/{id}/undo", status_code=204)
async def undo_turn(id: SessionId, desk: Desk, service: Service, person: PersonName) -> None:
    """Take the last question back, with all that came of it."""
    await _prepare_change(id, desk, service, person)
    while (undone := await desk.sessions.undo(id)) is not None:
        if undone.kind == "message":
            return
    raise ApiRefusal(409, "There is nothing to take back.", code="nothing_said")


@sessions_router.put("/{id}/feedback", status_code=204)
async def mark_answer(id: SessionId, marked: AnswerMark, desk: Desk) -> None:
    """Say whether an answer was good; kept with the conversation, and sent nowhere."""
    await require_session(desk.sessions, id)
    try:
        await desk.sessions.mark(id, marked.verdict, marked.why, marked.question)
    except NotAnswered as error:
        raise ApiRefusal(409, error.problem, code="not_answered") from error


@sessions_router.post("/{id}/branch", status_code=201)
async def branch_session(id: SessionId, desk: Desk) -> SessionBranch:
    """Copy a conversation, to go on in the copy; the original stays as it is."""
    await require_session(desk.sessions, id)
    return SessionBranch(id=await desk.sessions.branch(id))


@sessions_router.get(
    "/{id}/export",
    response_class=Response,
    responses={200: {"content": {kind.partition(";")[0]: {} for kind in EXPORT_TYPES.values()}}},
)
async def export_session_text(id: SessionId, desk: Desk, form: Literal["json", "md", "html"] = "md") -> Response:
    """A conversation as a document; JSON is what `/import` takes."""
    await require_session(desk.sessions, id)
    if form == "json":
        text = await desk.sessions.export_json(id)
    else:
        text = (to_markdown if form == "md" else to_html)(await desk.sessions.load(id))
    headers = {"content-disposition": f'attachment; filename="magpie-{id}.{form}"'}
    return Response(text.encode(errors="replace"), headers=headers, media_type=EXPORT_TYPES[form])


async def _prepare_change(id: str, desk: Chat, service: Service, person: str) -> None:
    """Let go of a conversation that is there; raises `ApiRefusal` for others, and while it is being answered."""
    await require_session(desk.sessions, id)
    await service.chats.close_session(person, id)


def _session_entry(info: SessionInfo) -> SessionEntry:
    return SessionEntry.model_validate(info, from_attributes=True)
