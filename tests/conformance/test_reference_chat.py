"""The reference servers of the protocol in a chat with the real model, over every transport that they offer."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from chatbot.config import load_configuration
from chatbot.conversation.events import Answered, ToolFinished
from chatbot.mcp.servers import approve_server
from chatbot.trust.consent import Decision, Request
from tests.conformance.test_reference_servers import everything
from tests.fakes.node import EVERYTHING, FILESYSTEM, NODE, needs
from tests.fakes.site_app import RunningChat, running_chat


@needs(EVERYTHING)
@needs(FILESYSTEM)
@pytest.mark.model
@pytest.mark.timeout(900)
async def test_the_embedded_model_uses_them_in_a_real_chat(prepared_dir: Path) -> None:
    folder = prepared_dir / "files"
    folder.mkdir()
    (folder / "ferry.txt").write_text("The ferry to Skagen leaves at nine from pier four.")
    files = {"command": str(NODE), "args": [str(FILESYSTEM), str(folder)], "cwd": str(folder)}
    program = {"command": str(NODE), "args": [str(EVERYTHING), "stdio"]}
    async with everything("http") as streamed, everything("sse") as older:
        others = {"streamed": {"type": "http", "url": streamed.url}, "older": {"type": "sse", "url": older.url}}
        servers = {"files": files, "program": program, **others}
        (prepared_dir / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
        async with embedded_chat(prepared_dir, "files", "program") as (app, consents):
            told = await app_answers(app, "Read the text file ferry.txt: when does the ferry leave?")
            assert told == ("The ferry to Skagen leaves at nine from pier four.", True)
            # The three have the same tools: one that is switched off gives way to the next.
            for kind in ("program", *others):
                app.chat.agent.clear()
                told = await app_answers(app, "What is the sum of the two numbers 19 and 23?")
                assert told == ("The sum of 19 and 23 is 42.", True)
                await app.chat.remote.shared.disable(kind)
            sums = [f"{kind}.get-sum" for kind in ("program", *others)]
            assert [request.tool for request in consents] == ["files.read_text_file", *sums]


@asynccontextmanager
async def embedded_chat(data: Path, *approved: str) -> AsyncIterator[tuple[RunningChat, list[Request]]]:
    """A chat with the 0.5B whose user agrees to each call; what they were asked."""
    (data / "config.json").write_text("{}")
    settings: dict[str, Any] = {"backend": "embedded", "embedded.size": "0.5b", "context_window": 4096}
    settings |= {"data_dir": str(data), "temperature": 0, "seed": 1, "search.engines": [], "search.news_engines": []}
    configuration = load_configuration(data / "config.json", settings, {})
    for name in approved:
        approve_server(configuration, name)
    asked: list[Request] = []

    async def agree(request: Request) -> Decision:
        asked.append(request)
        return "once"

    async with running_chat(configuration, agree) as app:
        await app.chat.remote.settled()
        yield app, asked


async def app_answers(app: RunningChat, question: str) -> tuple[str, bool]:
    """What the one call brought, and whether the answer was written from it: no question holds these words."""
    events = [event async for event in app.chat.agent.ask(question)]
    [call] = [event for event in events if isinstance(event, ToolFinished)]
    [answer] = [event for event in events if isinstance(event, Answered)]
    assert call.ok
    return call.text, any(word in answer.text for word in ("nine", "42"))
