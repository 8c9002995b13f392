"""Events on the wire: server-sent events with ids, or all of them in one answer once they are there."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Coroutine
from contextlib import aclosing
from typing import Any, TypeVar

from fastapi import Request
from fastapi.responses import StreamingResponse

from chatbot.frontends.http_api.chats.live_answer import EventFields, LiveAnswer
from chatbot.frontends.http_api.errors import ApiRefusal
from utils.text import json_line

EVENT_STREAM = "text/event-stream"
Outcome = TypeVar("Outcome")
_EVENT_SCHEMA = {
    "type": "object",
    "description": "One server-sent event; `data` is JSON.",
    "properties": {"id": {"type": "string"}, "event": {"type": "string"}, "data": {"type": "string"}},
    "required": ["data"],
}


def described_stream(example: EventFields, number: int | None = 1) -> dict[str, Any]:
    """What the API's document says of a stream, with one of its events."""
    sent = {"data": json_line(example)} | ({"id": str(number), "event": example["event"]} if number else {})
    return {EVENT_STREAM: {"schema": _EVENT_SCHEMA, "example": sent}}


async def sent_events(answer: LiveAnswer, after: int) -> AsyncGenerator[str, None]:
    """An answer's events as server-sent events, from the one after a number on."""
    async with aclosing(answer.follow(after)) as events:
        async for numbered in events:
            yield ": still here\n\n" if numbered is None else sent_event(*numbered)


def sent_event(number: int, fields: EventFields) -> str:
    """One server-sent event: its id, its name, and itself as JSON on one line."""
    return f"id: {number}\nevent: {fields['event']}\ndata: {json_line(fields)}\n\n"


def stream_response(answer: LiveAnswer, after: int = 0) -> StreamingResponse:
    """The answer's events, as they come."""
    return StreamingResponse(sent_events(answer, after), headers=answer_headers(answer), media_type=EVENT_STREAM)


def answer_headers(answer: LiveAnswer) -> dict[str, str]:
    """By what an answer is found again: its id, and the conversation that it belongs to."""
    return {"magpie-chat": answer.id, "magpie-session": answer.session, "x-accel-buffering": "no"}


async def all_events(answer: LiveAnswer, request: Request) -> list[EventFields]:
    """An answer's events, once all are there; raises `ApiRefusal` where the client leaves before."""

    async def gather_events() -> list[EventFields]:
        async with aclosing(answer.follow()) as events:
            return [numbered[1] async for numbered in events if numbered]

    return await while_connected(request, gather_events())


async def while_connected(request: Request, work: Coroutine[Any, Any, Outcome]) -> Outcome:
    """What the work gives; it is cancelled, and `ApiRefusal` raised, where the client leaves before."""
    working = asyncio.create_task(work)
    leaving = asyncio.create_task(_until_left(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ApiRefusal(499, "The client has left.")
        return working.result()
    finally:
        await _end_tasks(working, leaving)


async def _until_left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _end_tasks(*tasks: "asyncio.Task[Any]") -> None:
    for task in tasks:
        task.cancel()
    done: Awaitable[Any] = asyncio.gather(*tasks, return_exceptions=True)
    await done
