"""Conversations that last: what is said is on the disk when `append` returns, and found again by its words."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from chatbot.history.accounting import Spending
from chatbot.history.entries import Feedback, TitleBy, Value, Verdict
from chatbot.history.export import transfer
from chatbot.history.export.transfer import Imported
from chatbot.history.feedback.marks import mark_turn
from chatbot.history.recovery import backups as copies
from chatbot.history.recovery.self_healing import StoreKeeper
from chatbot.history.search import sessions as search
from chatbot.history.search.answers import FoundAnswer, search_answers
from chatbot.history.search.sessions import SessionInfo
from chatbot.history.session_id import Names
from chatbot.history.settings import HistorySettings
from chatbot.history.store import Loaded, Undone
from utils.faults import in_background
from utils.sqlite import MEMORY

T = TypeVar("T")
# Seconds: locks that are held for a look at a session are let go in some milliseconds.
_LOCK_SECONDS = 0.2


class Sessions:
    """The kept conversations; open with `Sessions.open`. Every method may raise `SessionError`."""

    def __init__(self, path: Path, settings: HistorySettings, tell: Callable[[str], None]) -> None:
        self.path = path
        self._settings = settings
        self._names = Names()
        # One thread, so that everything is written in the order in which it was said.
        self._thread = ThreadPoolExecutor(1, "sessions")
        self._loop: asyncio.AbstractEventLoop | None = None

        def tell_there(said: str) -> None:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(tell, said)

        self._keeper = StoreKeeper(path, settings, tell_there)
        self._copying: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls,
        path: Path,
        settings: HistorySettings | None = None,
        tell: Callable[[str], None] = lambda said: None,
        *,
        copy_after: float = copies.AGE,
    ) -> "Sessions":
        """Open the file, made if it is not there and brought back if it is destroyed; `MEMORY` is on no disk.

        `tell` is given a sentence for the user where there is one: what was brought back, what could not be written
        beside the file. A copy is made in the background when the last one is older than `copy_after` seconds.
        """
        sessions = cls(path, settings or HistorySettings(), tell)
        try:
            await sessions._run_in_thread(sessions._keeper.open)
        except BaseException:
            sessions._thread.shutdown(wait=False)
            raise
        if path != MEMORY:
            sessions._copying = in_background(sessions._refresh_copy(copy_after), "Copying the conversations")
        return sessions

    async def close(self) -> None:
        """Write what could not be written before, and close the file; a copy that is being made is given up."""
        if self._copying is not None:
            self._keeper.copying.stop()
            await self._copying
        try:
            await self._run_in_thread(self._keeper.close)
        finally:
            self._thread.shutdown(wait=False)

    async def _refresh_copy(self, age: float) -> None:
        await self._run_in_thread(lambda: self._keeper.expire_quietly(self._settings.keep_days))
        found = await asyncio.to_thread(self._keeper.copying.refresh_copy, age)
        if found:
            await self._run_in_thread(lambda: self._keeper.heal_findings(found))

    async def _run_in_thread(self, work: Callable[[], T]) -> T:
        self._loop = asyncio.get_running_loop()
        return await self._loop.run_in_executor(self._thread, work)

    def new_id(self) -> str:
        """A name for a session that is about to begin; it is kept from its first entry on."""
        return self._names.new_name()

    async def append(self, session: str, *entries: Value, model: str = "") -> None:
        """Write entries down, in one transaction; its draft is dropped.

        What cannot be written is kept, and written with the next entries.
        """
        await self._run_in_thread(lambda: self._keeper.append_entries(session, entries, model))

    @property
    def unsaved_count(self) -> int:
        """Entries that could not be written yet."""
        return self._keeper.unsaved

    async def draft(self, session: str, text: str, thinking: str = "") -> bool:
        """Keep what has arrived of a reply, in the place of what was kept before; whether that could be done."""
        return await self._run_in_thread(lambda: self._keeper.keep_draft(session, text, thinking))

    async def claim(self, session: str) -> bool:
        """Whether this process may go on with a session: False when another living one does."""
        return await self._run_in_thread(lambda: self._keeper.claim_session(session, _LOCK_SECONDS))

    async def release(self, session: str) -> None:
        """Leave a session to others."""
        await self._run_in_thread(lambda: self._keeper.claims.drop_lock(session))

    async def load(self, session: str) -> Loaded:
        """A session; what a process that died left unfinished in it is written down as interrupted."""
        return await self._run_in_thread(lambda: self._keeper.load_session(session))

    async def undo(self, session: str) -> Undone | None:
        """Take back the last change, a compaction or a whole turn; None when there is nothing left."""
        return await self._run_in_thread(
            lambda: self._keeper.rewrite_session(session, lambda store: store.undo(session))
        )

    async def branch(self, session: str, upto: int | None = None) -> str:
        """Copy a session, up to and with the message of a number if one is given: the id of the new one."""
        new = self.new_id()
        await self._run_in_thread(lambda: self._keeper.change_settled(lambda store: store.branch(session, new, upto)))
        return new

    async def title(self, session: str, text: str, by: TitleBy = "user") -> bool:
        """Name a session, and whether that was done: the model never overrules the user."""
        return await self._run_in_thread(
            lambda: self._keeper.rewrite_session(session, lambda store: store.title(session, text, by))
        )

    async def mark(self, session: str, verdict: Verdict, why: str = "", question: int | None = None) -> Feedback:
        """Say what an answer is like: that to the question of a number, from 1, or the last one."""
        return await self._run_in_thread(
            lambda: self._keeper.rewrite_session(
                session, lambda store: mark_turn(store, session, verdict, why, question)
            )
        )

    async def marked(self) -> Sequence[str]:
        """The ids of sessions in which answers were marked, oldest first."""
        return await self._run_in_thread(lambda: self._keeper.ask_database(search.marked_sessions))

    async def delete(self, session: str) -> None:
        """Delete a session, from the copies and the folder of JSON files as well."""
        await self._run_in_thread(lambda: self._keeper.delete_sessions([session]))

    async def expire(self, keep_days: int) -> int:
        """Delete sessions that were not gone on with for so many days; how many.

        Opening does so by itself where `history.keep_days` is set.
        """
        return await self._run_in_thread(lambda: self._keeper.expire_sessions(keep_days))

    async def list(self, filter: str = "", limit: int = 200, offset: int = 0) -> Sequence[SessionInfo]:
        """Sessions, newest first; with a filter those in which all its words occur, the last one being typed."""
        return await self._run_in_thread(
            lambda: self._keeper.ask_database(lambda db: search.list_sessions(db, filter, limit, offset))
        )

    async def find(self, text: str) -> str | None:
        """The id of the session that a text names: by its id, a unique beginning of it, its title or its words."""
        return await self._run_in_thread(lambda: self._keeper.ask_database(lambda db: search.find_session(db, text)))

    async def latest(self) -> str | None:
        """The id of the session that was gone on with last."""
        return await self._run_in_thread(lambda: self._keeper.ask_database(search.latest_session))

    async def search_answers(self, query: str, limit: int = 5, exclude_session: str = "") -> Sequence[FoundAnswer]:
        """Answers that have most of a question's words, the best first."""
        return await self._run_in_thread(
            lambda: self._keeper.ask_database(lambda db: search_answers(db, query, limit, exclude_session))
        )

    async def usage(self, since: datetime | None = None, session: str = "") -> Sequence[Spending]:
        """Tokens by day, model and purpose, from a moment on and of one session if given."""
        return await self._run_in_thread(
            lambda: self._keeper.change_store(lambda store: store.spending(since, session))
        )

    async def export_json(self, session: str) -> str:
        """The session as JSON that `import_json` takes."""
        return await self._run_in_thread(lambda: self._keeper.change_settled(lambda store: store.export(session)))

    async def import_json(self, text: str) -> Imported:
        """A session from JSON; it keeps its id unless another session has it."""
        new = self.new_id()
        items = await asyncio.to_thread(transfer.parse_document, text)
        return await self._run_in_thread(
            lambda: self._keeper.change_store(lambda store: store.import_items(items, new))
        )
