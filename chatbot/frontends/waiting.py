"""What goes on until an answer is printed: one line of a terminal, drawn over itself, that leaves nothing behind."""

import asyncio
import os
import time
from typing import TYPE_CHECKING, Protocol, TextIO

from chatbot.conversation.events import (
    AnswerDelta,
    Answered,
    ContextUsed,
    Progress,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnEvent,
)
from chatbot.frontends.background_work import BackgroundWork, share_done
from chatbot.frontends.library_cli.progress import ProgressLine
from utils.errors import MagpieError
from utils.faults import in_background
from utils.text import one_line

if TYPE_CHECKING:
    from chatbot.trust.consent import Ask, Decision, Request

PATIENCE = 1.0
"""Seconds in which nobody wonders what goes on."""
SPIN_SECONDS = 0.2
_SPINNER_MARKS = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"


class EventOutput(Protocol):
    """Prints the events of one question."""

    unprinted: tuple[type, ...]
    """Events of which it prints nothing."""

    def show_event(self, event: TurnEvent | Progress) -> None:
        """Print an event."""

    def show_failure(self, error: MagpieError) -> None:
        """Print a failure."""


class WaitingOutput:
    """Hands events on to `out`, and between what that prints says on `stream` what goes on, if it is a terminal."""

    def __init__(self, out: EventOutput, stream: TextIO) -> None:
        self._out = out
        self._line = ProgressLine(stream)
        self._terminal = stream.isatty() and os.environ.get("TERM") != "dumb"
        self._said = self._doing = "Starting"
        self._work = BackgroundWork()
        self._began = 0.0
        self._drawn = False
        self._ticker: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to count the seconds, and to say what goes on once they are too many."""
        self._began = time.monotonic()
        if self._terminal:
            self._ticker = in_background(self._tick(), "Showing progress")

    def stop(self) -> None:
        """Say no more of what goes on, and leave nothing of it."""
        if self._ticker is not None:
            self._ticker.cancel()
        self._clear()

    def show(self, event: TurnEvent | Progress) -> None:
        """Take in what an event says, and print it."""
        self._note(event)
        if isinstance(event, Answered):
            self.stop()
        if not isinstance(event, self._out.unprinted):
            self._clear()
        self._out.show_event(event)

    def fail(self, error: MagpieError) -> None:
        """Print a failure, which is the last that is said."""
        self.stop()
        self._out.show_failure(error)

    def quiet_during(self, ask: "Ask") -> "Ask":
        """The same question to the user, below which nothing moves until they have answered."""

        async def asked(request: "Request") -> "Decision":
            self.stop()
            try:
                return await ask(request)
            finally:
                self.start()

        return asked

    def line(self, seconds: float) -> str:
        """What is said of what goes on, after so many seconds."""
        mark = _SPINNER_MARKS[int(seconds / SPIN_SECONDS) % len(_SPINNER_MARKS)]
        return one_line(f"{mark} {int(seconds)} s · {self._said}")

    def _note(self, event: TurnEvent | Progress) -> None:
        match event:
            case Progress():
                self._note_progress(event)
            case ToolStarted(call):
                self._said = self._doing = call.label
            case ContextUsed() | ToolFinished():
                self._said = self._doing = "Reading"
            case ThinkingDelta():
                self._said = self._doing = "Thinking"
            case AnswerDelta():
                self._said = self._doing = "Writing"
            case _:
                pass

    def _note_progress(self, progress: Progress) -> None:
        """Say how far it is; once it is done, what else goes on."""
        self._work.note(progress)
        latest = self._work.latest
        self._said = latest.label + share_done(latest) if latest else self._doing

    async def _tick(self) -> None:
        await asyncio.sleep(PATIENCE)
        while True:
            self._line.show(self.line(time.monotonic() - self._began))
            self._drawn = True
            await asyncio.sleep(SPIN_SECONDS)

    def _clear(self) -> None:
        if self._drawn:
            self._drawn = False
            self._line.clear()
