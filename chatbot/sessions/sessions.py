"""Conversations that last: what is said is on the disk when `append` returns, and found again by its words."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from chatbot.sessions.claims import Claims
from chatbot.sessions.entries import TitleBy, Value, now
from chatbot.sessions.names import Names
from chatbot.sessions.search import SessionInfo
from chatbot.sessions.settings import HistorySettings
from chatbot.sessions.store import Batch, Loaded, Store, Undone
from chatbot.sessions.turns import ends_turn
from utils.errors import SessionError

T = TypeVar("T")


class Sessions:
    """The kept conversations; open with `Sessions.open`. Every method may raise `SessionError`."""

    def __init__(self, path: Path, settings: HistorySettings) -> None:
        self.path = path
        self._settings = settings
        # One thread, so that everything is written in the order in which it was said.
        self._thread = ThreadPoolExecutor(1, "sessions")
        self._names = Names()
        self._claims = Claims(path.with_name(f"{path.name}.locks"))
        self._unsaved: list[Batch] = []
        # Sessions in which this process is in the middle of a turn.
        self._open: set[str] = set()
        self._store: Store

    @classmethod
    async def open(cls, path: Path, settings: HistorySettings | None = None) -> "Sessions":
        """Open the file, made if it is not there."""
        sessions = cls(path, settings or HistorySettings())
        sessions._store = await sessions._do(lambda: Store(path))
        return sessions

    async def close(self) -> None:
        """Write what could not be written before, and close the file."""
        try:
            await self._do(self._write_unsaved)
        finally:
            await self._do(self._close)
            self._thread.shutdown()

    def _close(self) -> None:
        self._claims.close()
        self._store.close()

    async def _do(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def new_id(self) -> str:
        """A name for a session that is about to begin; it is kept from its first entry on."""
        return self._names.new()

    async def append(self, session: str, *entries: Value, model: str = "") -> None:
        """Write entries down, in one transaction; its draft is dropped.

        What cannot be written is kept, and written with the next entries.
        """
        batch = Batch(session, entries, model, now())
        await self._do(lambda: self._append(batch))

    def _append(self, batch: Batch) -> None:
        self._take_quietly(batch.session)
        self._unsaved.append(batch)
        if ends_turn(batch.values):
            self._open.discard(batch.session)
        else:
            self._open.add(batch.session)
        self._write_unsaved()

    def _take_quietly(self, session: str) -> bool:
        try:
            return self._claims.take(session)
        except OSError:
            # Without a lock a session can still be written; two processes may then go on with it.
            return True

    def _write_unsaved(self) -> None:
        if not self._unsaved:
            return
        try:
            self._store.append(self._unsaved)
        except SessionError as error:
            promise = "What was said is kept until then, and saved with the next message."
            raise type(error)(error.problem, f"{error.remedy} {promise}") from error
        self._unsaved = []

    @property
    def unsaved(self) -> int:
        """Entries that could not be written yet."""
        return sum(len(batch.values) for batch in self._unsaved)

    async def draft(self, session: str, text: str, thinking: str = "") -> None:
        """Keep what has arrived of a reply, in the place of what was kept before."""
        await self._do(lambda: self._draft(session, text, thinking))

    def _draft(self, session: str, text: str, thinking: str) -> None:
        self._take_quietly(session)
        self._open.add(session)
        self._store.draft(session, text, thinking)

    async def claim(self, session: str) -> bool:
        """Whether this process may go on with a session: False when another living one does."""
        return await self._do(lambda: self._take_quietly(session))

    async def release(self, session: str) -> None:
        """Leave a session to others."""
        await self._do(lambda: self._claims.drop(session))

    async def load(self, session: str) -> Loaded:
        """A session; what a process that died left unfinished in it is written down as interrupted."""
        return await self._do(lambda: self._load(session))

    def _load(self, session: str) -> Loaded:
        going_on = session in self._open or self._claims.elsewhere(session)
        return self._store.load(session, going_on)

    async def undo(self, session: str) -> Undone | None:
        """Take back the last change, a compaction or a whole turn; None when there is nothing left."""
        return await self._do(lambda: self._store.undo(session))

    async def branch(self, session: str, upto: int | None = None) -> str:
        """Copy a session, up to and with the message of a number if one is given: the id of the new one."""
        new = self.new_id()
        await self._do(lambda: self._store.branch(session, new, upto))
        return new

    async def title(self, session: str, text: str, by: TitleBy = "user") -> bool:
        """Name a session, and whether that was done: the model never overrules the user."""
        return await self._do(lambda: self._store.title(session, text, by))

    async def list(self, filter: str = "", limit: int = 200, offset: int = 0) -> list[SessionInfo]:
        """Sessions, newest first; with a filter those in which all its words occur, the last one being typed."""
        return await self._do(lambda: self._store.list(filter, limit, offset))
