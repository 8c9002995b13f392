"""The prompt: history, completion, several lines, the user's editor."""

import asyncio
import logging
import os
from collections.abc import Callable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application.run_in_terminal import run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.styles import Style

from chatbot.frontends.terminal.drawing.status import Status
from chatbot.frontends.terminal.typing.completion import ChatCompleter, wants_completion
from chatbot.frontends.terminal.typing.dropped import as_mentions, doubtful_mentions
from chatbot.frontends.terminal.typing.folding import folding_control
from chatbot.frontends.terminal.typing.keyboard import printing
from chatbot.frontends.terminal.typing.pasted import Pasted
from chatbot.frontends.terminal.typing.wrapping import WordWrap
from utils.files import open_regular
from utils.paths import private_dir

log = logging.getLogger(__name__)

BROWSE = "/history"
"""What Ctrl-] sends."""
HISTORY_FILE = "prompt_history"
_PROMPT = "› "
KEPT_HINT = "What you pasted is kept: the arrow up brings it back."
LEAVE_HINT = "To leave, press Ctrl-D or type /quit."
_MENU_LINES = 6
_PROMPT_STYLE = Style.from_dict(
    {
        "prompt": "bold ansicyan",
        "bottom-toolbar": "noreverse",
        "status": "dim",
        "pasted": "dim",
        "completion-menu": "bg:default fg:default",
        "completion-menu.completion.current": "reverse",
        "completion-menu.meta.completion": "bg:default fg:default dim",
        "completion-menu.meta.completion.current": "bg:default fg:default",
        "scrollbar.background": "bg:default",
        "scrollbar.button": "bg:ansigray",
    }
)


class InputPrompt:
    """Reads what the user types."""

    def __init__(self, data_folder: Path | None, status: Status, first_shown: Callable[[], None]) -> None:
        self._status = status
        self.completer = ChatCompleter()
        self.pasted = Pasted()
        self._session: PromptSession[str] = PromptSession(
            history=_open_history(data_folder),
            completer=self.completer,
            complete_in_thread=True,
            complete_while_typing=Condition(self._is_completing),
            reserve_space_for_menu=_MENU_LINES,
            multiline=True,
            key_bindings=self._key_bindings(),
            style=_PROMPT_STYLE,
            bottom_toolbar=lambda: FormattedText(status.toolbar_line()),
            prompt_continuation=" " * len(_PROMPT),
            input_processors=[WordWrap(len(_PROMPT))],
            tempfile_suffix=".md",
        )
        self._typed = folding_control(self._session.layout.current_window, self.pasted.long_parts)
        self._has_pasted = False
        """Whether anything of what is being typed was pasted."""
        self._session.app.after_render += _run_once(first_shown)
        self._put_aside = Document()
        self._free = asyncio.Lock()

    async def read_input(self, begin_with: str = "") -> str:
        """One input, of one or more lines; raises EOFError when the user leaves."""
        default = begin_with or self._put_aside
        if not begin_with:
            self._put_aside = Document()
        self._session.app.erase_when_done = False
        self._typed.opened = False
        text = await self._session.prompt_async([("class:prompt", _PROMPT)], default=default)
        self._status.hint = ""
        # What is put aside for the history is still what is being typed.
        self._has_pasted = self._has_pasted and bool(self._put_aside.text)
        return text

    def redraw_status(self) -> None:
        """Draw the status line again."""
        self._session.app.invalidate()

    async def run_above(self, show: Callable[[], None]) -> None:
        """Run what prints, above what is being typed; while something else has the screen, afterwards."""
        async with self._free:
            with printing():
                await run_in_terminal(show)

    def screen_lock(self) -> asyncio.Lock:
        """To be held while something else has the screen."""
        return self._free

    def _is_completing(self) -> bool:
        return wants_completion(self._session.default_buffer.document.text_before_cursor)

    def _key_bindings(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add(Keys.Enter)
        def send_input(event: KeyPressEvent) -> None:
            event.current_buffer.validate_and_handle()

        @keys.add(Keys.Escape, Keys.Enter)
        def break_line(event: KeyPressEvent) -> None:
            event.current_buffer.newline(copy_margin=False)

        @keys.add(Keys.BracketedPaste)
        def paste_text(event: KeyPressEvent) -> None:
            self._insert_pasted(event.current_buffer, event.data.replace("\r\n", "\n").replace("\r", "\n"))

        @keys.add(Keys.ControlX, Keys.ControlE)
        def edit_input(event: KeyPressEvent) -> None:
            event.current_buffer.open_in_editor()

        @keys.add(Keys.ControlC)
        def clear_input(event: KeyPressEvent) -> None:
            self._clear(event.current_buffer)

        # At once: another binding would wait for a second key.
        @keys.add(Keys.ControlSquareClose, eager=True)
        def browse_history(event: KeyPressEvent) -> None:
            """Look through the kept conversations; what was typed is there again afterwards."""
            self._put_aside = event.current_buffer.document
            event.app.erase_when_done = True
            event.app.exit(result=BROWSE)

        self._add_fold_keys(keys)
        return keys

    def _add_fold_keys(self, keys: KeyBindings) -> None:
        @keys.add(Keys.ControlO, filter=Condition(self._has_folds))
        def open_folds(event: KeyPressEvent) -> None:
            self._typed.opened = not self._typed.opened

        @keys.add(Keys.Up, filter=Condition(lambda: self._at_edge(0)))
        def go_back(event: KeyPressEvent) -> None:
            event.current_buffer.history_backward()

        @keys.add(Keys.Down, filter=Condition(lambda: self._at_edge(-1)))
        def go_forward(event: KeyPressEvent) -> None:
            event.current_buffer.history_forward()

    def _insert_pasted(self, typed: Buffer, text: str) -> None:
        """Take in what was pasted; a file that was dropped is shown as what attaches it."""
        self.pasted.note_pasted(text)
        self.pasted.note_pasted(doubtful_mentions(text))
        self._has_pasted = True
        before = typed.document
        typed.insert_text(text)
        if mentions := as_mentions(text, before.text_before_cursor, before.text_after_cursor):
            # Ctrl-_, which takes back the last change, brings back the path as it was pasted.
            typed.save_to_undo_stack()
            typed.document = before
            typed.insert_text(mentions)

    def _clear(self, typed: Buffer) -> None:
        """Take away what was typed; what was pasted comes back with the arrow up in this run, and is on no disk."""
        self._status.hint = "" if typed.text else LEAVE_HINT
        if typed.text and self._has_pasted:
            append_for_this_run(typed.history, typed.text)
            self._status.hint = KEPT_HINT
        typed.reset()
        self._typed.opened = self._has_pasted = False

    def _has_folds(self) -> bool:
        return bool(self.pasted.long_parts(self._session.default_buffer.text))

    def _at_edge(self, row: int) -> bool:
        """Whether the cursor is in the first or the last row (-1) of a text of which lines are folded."""
        if self._session.default_buffer.complete_state:
            return False
        folded = self._typed.folded()
        return folded is not None and folded.document.cursor_position_row == row % folded.document.line_count


def _run_once(call: Callable[[], None]) -> Callable[[object], None]:
    calls = [call]

    def call_once(_: object) -> None:
        if calls:
            calls.pop()()

    return call_once


class KeptHistory(FileHistory):
    """The inputs of earlier runs in a file; what finds no room there is known in this run alone."""

    is_stored = True
    """Whether what is added goes into the file as well."""

    def store_string(self, string: str) -> None:
        """Add an input to the file."""
        if not self.is_stored:
            return
        try:
            super().store_string(string)
        except OSError as error:
            log.warning("What was typed could not be kept for the next run: %s", error)


def append_for_this_run(history: History, text: str) -> None:
    """Add what was typed and not sent: it may have been pasted by mistake, and goes into no file."""
    if isinstance(history, KeptHistory):
        history.is_stored = False
    try:
        history.append_string(text)
    finally:
        if isinstance(history, KeptHistory):
            history.is_stored = True


def was_used(folder: Path) -> bool:
    """Whether anything was ever typed in a chat that keeps its inputs in this folder."""
    try:
        return (folder / HISTORY_FILE).stat().st_size > 0
    except OSError:
        return False


def _open_history(folder: Path | None) -> History:
    """The inputs of earlier runs, in a file for the user's eyes only; where that cannot be, of this run."""
    if folder is None:
        return InMemoryHistory()
    path = folder / HISTORY_FILE
    try:
        private_dir(folder)
        os.close(open_regular(path, os.O_RDWR | os.O_CREAT))
    except OSError:
        return InMemoryHistory()
    return KeptHistory(path)
