"""Draws events: one match over all of them, and no decision about anything but looks."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import assert_never

from rich.console import RenderableType
from rich.text import Text

from chatbot.conversation.events import (
    AnswerDelta,
    Answered,
    AnswerWithdrawn,
    Asked,
    BrowseHistory,
    Chart,
    Cleared,
    ContextUsed,
    CopyText,
    EditText,
    Event,
    Listing,
    MarkdownText,
    Notice,
    Progress,
    Quit,
    Quoted,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    Wish,
)
from chatbot.conversation.messages import ToolCall
from chatbot.frontends.terminal.drawing.charts import chart_lines
from chatbot.frontends.terminal.drawing.endings import ending_blocks
from chatbot.frontends.terminal.drawing.footer import running_line as status_line
from chatbot.frontends.terminal.drawing.footer import waiting_line
from chatbot.frontends.terminal.drawing.lines import greeting_table, notice_line, question_line, quote_line
from chatbot.frontends.terminal.drawing.screen import Screen
from chatbot.frontends.terminal.drawing.status import Status
from chatbot.frontends.terminal.drawing.streams import Kind, Stream
from chatbot.frontends.terminal.drawing.tables import listing_table, progress_line
from chatbot.frontends.terminal.drawing.toollines import finished_line, running_line
from chatbot.frontends.terminal.typing.clipboard import copy_text
from chatbot.settings import ViewSettings
from utils.errors import MagpieError
from utils.text import clean

DRAW_SECONDS = 0.08
_SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_BELL = "\a"
_LEVELS = {"info": "dim", "warning": "yellow", "error": "red"}
# Pieces of one kind stand directly below each other; anything else is set off by an empty line.
_CLOSE = {"tool", "plain", "thinking", "notice"}


class View:
    """The screen of one chat."""

    def __init__(self, screen: Screen, status: Status, settings: Callable[[], ViewSettings]) -> None:
        self.leaving = False
        """Whether the user asked to leave."""
        self.drafted = ""
        """What the prompt is to begin with."""
        self.browsing: str | None = None
        """The words with which the user wants to look through the kept conversations."""
        self._screen = screen
        self._status = status
        self._settings = settings
        self._stream: Stream | None = None
        self._calls: dict[str, tuple[ToolCall, str]] = {}
        self._progress: Progress | None = None
        self._typing: RenderableType | None = None
        self._last = ""
        self._quote: Quoted | None = None
        self._began = 0.0
        self._held: list[Event] | None = None
        """What came while the user is asked something; None: nothing is asked."""

    @asynccontextmanager
    async def keep_live(self) -> AsyncIterator[None]:
        """Keep the live lines moving while events arrive; afterwards nothing is live."""
        self._began = time.monotonic()
        self._last = "prompt"
        ticker = asyncio.create_task(self._redraw_live())
        try:
            yield
        finally:
            ticker.cancel()
            try:
                self._end_stream()
                with suppress(asyncio.CancelledError):
                    await ticker
            finally:
                self._stream, self._progress, self._typing, self._quote = None, None, None, None
                self._calls.clear()
                self._screen.clear()

    def show_event(self, event: Event) -> None:
        """Draw an event; while the user is asked something, afterwards."""
        if self._held is None:
            self._draw_event(event)
        else:
            self._held.append(event)

    def _draw_event(self, event: Event) -> None:
        match event:
            case AnswerDelta(text):
                self._quote = None
                self._add_text("answer" if self._settings().markdown else "plain", text)
            case ThinkingDelta(text):
                if self._settings().show_thinking:
                    self._add_text("thinking", text)
            case AnswerWithdrawn():
                self._end_stream()
            case ToolStarted() | ToolProgress() | ToolFinished():
                self._show_call(event)
            case ContextUsed() | Quoted():
                self._keep_state(event)
            case Answered():
                self._show_end(event)
            case _:
                self._show_result(event)

    def _keep_state(self, event: ContextUsed | Quoted) -> None:
        """Take in what the live lines show."""
        if isinstance(event, ContextUsed):
            self._status.context = event
        else:
            self._quote = event

    def _show_result(self, event: Asked | Notice | Listing | Chart | MarkdownText | Progress | Wish) -> None:
        """Draw what a command gives."""
        match event:
            case Asked(text):
                self._end_stream()
                self._print_block("question", question_line(text))
            case Notice(text, level):
                self._end_stream()
                links = self._screen.console.color_system is not None
                self._print_block("notice", notice_line(text, _LEVELS[level], links=links))
            case Listing() | Chart():
                width = self._screen.console.width
                lines = listing_table(event, width) if isinstance(event, Listing) else chart_lines(event, width)
                self._print_block("listing", *lines)
            case MarkdownText(markdown):
                self._add_text("answer", markdown)
                self._end_stream()
            case Progress():
                self._progress = event if event.done != event.total else None
            case _:
                self._grant_wish(event)

    def _grant_wish(self, wish: Wish) -> None:
        """Do what a command asks for."""
        match wish:
            case CopyText(text):
                self.show_event(copy_text(text, self._screen))
            case EditText(text):
                self.drafted = text
            case BrowseHistory(listing, words) if self._screen.animated:
                self.browsing = words
            case BrowseHistory(listing):
                self.show_event(listing)
            case Cleared():
                self._screen.wipe_screen()
                self._last = ""
            case Quit():
                self.leaving = True
            case _:
                assert_never(wish)

    def show_failure(self, error: MagpieError) -> None:
        """Say what went wrong and what can be done about it."""
        self._end_stream()
        line = Text(overflow="fold").append(clean(error.problem), "red")
        self._print_block("notice", line.append(f" {clean(error.remedy)}") if error.remedy else line)

    def greet(self, rows: Sequence[tuple[str, str]]) -> None:
        """Print what the chat begins with, see `greeting_table`."""
        self._end_stream()
        self._print_block("notice", greeting_table(rows))

    @contextmanager
    def hold_still(self) -> Iterator[None]:
        """Let nothing move but what the user answers, and call them once if they want that."""
        began = time.monotonic()
        self._held = []
        if self._settings().bell:
            self._screen.send_control(_BELL)
        try:
            yield
        finally:
            # What the user takes to answer is no time of the turn's.
            self._began += time.monotonic() - began
            held, self._held = self._held, None
            for event in held:
                self.show_event(event)

    def show_question(self, block: RenderableType) -> None:
        """Print what the user is asked in the middle of a turn."""
        self._end_stream()
        self._print_block("consent", block)

    def show_answer(self, line: RenderableType) -> None:
        """Print what the user decided, below what was asked."""
        self._screen.print(line)

    def show_typing(self, line: RenderableType | None) -> None:
        """Show what is being typed as an answer; None: nothing is."""
        self._typing = line
        self._screen.draw(self._live_lines())

    def before_prompt(self) -> None:
        """Set off what the user types next from what was printed, if anything was."""
        self._end_stream()
        if self._last != "prompt":
            self._screen.print(Text(""))
        self._last = ""

    def _show_call(self, event: ToolStarted | ToolProgress | ToolFinished) -> None:
        self._end_stream()
        match event:
            case ToolStarted(call):
                self._calls[call.id] = (call, "")
            case ToolProgress(call, text):
                self._calls[call.id] = (call, text)
            case ToolFinished(call):
                self._calls.pop(call.id, None)
                self._print_block("tool", finished_line(event, verbose=self._settings().verbose))
            case _:
                assert_never(event)

    def _show_end(self, event: Answered) -> None:
        self._end_stream()
        console = self._screen.console
        links = console.color_system is not None
        for kind, block in ending_blocks(event, self._status.context, console.width, links=links):
            self._print_block(kind, *block)

    def _add_text(self, kind: Kind, text: str) -> None:
        if self._stream is None or self._stream.kind != kind:
            self._end_stream()
            self._stream = Stream(kind)
        for block in self._stream.feed(text):
            self._print_block(kind, block)

    def _end_stream(self) -> None:
        if self._stream is not None:
            stream, self._stream = self._stream, None
            for block in stream.finish():
                self._print_block(stream.kind, block)

    def _print_block(self, kind: str, *renderables: RenderableType) -> None:
        blank = [Text("")] if self._gap_before(kind) else []
        self._screen.print(*blank, *renderables)
        self._last = kind

    def _gap_before(self, kind: str) -> bool:
        return bool(self._last) and not (kind == self._last and kind in _CLOSE)

    async def _redraw_live(self) -> None:
        """Draw the live lines again and again, never for more than a fifth of the time."""
        while True:
            began = time.monotonic()
            self._screen.draw(self._live_lines())
            await asyncio.sleep(max(DRAW_SECONDS, 4 * (time.monotonic() - began)))

    def _live_lines(self) -> list[RenderableType]:
        if self._held is not None:
            typed = [] if self._typing is None else [self._typing]
            return [*typed, Text(""), waiting_line(self._status)]
        mark = _SPINNER[int(time.monotonic() / DRAW_SECONDS) % len(_SPINNER)]
        lines: list[RenderableType] = []
        if self._stream is not None and (preview := self._stream.preview_lines()):
            lines += [Text("")] if self._gap_before(self._stream.kind) else []
            for index, block in enumerate(preview):
                lines += [Text(""), block] if index else [block]
        if self._quote is not None:
            lines += [Text(""), quote_line(self._quote)]
        if self._calls:
            lines += [Text("")] if self._gap_before("tool") else []
            lines += [running_line(call, text, mark) for call, text in self._calls.values()]
        under_way = [progress for progress in (self._progress, self._status.work.latest) if progress is not None]
        if under_way:
            lines += [Text(""), *(progress_line(progress, mark) for progress in under_way)]
        seconds = int(time.monotonic() - self._began)
        return [*lines, Text(""), status_line(self._status, mark, seconds, self._screen.console.width)]
