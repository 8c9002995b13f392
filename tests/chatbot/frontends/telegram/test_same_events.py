"""A face holds no logic: the same conversation has the same events in Telegram as in a shell."""

import asyncio
import io
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.events import Answered, Event, Progress
from chatbot.engine.chat import Chat
from chatbot.frontends.oneshot import OneShotQuestion, show_answer
from chatbot.frontends.telegram.bot import TelegramBot
from chatbot.frontends.telegram.chat import BotParts
from chatbot.frontends.telegram.command import read_endpoint, read_token
from chatbot.frontends.telegram.connection.client import BotClient
from chatbot.frontends.telegram.connection.inbox import Inbox
from chatbot.frontends.telegram.messages.sender import Sender
from chatbot.frontends.telegram.messages.view import TurnView
from chatbot.frontends.waiting import WaitingOutput
from chatbot.models.base import Thinking
from rag.documents import Passage
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.telegram import FakeTelegram
from tests.fakes.telegram_bot import ScriptedEngine, configure, person, same_events
from tools.base import ToolContext, ToolResult, tool
from utils.errors import MagpieError, ToolError

QUESTIONS = ("When does the ferry leave?", "Can you tell me whether my password is safe?", "And the last one back?")


def replies() -> list[list[Any]]:
    """What the model says to the three: it looks up, thinks, is refused a search, fails a call, cites wrongly."""
    return [
        [*calls(("look_up", {"query": "ferry"}), text="I look. ")],
        [Thinking("It says nine."), *says("It leaves ", "at nine [1], ", "or at ten [9].")],
        # One after the other: of calls of one round that which asks nobody is done first.
        calls(("web_search", {"query": "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"})),
        calls(("look_up", {"query": "fails"})),
        says("I could not look that up."),
        says("At **ten**.\n\n```\ncode\n```"),
    ]


async def look_up(context: ToolContext, query: str) -> ToolResult:
    """Look something up.

    Args:
        query: What to look for.
    """
    context.report("page 1 of 1")
    if query == "fails":
        raise ToolError("nothing is there")
    return ToolResult("Found:", (Passage("It leaves at nine.", "https://ferries.example/", "Times", "web"),))


def give_tool(chat: Chat) -> None:
    chat.agent.toolbox.add_tools([tool(look_up)])


class Recorded:
    """Events as they were shown."""

    unprinted: tuple[type, ...] = ()

    def __init__(self) -> None:
        self.events: list[Any] = []

    def show_event(self, event: Event) -> None:
        # How far the models are loaded is no part of the conversation.
        if not isinstance(event, Progress):
            self.events.append(event)

    def show_failure(self, error: MagpieError) -> None:
        raise error

    async def has_answers(self, count: int) -> None:
        """Wait for so many answers: the last of their events may change nothing that is to be seen."""
        async with asyncio.timeout(20):
            while sum(isinstance(one, Answered) for one in self.events) < count:
                await asyncio.sleep(0.01)


class Keyboard(io.StringIO):
    """A terminal on which nothing is typed."""

    def isatty(self) -> bool:
        return True


async def in_a_shell(server: FakeTelegram, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The events of the conversation in the one-shot front end, a run for each question."""
    monkeypatch.setattr("sys.stdin", Keyboard())
    model, seen = ScriptedModel(replies()), Recorded()
    for number, question in enumerate(QUESTIONS):
        engine = ScriptedEngine(configure(folder, server), {"": model})
        engine.prepare = give_tool
        out = WaitingOutput(seen, io.StringIO())
        await show_answer(engine, OneShotQuestion(question, resume="last" if number else ""), out)
    return same_events(seen.events)


async def in_telegram(server: FakeTelegram, folder: Path) -> list[Any]:
    """Those of the same conversation in Telegram, where the bot is started anew for each question."""
    model, seen = ScriptedModel(replies()), Recorded()

    class RecordingView(TurnView):
        def show_event(self, event: Event) -> None:
            seen.show_event(event)
            super().show_event(event)

    for answers, question in enumerate(QUESTIONS):
        engine = ScriptedEngine(configure(folder, server), {person(): model})
        engine.prepare = give_tool
        settings = engine.configuration.values.telegram
        async with engine:
            client = BotClient(read_token(settings), read_endpoint(settings), await engine.network(), 1000)
            parts = BotParts(engine, client, Sender(client), Inbox(None), RecordingView)
            serving = asyncio.create_task(TelegramBot(parts, await client.who_am_i(), lambda said: None).serve())
            await server.say(question)
            if "password" in question:
                await server.press(await server.shows("Magpie would search"), "No")
            await seen.has_answers(answers + 1)
            serving.cancel()
            await asyncio.wait({serving})
            await client.close()
    return same_events(seen.events)


async def test_the_same_conversation_has_the_same_events(
    server: FakeTelegram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "shell").mkdir()
    (tmp_path / "telegram").mkdir()
    expected = await in_a_shell(server, tmp_path / "shell", monkeypatch)
    shown = await in_telegram(server, tmp_path / "telegram")
    assert sum(isinstance(one, Answered) for one in expected) == 3 and len(expected) > 25
    assert shown == expected
