"""/v1/responses in its simple form: a text or messages in, a cited text out, whole or in pieces."""

import json
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from chatbot.frontends.http_api.chats.live_answer import EventFields, LiveAnswer
from chatbot.frontends.http_api.chats.questions import AskedQuestion
from chatbot.frontends.http_api.chats.streams import EVENT_STREAM, all_events, described_stream
from chatbot.frontends.http_api.errors import ApiRefusal, error_detail
from chatbot.frontends.http_api.openai_form.answers import own_field, url_citations
from chatbot.frontends.http_api.openai_form.asking import begin_stateless
from chatbot.frontends.http_api.openai_form.completions import PARAGRAPH_BREAK
from chatbot.frontends.http_api.openai_form.requests import (
    CompatibleModel,
    HeededOptions,
    SentMessage,
    read_conversation,
)
from chatbot.frontends.http_api.service import PersonName, Service
from chatbot.frontends.http_api.values import CleanJson
from utils.errors import MagpieError
from utils.text import well_formed

SEARCH_TOOL_TYPES = ("web_search", "web_search_preview", "file_search")
"""Tools of OpenAI's own servers that Magpie has by itself."""
RESPONSE_STREAM = described_stream({"type": "response.output_text.delta", "delta": "At nine."}, None)
responses_router = APIRouter(prefix="/v1/responses", tags=["clients of OpenAI's API"])


class ResponseTool(CompatibleModel):
    """A tool."""

    type: Annotated[str, Field(max_length=50)]


class ResponseRequest(HeededOptions):
    """What is asked."""

    input: (
        Annotated[str, Field(min_length=1, max_length=1_000_000, examples=["When does the ferry leave?"])]
        | Annotated[list[SentMessage], Field(min_length=1, max_length=1000)]
    )
    instructions: Annotated[str, Field(max_length=100_000)] | None = None
    max_output_tokens: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    tools: Annotated[list[ResponseTool], Field(max_length=128)] | None = None
    """Those that search are there anyway; functions of yours are not taken here, but by /v1/chat/completions."""
    previous_response_id: Annotated[str, Field(max_length=200)] | None = None

    @property
    def most_tokens(self) -> int | None:
        """Tokens that the reply may have; None: as the settings say."""
        return self.max_output_tokens


class ResponseResult(CompatibleModel):
    """A response."""

    id: str
    object: Literal["response"]
    created_at: int
    status: Literal["completed", "in_progress", "incomplete", "failed"]
    model: str
    output: list[dict[str, Any]]
    usage: dict[str, Any] | None
    magpie: dict[str, Any] | None
    """`sources`: the passages that the answer cites; `denied`: what was not done for want of consent."""


@responses_router.post(
    "",
    response_model=None,
    responses={
        200: {
            "model": ResponseResult,
            "content": RESPONSE_STREAM,
        }
    },
)
async def create_response(asked: ResponseRequest, request: Request, service: Service, person: PersonName) -> Response:
    """An answer, looked up and cited; nothing of it is kept."""
    if asked.previous_response_id:
        problem = "Magpie keeps no responses to go on with."
        raise ApiRefusal(400, problem, "Send what was said before as input.", code="unsupported_value")
    if any(one.type not in SEARCH_TOOL_TYPES for one in asked.tools or ()):
        problem = "Tools of your own are not taken here."
        raise ApiRefusal(400, problem, "Send them to /v1/chat/completions.", code="tools_unsupported")
    sent = [SentMessage(role="user", content=asked.input)] if isinstance(asked.input, str) else asked.input
    conversation = read_conversation(sent, asked.instructions or "")
    question = AskedQuestion(conversation.question)
    answer = await begin_stateless(service, person, asked, conversation, question)
    written = WrittenResponse(answer, asked)
    if asked.stream:
        return StreamingResponse(written.pieces(), media_type=EVENT_STREAM)
    events = await all_events(answer, request)
    if answer.failure is not None:
        raise answer.failure
    return CleanJson(written.whole(events[-1]))


class WrittenResponse:
    """One response of one answer."""

    def __init__(self, answer: LiveAnswer, asked: ResponseRequest) -> None:
        self._answer = answer
        self._asked = asked
        self._item = f"msg_{answer.id}"
        self._created = int(time.time())

    def whole(self, answered: EventFields) -> dict[str, Any]:
        """The response."""
        usage = answered["usage"]
        read, wrote = usage["prompt_tokens"], usage["reply_tokens"]
        tokens = {
            "input_tokens": read,
            "input_tokens_details": {"cached_tokens": usage["cached_tokens"]},
            "output_tokens": wrote,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": read + wrote,
        }
        status = "incomplete" if answered["truncated"] else "completed"
        annotations = [{"type": "url_citation", **citation} for citation in url_citations(answered)]
        part = {"type": "output_text", "text": answered["text"], "annotations": annotations}
        message = {"type": "message", "id": self._item, "role": "assistant", "status": status, "content": [part]}
        return {**self._frame(status), "output": [message], "usage": tokens, "magpie": own_field(answered)}

    async def pieces(self) -> AsyncGenerator[str, None]:
        """The response as server-sent events."""
        number, place = 0, {"item_id": self._item, "output_index": 0, "content_index": 0}

        def sent(kind: str, **fields: Any) -> str:
            nonlocal number
            number += 1
            data = {"type": kind, "sequence_number": number - 1, **fields}
            return f"event: {kind}\ndata: {well_formed(json.dumps(data, ensure_ascii=False))}\n\n"

        yield sent("response.created", response=self._frame("in_progress"))
        async with aclosing(self._answer.follow()) as events:
            async for numbered in events:
                match numbered and numbered[1]["event"]:
                    case None:
                        yield ": still here\n\n"
                    case "answer_delta" | "answer_withdrawn":
                        delta = numbered[1].get("text", PARAGRAPH_BREAK) if numbered else ""
                        yield sent("response.output_text.delta", delta=delta, logprobs=[], **place)
                    case "answered" if numbered:
                        response = self.whole(numbered[1])
                        text = numbered[1]["text"]
                        yield sent("response.output_text.done", text=text, logprobs=[], **place)
                        yield sent("response.completed", response=response)
        if self._answer.failure is not None:
            yield sent("response.failed", response=self._failed_frame(self._answer.failure))

    def _failed_frame(self, failure: MagpieError) -> dict[str, Any]:
        detail = error_detail(failure)
        return {**self._frame("failed"), "error": {"code": "server_error", "message": detail["message"]}}

    def _frame(self, status: str) -> dict[str, Any]:
        return {
            "id": f"resp_{self._answer.id}",
            "object": "response",
            "created_at": self._created,
            "status": status,
            "model": self._asked.model,
            "instructions": self._asked.instructions,
            "output": [],
            "usage": None,
            "magpie": None,
            "error": None,
            "incomplete_details": {"reason": "max_output_tokens"} if status == "incomplete" else None,
            "metadata": {},
            "parallel_tool_calls": True,
            "temperature": self._asked.temperature,
            "top_p": None,
            "tool_choice": "auto",
            "tools": [],
        }
