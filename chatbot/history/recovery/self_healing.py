"""Keeps sessions.db usable whatever happens: mends it, holds what a full disk refused, writes the files beside it.

Its methods block; one thread at a time calls them.
"""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from chatbot.history.entries import Value, utc_now
from chatbot.history.recovery.backups import BackupMaker, forget_sessions
from chatbot.history.recovery.reopen import bring_back, open_store
from chatbot.history.recovery.session_locks import SessionLocks
from chatbot.history.schema import Ruined
from chatbot.history.settings import HistorySettings
from chatbot.history.store import Batch, Loaded, SessionStore
from chatbot.history.turns import ends_turn
from chatbot.history.writing import empty_log
from utils.errors import SessionError
from utils.files import expand_home
from utils.paths import write_private

T = TypeVar("T")
PROMISE = "What was said is kept until then, and saved with the next message."


class StoreKeeper:
    """The store of a process with all that is around it."""

    def __init__(self, path: Path, settings: HistorySettings, tell: Callable[[str], None]) -> None:
        self.path = path
        self.claims = SessionLocks(path)
        self.copying = BackupMaker(path)
        # None while it could not be opened again.
        self.store: SessionStore | None = None
        self._json_folder = expand_home(settings.json_folder) if settings.json_folder else None
        self._tell = tell
        self._unsaved: list[Batch] = []
        # Sessions in which this process is in the middle of a turn.
        self._open: set[str] = set()

    def open(self) -> SessionStore:
        """Open the file."""
        self.store, said = open_store(self.path)
        self._tell_all(said)
        return self.store

    def close(self) -> None:
        """Write what could not be written, and close the file whether that went well or not."""
        try:
            self._write_unsaved()
        except SessionError as error:
            raise type(error)(error.problem, "What was said since then is lost.") from error
        finally:
            self.claims.close()
            self._close_store()

    def _close_store(self) -> None:
        if self.store is not None:
            self.store.close()
        self.store = None

    def change_store(self, work: Callable[[SessionStore], T]) -> T:
        """Do something to the store; a file that turns out to be destroyed is mended first."""
        if self.store is not None and self.store.is_replaced:
            self._close_store()
        try:
            return work(self.store or self.open())
        except Ruined as ruin:
            store = self.mend_file(ruin)
        try:
            return work(store)
        except Ruined as ruin:
            # It looks sound, and is not.
            return work(self._replace_file(ruin))

    def rewrite_session(self, session: str, work: Callable[[SessionStore], T]) -> T:
        """Do something to all of a session, and to its JSON file."""
        done = self.change_settled(work)
        if self._json_folder and self._json_path(session).exists():
            self._write_json(session)
        return done

    def ask_database(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """Read something."""

        def read_answer(store: SessionStore) -> T:
            with store.reading() as db:
                return question(db)

        return self.change_store(read_answer)

    def heal_findings(self, found: Ruined | frozenset[int]) -> None:
        """Mend what an examination has found: a damaged file, or sessions with damaged records."""
        try:
            if isinstance(found, Ruined):
                self.mend_file(found)
            else:
                self.change_store(lambda store: store.heal_sessions(found))
        except SessionError as error:
            self._tell(str(error))

    def mend_file(self, ruin: Ruined) -> SessionStore:
        """Bring back what is sound, and open the file anew."""
        self._close_store()
        said = bring_back(self.path, ruin)
        self._tell_all(said)
        store = self.open()
        if said:
            return store
        # What is sound as a file may still hold an index that is not.
        try:
            store.rebuild_catalog()
        except Ruined as still:
            return self._replace_file(still)
        return store

    def _replace_file(self, ruin: Ruined) -> SessionStore:
        """Put all that is sound into a new file, even where the old one seems to be sound."""
        self._close_store()
        self._tell_all(bring_back(self.path, ruin, whatever=True))
        return self.open()

    def _tell_all(self, said: Sequence[str]) -> None:
        for sentence in said:
            self._tell(sentence)

    def append_entries(self, session: str, values: tuple[Value, ...], model: str) -> None:
        """Write entries down, and the session's JSON file when they end a turn."""
        self.claim_session(session)
        self._unsaved.append(Batch(session, values, model, utc_now()))
        ended = ends_turn(values)
        if ended:
            self._open.discard(session)
        else:
            self._open.add(session)
        self._write_unsaved()
        if ended:
            self._write_json(session)

    def _write_unsaved(self) -> None:
        if not self._unsaved:
            return
        try:
            self.change_store(lambda store: store.append(self._unsaved))
        except SessionError as error:
            raise type(error)(error.problem, f"{error.remedy} {PROMISE}".strip()) from error
        self._unsaved = []

    def change_settled(self, work: Callable[[SessionStore], T]) -> T:
        """Do something to what was said, all of it: what could not be written before is written first."""
        self._write_unsaved()
        return self.change_store(work)

    @property
    def unsaved(self) -> int:
        """Entries that could not be written yet."""
        return sum(len(batch.values) for batch in self._unsaved)

    def keep_draft(self, session: str, text: str, thinking: str) -> bool:
        """Keep what has arrived of a reply; where that cannot be done `append_entries` will say why."""
        self.claim_session(session)
        self._open.add(session)
        try:
            return self.change_store(lambda store: store.draft(session, text, thinking))
        except SessionError:
            return False

    def claim_session(self, session: str, wait: float = 0) -> bool:
        """Whether this process may go on with a session."""
        try:
            return self.claims.take_lock(session, wait)
        except OSError:
            # Without a lock a session can still be written; two processes may then go on with it.
            return True

    def load_session(self, session: str) -> Loaded:
        """A session, brought to an end where it was cut off unless somebody is going on with it."""
        waiting = any(batch.session == session for batch in self._unsaved)
        going_on = session in self._open or waiting or self.claims.is_elsewhere(session)
        try:
            return self.change_store(lambda store: store.load(session, going_on))
        except SessionError:
            # What is there can be read even where nothing can be written.
            return self.change_store(lambda store: store.load_read_only(session, going_on))

    def expire_sessions(self, days: int) -> int:
        """Delete old sessions; how many."""
        old = self.change_store(lambda store: store.expired_sessions(days))
        old = [each for each in old if not self.claims.holds_lock(each) and not self.claims.is_elsewhere(each)]
        self.delete_sessions(old)
        return len(old)

    def expire_quietly(self, days: int) -> None:
        """Delete old sessions where days are set; what fails is told."""
        try:
            if days:
                self.expire_sessions(days)
        except SessionError as error:
            self._tell(str(error))

    def delete_sessions(self, sessions: Sequence[str]) -> None:
        """Delete sessions wherever they are kept."""
        if not sessions:
            return
        self.change_store(lambda store: store.delete(sessions))
        forget_sessions(self.path, sessions)
        self._unsaved = [batch for batch in self._unsaved if batch.session not in sessions]
        self._open -= set(sessions)
        for session in sessions if self._json_folder else ():
            try:
                self._json_path(session).unlink(missing_ok=True)
            except OSError as error:
                self._tell(f"{self._json_path(session)} cannot be deleted: {error.strerror}.")
        # Last: where it fails, everything else is gone.
        self.ask_database(empty_log)

    def _json_path(self, session: str) -> Path:
        return Path(self._json_folder or "", f"{session}.json")

    def _write_json(self, session: str) -> None:
        if self._json_folder is None:
            return
        text = self.change_store(lambda store: store.export(session))
        try:
            write_private(self._json_path(session), text)
        except OSError as error:
            self._tell(f"{self._json_path(session)} cannot be written: {error.strerror}. The conversation is saved.")
