"""What the browser of kept conversations shows, and what it does with them; it draws nothing and knows no key."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from chatbot.config import Config
from chatbot.engine.chat import Chat
from chatbot.frontends.terminal.browsing.preview import ConversationPreview
from chatbot.frontends.terminal.browsing.session_list import pattern_of
from chatbot.history.export.files import export_session
from chatbot.history.search.sessions import SessionInfo
from chatbot.history.store import Loaded
from utils.errors import MagpieError
from utils.text import clean, one_line

SESSIONS_PER_PAGE = 200
"""Conversations that are read at once."""
# Seconds without a key after which is looked for what was typed, and loaded what was selected.
_TYPED, _MOVED = 0.12, 0.06
_TITLE_CHARS_SHOWN = 40


class BrowserScreen(Protocol):
    """What shows it."""

    @property
    def room(self) -> tuple[int, int]:
        """Cells and lines that there are for a conversation."""

    def refresh(self) -> None:
        """Show what is different now."""

    def fail(self, error: BaseException) -> None:
        """End with what is a bug."""


class Browsing:
    """The conversations that were found, the selected one, and what is being asked or told."""

    def __init__(self, chats: Chat, settings: Config, screen: BrowserScreen) -> None:
        self.rows: list[SessionInfo] = []
        self.selected = 0
        self.words = ""
        """What the rows were found by."""
        self.loading = True
        """Whether nothing is known yet about what there is."""
        self.told = ""
        self.asked: SessionInfo | None = None
        """The conversation that is deleted if the user says yes."""
        self.conversation: ConversationPreview | None = None
        """The selected one, once it is loaded."""
        self.chats = chats
        self._settings = settings
        self._screen = screen
        self._more = False
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def row(self) -> SessionInfo | None:
        """The selected conversation."""
        return self.rows[self.selected] if self.rows else None

    def look_for(self, words: str, pause: float = _TYPED) -> None:
        """Find what has these words, unless others are typed at once."""
        self._run_work("list", lambda: self._find_sessions(words, pause))

    async def _find_sessions(self, words: str, pause: float) -> None:
        await asyncio.sleep(pause)
        found = list(await self.chats.sessions.list(words, SESSIONS_PER_PAGE))
        # Further ones of what was found before do not belong to these.
        if "more" in self._tasks:
            self._tasks["more"].cancel()
        self.loading = False
        self.rows, self.words, self.selected, self._more = found, words, 0, len(found) == SESSIONS_PER_PAGE
        self._show_preview()

    def move_selection(self, by: int) -> None:
        """Select another conversation; near the last one that is known, further ones are read."""
        self.selected = max(0, min(self.selected + by, len(self.rows) - 1))
        self._show_preview()
        if self._more and self.selected + SESSIONS_PER_PAGE // 2 >= len(self.rows):
            self._more = False
            words = self.words
            self._run_work("more", lambda: self._find_more(words))

    async def _find_more(self, words: str) -> None:
        found = await self.chats.sessions.list(words, SESSIONS_PER_PAGE, len(self.rows))
        # One that was gone on with elsewhere meanwhile has moved the others.
        known = {row.id for row in self.rows}
        self.rows += [row for row in found if row.id not in known]
        self._more = len(found) == SESSIONS_PER_PAGE

    def _show_preview(self) -> None:
        row = self.row
        if row is None:
            self.conversation = None
        else:
            self._run_work("preview", lambda: self._load_preview(row))

    async def _load_preview(self, row: SessionInfo) -> None:
        await asyncio.sleep(_MOVED)
        words = pattern_of(self.words)

        def prepare_preview(loaded: Loaded) -> ConversationPreview:
            conversation = ConversationPreview(loaded, self._settings, words)
            # What is seen first is drawn beside the typing.
            conversation.visible_lines(*self._screen.room)
            return conversation

        loaded = await self.chats.sessions.load(row.id)
        self.conversation = await asyncio.to_thread(prepare_preview, loaded)

    def export_selected(self) -> None:
        """Write the selected conversation into the current folder, as Markdown."""
        row = self.row
        if row is not None:
            self._run_work("export", lambda: self._export_session(row))

    async def _export_session(self, row: SessionInfo) -> None:
        written = await export_session(self.chats.sessions, row.id, "md")
        self.told = f"Written to {clean(written.name)} in this folder."

    def ask_to_delete(self) -> None:
        """Ask whether the selected conversation is to be deleted."""
        if self.row is None:
            return
        if self.row.id == self.chats.session:
            self.told = "You are in this conversation; /clear begins a new one first."
        elif self.row.id in self.chats.person.in_use:
            self.told = "This conversation is under way in another chat."
        else:
            self.asked = self.row

    @property
    def question(self) -> str:
        """What is being asked; empty for nothing."""
        return f"Delete “{one_line(self.asked.title, _TITLE_CHARS_SHOWN)}”? y/n" if self.asked else ""

    def answer_question(self, yes: bool) -> None:
        """Delete what was asked about, or do not."""
        asked, self.asked = self.asked, None
        if asked is not None and yes:
            self._run_work("delete", lambda: self._delete_session(asked))

    async def _delete_session(self, row: SessionInfo) -> None:
        sessions = self.chats.sessions
        if not await sessions.claim(row.id):
            self.told = "This conversation is open in another Magpie and was not deleted."
            return
        try:
            await sessions.delete(row.id)
        finally:
            await sessions.release(row.id)
        self.told = f"Deleted “{one_line(row.title, _TITLE_CHARS_SHOWN)}”."
        self.rows = [each for each in self.rows if each.id != row.id]
        self.move_selection(0)

    async def close(self) -> None:
        """Give up what is under way; what is being written or deleted is finished."""
        for name, task in self._tasks.items():
            if name not in ("export", "delete"):
                task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def _run_work(self, name: str, work: Callable[[], Awaitable[None]]) -> None:
        """Do something in the background, in the place of an earlier work of the same name."""
        if name in self._tasks and name not in ("export", "delete"):
            self._tasks[name].cancel()
        self._tasks[name] = asyncio.create_task(self._guard_work(work))

    async def _guard_work(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except MagpieError as error:
            self.loading = False
            self.told = one_line(f"{error.problem} {error.remedy}", 400)
        except Exception as error:  # noqa: BLE001 - a bug: the browser ends with it
            self._screen.fail(error)
        self._screen.refresh()
