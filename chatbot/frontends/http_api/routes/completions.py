"""/v1/chat/completions: Magpie as a model that searches, for programs that know OpenAI's API."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from chatbot.frontends.http_api.chats.questions import AskedQuestion
from chatbot.frontends.http_api.chats.streams import EVENT_STREAM, all_events, described_stream
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.openai_form.asking import StatelessWork, begin_stateless
from chatbot.frontends.http_api.openai_form.caller_tools import ReplyWithTools
from chatbot.frontends.http_api.openai_form.completions import Completion
from chatbot.frontends.http_api.openai_form.requests import (
    CompatibleModel,
    HeededOptions,
    SentConversation,
    SentMessage,
    ToolOfCaller,
    read_conversation,
    read_tools,
)
from chatbot.frontends.http_api.service import PersonName, Service
from chatbot.frontends.http_api.values import CleanJson

COMPLETION_STREAM = described_stream({"object": "chat.completion.chunk", "choices": []}, None)
completions_router = APIRouter(prefix="/v1/chat/completions", tags=["clients of OpenAI's API"])


class StreamOptions(CompatibleModel):
    """What a stream has beside the answer."""

    include_usage: bool = False


class CompletionRequest(HeededOptions):
    """A conversation of which the next answer is wanted."""

    messages: Annotated[
        list[SentMessage],
        Field(min_length=1, max_length=1000, examples=[[{"role": "user", "content": "When does the ferry leave?"}]]),
    ]
    stream_options: StreamOptions | None = None
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    max_completion_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    tools: Annotated[list[ToolOfCaller], Field(max_length=128)] | None = None
    """Tools that you carry out. With them the model alone answers: Magpie looks nothing up."""
    tool_choice: Any = None
    """`auto` or `none`."""
    n: Annotated[int, Field(ge=1, le=128)] | None = None
    stop: Any = None
    response_format: dict[str, Any] | None = None

    @property
    def most_tokens(self) -> int | None:
        """Tokens that the reply may have; None: as the settings say."""
        return self.max_completion_tokens or self.max_tokens


class CompletionChoice(CompatibleModel):
    """The answer."""

    index: int
    message: dict[str, Any]
    """With `annotations`: a `url_citation` for each number of a page in the text."""
    finish_reason: Literal["stop", "length", "tool_calls"]
    logprobs: None = None


class CompletionResult(CompatibleModel):
    """A completion."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: dict[str, Any]
    magpie: dict[str, Any]
    """`sources`: the passages that the answer cites; `denied`: what was not done for want of consent."""


@completions_router.post(
    "",
    response_model=None,
    responses={
        200: {
            "model": CompletionResult,
            "content": COMPLETION_STREAM,
        }
    },
)
async def complete_chat(asked: CompletionRequest, request: Request, service: Service, person: PersonName) -> Response:
    """The next answer in a conversation, looked up and cited; nothing of it is kept.

    Nobody is asked for consent: what needs it is not done, and `magpie.denied` says so.
    """
    _refuse_unheeded(asked)
    conversation = read_conversation(asked.messages)
    answer = await begin_stateless(service, person, asked, conversation, _choose_work(asked, conversation))
    completion = Completion(answer, asked.model, list_sources=service.settings.sources_in_text)
    if asked.stream:
        with_usage = bool(asked.stream_options and asked.stream_options.include_usage)
        return StreamingResponse(completion.pieces(with_usage=with_usage), media_type=EVENT_STREAM)
    return CleanJson(completion.whole(await all_events(answer, request)))


def _choose_work(asked: CompletionRequest, conversation: SentConversation) -> StatelessWork:
    if asked.tools and asked.tool_choice != "none":
        if conversation.messages and conversation.messages[-1].is_answer:
            raise ApiRefusal(400, "The last message is an answer.", "Put a question last.", code="no_question")
        return ReplyWithTools(conversation, read_tools(asked.tools))
    return AskedQuestion(conversation.question)


def _refuse_unheeded(asked: CompletionRequest) -> None:
    """Raise `ApiRefusal` for what would change the answer and cannot be heeded; what is dropped silently would."""
    form = (asked.response_format or {}).get("type", "text")
    unheeded = {
        "n": (asked.n or 1) > 1,
        "stop": bool(asked.stop),
        "response_format": form != "text",
        "tool_choice": bool(asked.tools) and asked.tool_choice not in (None, "auto", "none"),
    }
    for name, is_unheeded in unheeded.items():
        if is_unheeded:
            problem = f"Magpie cannot heed this value of {name}."
            raise ApiRefusal(400, problem, f"Leave {name} out.", code="unsupported_value")
