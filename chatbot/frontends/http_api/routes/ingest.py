"""/api/library/ingest and /api/library/files: what is read into the library, as `/rag-index` reads it."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, Response, UploadFile
from fastapi.responses import StreamingResponse
from pydantic import Field, model_validator

from chatbot.conversation.events import Progress
from chatbot.conversation.json_events import event_object, failure_object, versioned_object
from chatbot.engine.chat import Chat
from chatbot.frontends.http_api.chats.live_answer import EventFields
from chatbot.frontends.http_api.chats.streams import EVENT_STREAM, described_stream, sent_event, while_connected
from chatbot.frontends.http_api.service import Desk, OpenLibrary
from chatbot.frontends.http_api.uploads import keep_upload
from chatbot.frontends.http_api.values import ApiModel, CleanJson, shown_with
from chatbot.library.ingest import Ingest
from rag.library import Library
from utils.errors import LibraryError
from utils.faults import record_fault
from utils.text import one_line

ingest_router = APIRouter(prefix="/api/library", tags=["library"])
COLLECTION_NAME = r"^([A-Za-z0-9][A-Za-z0-9._-]{1,100}[A-Za-z0-9])?$"
"""As every index takes it; empty for the usual one."""


class IngestRequest(ApiModel):
    """A page by its address, or a text; one of them."""

    model_config = shown_with(
        {"text": "Herons wait for fish.", "title": "Herons", "collection": "birds"},
        {"url": "https://example.org/report.pdf", "stream": True},
    )
    url: Annotated[
        str, Field(max_length=4096, pattern=r"^(https?://\S+)?$", examples=["https://example.org/a.pdf"])
    ] = ""
    text: Annotated[str, Field(max_length=20_000_000)] = ""
    title: Annotated[str, Field(max_length=200)] = ""
    """Of the text."""
    collection: Annotated[str, Field(pattern=COLLECTION_NAME)] = ""
    """Begun if it is not there yet; empty for the usual one."""
    stream: bool = False
    """Send events as it goes on: `progress`, at the end `indexed` or `error`."""

    @model_validator(mode="after")
    def require_one(self) -> "IngestRequest":
        """Raise `ValueError` unless there is one thing to read."""
        if bool(self.url) == bool(self.text.strip()):
            raise ValueError("give a url or a text")
        return self


class IngestFailure(ApiModel):
    """What could not be read."""

    name: str
    reason: str


class IngestResult(ApiModel):
    """What it came to."""

    documents: int
    """New, or changed."""
    chunks: int
    unchanged: int
    failures: list[IngestFailure]
    warnings: list[str]
    """What to change so that it can be found."""


INGESTED: dict[int | str, dict[str, Any]] = {
    200: {
        "model": IngestResult,
        "description": "What it came to; with `stream` events, of which the last is `indexed` or `error`.",
        "content": described_stream(event_object(Progress("a.md", 1, 4))),
    }
}


@ingest_router.post("/ingest", responses=INGESTED, response_model=None)
async def ingest_source(asked: IngestRequest, request: Request, desk: Desk, library: OpenLibrary) -> Response:
    """Read a page or a text into the library."""
    _require_writable(library)
    if asked.url:
        target = asked.url
    else:
        name = f"{asked.title or one_line(asked.text, 60)}.md"
        target = str(
            await keep_upload(desk.configuration.values.data_folder, name, asked.text.encode(errors="replace"))
        )
    return await _run_ingest(_make_ingest(desk, library, asked.collection), [target], request, stream=asked.stream)


@ingest_router.post("/files", responses=INGESTED, response_model=None)
async def ingest_files(
    request: Request,
    desk: Desk,
    library: OpenLibrary,
    files: Annotated[list[UploadFile], File(description="Of any format that Magpie reads.", max_length=100)],
    collection: Annotated[str, Form(pattern=COLLECTION_NAME)] = "",
    stream: Annotated[bool, Form()] = False,
) -> Response:
    """Read files into the library; all of them together are one body, which has a limit (`serve.max_body_bytes`)."""
    _require_writable(library)
    data = desk.configuration.values.data_folder
    targets = [str(await keep_upload(data, file.filename or "file", await file.read())) for file in files]
    return await _run_ingest(_make_ingest(desk, library, collection), targets, request, stream=stream)


def _require_writable(library: Library) -> None:
    if library.read_only:
        problem = "Nothing can be added: this run is private, or the library only read."
        raise LibraryError(problem, "Start without --private, and set private and rag.read_only to false.")


def _make_ingest(desk: Chat, library: Library, collection: str) -> Ingest:
    return Ingest(library, desk.retrieval.fetcher, collection or desk.configuration.values.rag.collection)


async def _run_ingest(work: Ingest, targets: Sequence[str], request: Request, *, stream: bool) -> Response:
    if stream:
        return StreamingResponse(_ingest_events(work, targets), media_type=EVENT_STREAM)

    async def run_through() -> dict[str, Any]:
        async with aclosing(work.run(targets)) as steps:
            async for _ in steps:
                await asyncio.sleep(0)
        return await _ingest_result(work)

    return CleanJson(await while_connected(request, run_through()))


async def _ingest_events(work: Ingest, targets: Sequence[str]) -> AsyncGenerator[str, None]:
    number, last = 0, EventFields()
    try:
        async with aclosing(work.run(targets)) as steps:
            async for step in steps:
                if isinstance(step, Progress):
                    number += 1
                    yield sent_event(number, event_object(step))
        last = versioned_object("indexed", await _ingest_result(work))
    except Exception as error:  # noqa: BLE001 - told as the last event: the answer has begun
        last = failure_object(record_fault(error, "Indexing"))
    yield sent_event(number + 1, last)


async def _ingest_result(work: Ingest) -> dict[str, Any]:
    summary = work.summary
    advice = await work.language_advice()
    return {
        "documents": summary.documents,
        "chunks": summary.chunks,
        "unchanged": summary.unchanged,
        "failures": [{"name": name, "reason": one_line(reason, 500)} for name, reason in summary.failures],
        "warnings": [advice] if advice else [],
    }
