import asyncio
import io

import pyte
import pytest

from chatbot.conversation.events import (
    AnswerDelta,
    Answered,
    ContextUsed,
    Notice,
    Progress,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
)
from chatbot.conversation.messages import ToolCall
from chatbot.frontends.oneshot import JsonOutput, TextOutput
from chatbot.frontends.waiting import WaitingOutput
from chatbot.trust.consent import Decision, Request
from utils.errors import MagpieError

CALL = ToolCall("web_search", {"query": "ferry"}, "call_1")
READING = ContextUsed({"question": 3}, 4096)


class Stream(io.StringIO):
    """A stream, of a terminal or not, that tells when a line is drawn over itself."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal
        self.drawn = asyncio.Event()

    def isatty(self) -> bool:
        return self._terminal

    def write(self, text: str) -> int:
        if text.startswith("\r") and not text.endswith("\x1b[K"):
            self.drawn.set()
        return super().write(text)

    def shown(self) -> list[str]:
        """The lines that a terminal shows."""
        screen = pyte.Screen(80, 12)
        pyte.Stream(screen).feed(self.getvalue().replace("\n", "\r\n"))
        return [line.rstrip() for line in screen.display if line.strip()]


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")


async def test_what_goes_on_is_said_on_a_terminal_and_leaves_nothing_behind() -> None:
    stream = Stream(True)
    waiting = WaitingOutput(TextOutput(stream, stream), stream)
    waiting.start()
    for event in (ToolStarted(CALL), AnswerDelta("Ni"), Notice("Careful.")):
        waiting.show(event)
        stream.drawn.clear()
        await stream.drawn.wait()
    assert stream.shown()[-1].endswith(" s · Writing")
    waiting.show(Answered("Nine."))
    waiting.stop()
    assert stream.shown() == ["web_search ferry", "Careful.", "Nine."]


async def test_a_failure_leaves_nothing_of_it_behind() -> None:
    stream = Stream(True)
    waiting = WaitingOutput(JsonOutput(stream), stream)
    waiting.start()
    await stream.drawn.wait()
    waiting.fail(MagpieError("No model.", "Install one."))
    assert stream.shown() == ['{"v": 1, "event": "error", "problem": "No model.", "remedy": "Install one."}']


async def test_nothing_moves_while_the_user_is_asked() -> None:
    stream = Stream(True)
    waiting = WaitingOutput(TextOutput(stream, stream), stream)

    async def ask(request: Request) -> Decision:
        assert stream.shown() == []
        stream.write("Allow it?\n")
        return "once"

    waiting.start()
    await stream.drawn.wait()
    request = Request("fetch_url_content", "https://a.example", "a page named it", "a.example")
    assert await waiting.quiet_during(ask)(request) == "once"
    stream.drawn.clear()
    await stream.drawn.wait()
    waiting.stop()
    assert stream.shown() == ["Allow it?"]


@pytest.mark.parametrize("terminal", ["dumb", "xterm"])
async def test_where_nothing_can_be_drawn_over_nothing_is(terminal: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", terminal)
    stream = Stream(terminal == "dumb")
    waiting = WaitingOutput(TextOutput(stream, stream), stream)
    before = asyncio.all_tasks()
    waiting.start()
    assert asyncio.all_tasks() == before
    waiting.show(Progress("Loading the model", 0, 1))
    waiting.show(Answered("Nine."))
    waiting.stop()
    assert stream.getvalue() == "Nine.\n"


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([], "Starting"),
        ([Progress("Loading the model", 0, 1)], "Loading the model"),
        ([Progress("Loading the model", 0, 1), Progress("Reading", 1, 4)], "Reading 25%"),
        ([Progress("Loading the model", 0, 1), Progress("Reading", 4, 4)], "Loading the model"),
        ([Progress("Loading the model", 0, 1), READING], "Reading"),
        ([Progress("Loading the model", 0, 1), READING, Progress("Loading the model", 1, 1)], "Reading"),
        ([READING, ThinkingDelta("Hm")], "Thinking"),
        ([READING, AnswerDelta("At")], "Writing"),
        ([READING, ToolStarted(CALL)], "web_search"),
        ([READING, ToolStarted(CALL), ToolFinished(CALL, True, "Found.", 1.0)], "Reading"),
    ],
)
def test_the_line_says_what_was_last_heard_of(events: list[TurnEvent], said: str) -> None:
    waiting = WaitingOutput(JsonOutput(io.StringIO()), io.StringIO())
    for event in events:
        waiting.show(event)
    assert waiting.line(3.0).endswith(f" 3 s · {said}")
