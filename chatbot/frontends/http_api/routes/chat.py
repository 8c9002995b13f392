"""/api/chat: a question is asked, its answer's events come as they are made, and can be heard again from any on."""

from base64 import b64decode
from typing import Annotated, Any

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field, model_validator

from chatbot.conversation.events import AnswerDelta
from chatbot.conversation.json_events import event_object
from chatbot.conversation.messages import Attachment
from chatbot.frontends.http_api.chats.answering import AnswerWork
from chatbot.frontends.http_api.chats.choices import choose_model, choose_profile, choose_tools
from chatbot.frontends.http_api.chats.held_chats import HeldChat
from chatbot.frontends.http_api.chats.live_answer import LiveAnswer
from chatbot.frontends.http_api.chats.questions import AskedAgain, AskedQuestion
from chatbot.frontends.http_api.chats.sent_files import FileContent
from chatbot.frontends.http_api.chats.streams import all_events, answer_headers, described_stream, stream_response
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.service import ApiService, PersonName, Service
from chatbot.frontends.http_api.values import SESSION_ID, ApiModel, CleanJson, shown_with

STREAMED: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The events; the last one is `answered` or `error`. In the headers Magpie-Chat is the answer's"
        " id, and Magpie-Session the conversation's.",
        "content": described_stream(event_object(AnswerDelta("It leaves at nine [1]."))),
    }
}
BASE64 = r"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
chat_router = APIRouter(prefix="/api/chat", tags=["chat"])
ChatId = Annotated[str, Path(description="Of the header Magpie-Chat.", max_length=64, examples=["k3Jx0aZ1bQ9-_w7c"])]


class AttachedFile(ApiModel):
    """What goes with a question: a text, or a file that is read as `@file` is in a terminal."""

    name: Annotated[str, Field(min_length=1, max_length=300, examples=["prices.txt"])]
    """How a file is read, its name says."""
    text: Annotated[str, Field(max_length=5_000_000)] = ""
    content: Annotated[str, Field(pattern=BASE64)] = ""
    """A file's bytes in base64, in the place of a text: of any format that Magpie reads. Nothing of it is kept."""

    @model_validator(mode="after")
    def require_one(self) -> "AttachedFile":
        """Raise `ValueError` for both."""
        if self.text and self.content:
            raise ValueError("give a text or a content")
        return self

    @property
    def value(self) -> Attachment | FileContent:
        """It as the chat takes it."""
        return FileContent(self.name, b64decode(self.content)) if self.content else Attachment(self.name, self.text)


class AnswerWishes(ApiModel):
    """How an answer is made, and sent."""

    library_only: bool = False
    """Answer from the library alone."""
    model: Annotated[str, Field(max_length=300)] = ""
    """Go on with this model, by a name of /v1/models; `magpie`: with the usual one; empty: as before."""
    profile: Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9_-]{0,63})?$", examples=["", "researcher"])] = ""
    """Go on with this profile, by a name of /api/profiles; empty: as before."""
    tools_off: Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=200)] | None = None
    """Go on without these tools, by names of /api/tools, and with all others; null: as before."""
    resumable: bool = False
    """Go on with the answer when nobody listens, so that a client that was cut can go on with it."""
    stream: bool = True
    """Send events as they come; false: all of them in one JSON object at the end."""


class ChatRequest(AnswerWishes):
    """A question."""

    model_config = shown_with(
        {"message": "When does the first ferry leave?"},
        {"message": "And the price?", "session": "261126-bq4fk2x", "resumable": True},
        {"message": "Compare the two.", "profile": "researcher"},
        {"message": "What do you know of ferries?", "tools_off": ["web_search"]},
        {"message": "What does it cost?", "attachments": [{"name": "prices.txt", "text": "A ride costs four crowns."}]},
        {"message": "What is in it?", "attachments": [{"name": "a.csv", "content": "ZGF5LGZpcnN0Ck1vbiw5OjAwCg=="}]},
    )
    message: Annotated[
        str, Field(min_length=1, max_length=1_000_000, pattern=r"\S", examples=["When does the ferry go?"])
    ]
    session: Annotated[str, Field(pattern=r"^([A-Za-z0-9_-]{1,64})?$", examples=["", "261126-bq4fk2x"])] = ""
    """The conversation to go on with; empty for a new one."""
    attachments: Annotated[tuple[AttachedFile, ...], Field(max_length=20)] = ()
    """Texts and files that go with it."""


class AgainRequest(AnswerWishes):
    """The last question of a conversation, to be answered again."""

    model_config = shown_with({"session": "261126-bq4fk2x"}, {"session": "261126-bq4fk2x", "model": "openai:gpt-5"})
    session: Annotated[str, Field(pattern=SESSION_ID, examples=["261126-bq4fk2x"])]


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


ANSWERED: dict[int | str, dict[str, Any]] = {
    200: {
        **STREAMED[200],
        "content": {**STREAMED[200]["content"], "application/json": {"schema": ChatEvents.model_json_schema()}},
    }
}


@chat_router.post("", response_class=StreamingResponse, responses=ANSWERED)
async def ask_question(asked: ChatRequest, request: Request, service: Service, person: PersonName) -> Response:
    """Ask a question.

    An answer is made for whoever listens: when nobody has for `serve.grace_seconds` (1 s), it is stopped, and what had
    arrived stays in the conversation. With `resumable` it goes on alone for `serve.keep_seconds` (2 minutes).
    """
    attachments = [one.value for one in asked.attachments]
    question = AskedQuestion(asked.message, attachments, asked.library_only, asked.resumable)
    return await _begin_answer(question, asked, asked.session, request, service, person)


@chat_router.post("/again", response_class=StreamingResponse, responses=ANSWERED)
async def ask_again(asked: AgainRequest, request: Request, service: Service, person: PersonName) -> Response:
    """Ask the last question of a conversation again, with what went with it, in the place of its answer."""
    question = AskedAgain(asked.library_only, asked.resumable)
    return await _begin_answer(question, asked, asked.session, request, service, person)


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


async def _begin_answer(
    question: AnswerWork, wishes: AnswerWishes, session: str, request: Request, service: ApiService, person: str
) -> Response:
    async def take() -> HeldChat:
        held = await service.chats.take(person, session)
        try:
            await choose_profile(held, wishes.profile)
            await choose_model(held, wishes.model)
            await choose_tools(held, wishes.tools_off)
        except BaseException:
            service.chats.give_back(held)
            raise
        return held

    answer = await service.answering.begin(take, question)
    if wishes.stream:
        return stream_response(answer)
    events = await all_events(answer, request)
    told = {"id": answer.id, "session": answer.session, "events": events}
    return CleanJson(told, headers=answer_headers(answer))


def _last_number(answer: LiveAnswer, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and int(text[:12]) <= len(answer.events)):
        raise ApiRefusal(400, "No event of this answer has that id.", "Leave Last-Event-ID out.", code="no_event")
    return int(text)
