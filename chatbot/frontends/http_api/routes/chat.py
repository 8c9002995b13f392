"""/api/chat: a question is asked, its answer's events come as they are made, and can be heard again from any on."""

from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from chatbot.conversation.events import AnswerDelta
from chatbot.conversation.json_events import event_object
from chatbot.conversation.messages import Attachment
from chatbot.frontends.http_api.chats.answering import AskedQuestion
from chatbot.frontends.http_api.chats.held_chats import HeldChat, choose_model
from chatbot.frontends.http_api.chats.live_answer import LiveAnswer
from chatbot.frontends.http_api.chats.streams import all_events, answer_headers, described_stream, stream_response
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.service import PersonName, Service
from chatbot.frontends.http_api.values import ApiModel, CleanJson, shown_with

STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The events; the last one is `answered` or `error`. In the headers Magpie-Chat is the answer's"
        " id, and Magpie-Session the conversation's.",
        "content": described_stream(event_object(AnswerDelta("It leaves at nine [1]."))),
    }
}
chat_router = APIRouter(prefix="/api/chat", tags=["chat"])
ChatId = Annotated[str, Path(description="Of the header Magpie-Chat.", max_length=64, examples=["k3Jx0aZ1bQ9-_w7c"])]


class AttachedText(ApiModel):
    """A text that goes with a question."""

    name: Annotated[str, Field(min_length=1, max_length=300)]
    text: Annotated[str, Field(max_length=5_000_000)]


class ChatRequest(ApiModel):
    """A question."""

    model_config = shown_with(
        {"message": "When does the first ferry leave?"},
        {"message": "And the price?", "session": "261126-bq4fk2x", "resumable": True},
        {"message": "What does it cost?", "attachments": [{"name": "prices.txt", "text": "A ride costs four crowns."}]},
    )
    message: Annotated[
        str, Field(min_length=1, max_length=1_000_000, pattern=r"\S", examples=["When does the ferry go?"])
    ]
    session: Annotated[str, Field(pattern=r"^([A-Za-z0-9_-]{1,64})?$", examples=["", "261126-bq4fk2x"])] = ""
    """The conversation to go on with; empty for a new one."""
    attachments: Annotated[tuple[AttachedText, ...], Field(max_length=20)] = ()
    """Texts of files that go with it."""
    library_only: bool = False
    """Answer from the library alone."""
    model: Annotated[str, Field(max_length=300)] = ""
    """Go on with this model, by a name of /v1/models; empty: with the one that there is."""
    resumable: bool = False
    """Go on with the answer when nobody listens, so that a client that was cut can go on with it."""
    stream: bool = True
    """Send events as they come; false: all of them in one JSON object at the end."""


class ChatState(ApiModel):
    """An answer under way, or ended."""

    id: str
    session: str
    done: bool
    events: int
    """How many there are so far: the id of the last one."""


class ChatEvents(ApiModel):
    """A whole answer."""

    id: str
    session: str
    events: list[dict[str, Any]]
    """As `magpie --json` prints them; the last one is `answered` or `error`."""


@chat_router.post(
    "",
    response_class=StreamingResponse,
    responses={
        200: {
            **STREAMED[200],
            "content": {**STREAMED[200]["content"], "application/json": {"schema": ChatEvents.model_json_schema()}},
        }
    },
)
async def ask_question(asked: ChatRequest, request: Request, service: Service, person: PersonName) -> Response:
    """Ask a question.

    An answer is made for whoever listens: when nobody has for `serve.grace_seconds` (1 s), it is stopped, and what had
    arrived stays in the conversation. With `resumable` it goes on alone for `serve.keep_seconds` (2 minutes).
    """
    attachments = [Attachment(one.name, one.text) for one in asked.attachments]
    question = AskedQuestion(asked.message, attachments, asked.library_only, asked.resumable)

    async def take() -> HeldChat:
        held = await service.chats.take(person, asked.session)
        try:
            await choose_model(held.chat, asked.model)
        except BaseException:
            service.chats.give_back(held)
            raise
        return held

    answer = await service.answering.begin(take, question)
    if asked.stream:
        return stream_response(answer)
    events = await all_events(answer, request)
    told = {"id": answer.id, "session": answer.session, "events": events}
    return CleanJson(told, headers=answer_headers(answer))


@chat_router.get("/{id}")
async def tell_state(id: ChatId, service: Service, person: PersonName) -> ChatState:
    """How far an answer is."""
    answer = service.answering.find(person, id)
    return ChatState(id=id, session=answer.session, done=answer.done, events=len(answer.events))


@chat_router.get("/{id}/events", response_class=StreamingResponse, responses=STREAMED)
async def follow_events(
    id: ChatId,
    service: Service,
    person: PersonName,
    last_event_id: Annotated[str, Header(description="The id of the last event that arrived.")] = "",
    after: Annotated[int, Query(ge=0, description="The same, where the header cannot be sent.")] = 0,
) -> StreamingResponse:
    """Go on with an answer's events, after the last one that arrived, or from the first one on."""
    answer = service.answering.find(person, id)
    return stream_response(answer, _last_number(answer, last_event_id) if last_event_id else after)


@chat_router.delete("/{id}", status_code=204)
async def stop_answer(id: ChatId, service: Service, person: PersonName) -> None:
    """Stop an answer; what had arrived stays in the conversation."""
    service.answering.find(person, id).cancel()


def _last_number(answer: LiveAnswer, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text[:12]) <= len(answer.events)):
        raise ApiRefusal(400, "No event of this answer has that id.", "Leave Last-Event-ID out.", code="no_event")
    return int(text)
