"""A chat completion: whole, or in pieces as the answer's events come."""

import json
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from chatbot.frontends.http_api.chats.live_answer import EventFields, LiveAnswer
from chatbot.frontends.http_api.errors import error_detail
from chatbot.frontends.http_api.openai_form.answers import (
    finish_reason,
    listed_sources,
    own_field,
    url_citations,
    usage_of,
)
from utils.text import well_formed

CALLER_TOOL = "caller_tool_call"
"""The event of a call that the caller is to carry out."""
PARAGRAPH_BREAK = "\n\n"
"""Stands in a stream behind what turned out to be no answer: what was sent cannot be taken back."""


class Completion:
    """One completion of one answer; `list_sources`: below its text as well."""

    def __init__(self, answer: LiveAnswer, model: str, *, list_sources: bool = False) -> None:
        self._answer = answer
        self._list_sources = list_sources
        self._head = {"id": f"chatcmpl-{answer.id}", "created": int(time.time()), "model": model}

    def whole(self, events: Sequence[EventFields]) -> dict[str, Any]:
        """The completion; raises the `MagpieError` for which there is none."""
        if self._answer.failure is not None:
            raise self._answer.failure
        answered = events[-1]
        calls = [_tool_call(event) for event in events if event["event"] == CALLER_TOOL]
        message: dict[str, Any] = {
            "role": "assistant",
            "content": answered["text"] + self._below(answered) or None,
            "refusal": None,
        }
        if calls:
            message["tool_calls"] = calls
        message["annotations"] = _annotations(answered)
        reason = finish_reason(answered, calls=bool(calls))
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reason}
        told = {**self._head, "object": "chat.completion", "choices": [choice]}
        return {**told, "usage": usage_of(answered), "magpie": own_field(answered)}

    async def pieces(self, *, with_usage: bool) -> AsyncGenerator[str, None]:
        """The completion as server-sent events; a failure in the middle is one of them."""
        yield self._chunk({"role": "assistant", "content": ""})
        calls = 0
        async with aclosing(self._answer.follow()) as events:
            async for numbered in events:
                if numbered is None:
                    yield ": still here\n\n"
                    continue
                for piece in self._pieces_of(numbered[1], calls, with_usage):
                    yield piece
                calls += numbered[1]["event"] == CALLER_TOOL
        if self._answer.failure is not None:
            yield _sent_data({"error": error_detail(self._answer.failure)})
        yield "data: [DONE]\n\n"

    def _pieces_of(self, event: EventFields, calls: int, with_usage: bool) -> list[str]:
        match event["event"]:
            case "answer_delta":
                return [self._chunk({"content": event["text"]})]
            case "thinking_delta":
                return [self._chunk({"reasoning_content": event["text"]})]
            case "answer_withdrawn":
                return [self._chunk({"content": PARAGRAPH_BREAK})]
            case _ if event["event"] == CALLER_TOOL:
                return [self._chunk({"tool_calls": [{"index": calls, **_tool_call(event)}]})]
            case "answered":
                return self._last_pieces(event, calls, with_usage)
            case _:
                return []

    def _last_pieces(self, answered: EventFields, calls: int, with_usage: bool) -> list[str]:
        listed = self._below(answered)
        delta = {"annotations": _annotations(answered)} | ({"content": listed} if listed else {})
        reason = finish_reason(answered, calls=bool(calls))
        last = self._chunk(delta, finish_reason=reason, magpie=own_field(answered))
        if not with_usage:
            return [last]
        chunk = {**self._head, "object": "chat.completion.chunk", "choices": [], "usage": usage_of(answered)}
        return [last, _sent_data(chunk)]

    def _below(self, answered: EventFields) -> str:
        return listed_sources(answered) if self._list_sources else ""

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None, **beside: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return _sent_data({**self._head, "object": "chat.completion.chunk", "choices": [choice], **beside})


def _annotations(answered: EventFields) -> list[dict[str, Any]]:
    return [{"type": "url_citation", "url_citation": citation} for citation in url_citations(answered)]


def _tool_call(event: EventFields) -> dict[str, Any]:
    function = {"name": event["name"], "arguments": json.dumps(event["arguments"], ensure_ascii=False)}
    return {"id": event["id"], "type": "function", "function": function}


def _sent_data(fields: dict[str, Any]) -> str:
    return f"data: {well_formed(json.dumps(fields, ensure_ascii=False))}\n\n"
