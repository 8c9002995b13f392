"""Reminders: kept in profile.db, told once when they are due, by whichever Magpie is there first."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from chatbot.conversation.events import Notice
from chatbot.conversation.wishes import without_reminder
from chatbot.memory.profile import Profile
from chatbot.memory.reminder_time import read_time, split_time, told_time
from rag.search.rare_words import RareWords
from utils.errors import MagpieError, ProfileError, ToolError
from utils.faults import record_fault
from utils.text import one_line

POLL = 20.0
"""Seconds between two looks at the wall clock and the table: the machine may have slept, another Magpie written."""
LATE = 120.0
"""Seconds after which a reminder was missed."""
TOLD_KEPT_SECONDS = 86_400
"""Seconds for which one that was told stays in the file, to be read again."""
MIN_MEANT_SHARE = 0.5
"""The share of its words, rare ones counting more, by which one that is to be cancelled is known."""
MAX_REMINDER_CHARS = 300
"""Characters of a reminder."""
EXAMPLE = "Begin with the time, for instance: /remind tomorrow 9:00 call mum"


@dataclass(frozen=True)
class Reminder:
    """Words for a time, in seconds since 1970; one that is not `active` is not told, and none is `told` twice."""

    number: int
    text: str
    due: float
    active: bool = True
    told: bool = False


class Reminders:
    """The reminders of all Magpies that share a data folder; `clock` gives seconds since 1970."""

    def __init__(self, profile: Profile, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self._profile = profile
        self._changed = asyncio.Event()

    @property
    def writable(self) -> bool:
        """Whether reminders can be set."""
        return not self._profile.read_only

    async def add_reminder(self, words: str) -> Reminder:
        """Set a reminder from its time and text in one line; raises a `MagpieError`."""
        now = self._current_time()
        self._refuse_in_private()
        found = await split_time(words, now)
        if found is None:
            raise MagpieError(f'No time was understood in "{one_line(words, 60)}".', EXAMPLE)
        return await self._insert_reminder(found[1].strip(" ,;:"), found[0], now)

    async def set_reminder(self, text: str, when: str) -> str:
        """Remind the user of something at a time.

        Args:
            text: What to remind them of.
            when: The time, e.g. "in 20 minutes" or "2026-12-01 17:30".
        """
        now = self._current_time()
        moment = await read_time(when, now)
        if moment is None:
            raise ToolError(f'"{when}" is no time. Write it like "in 20 minutes" or "2026-12-01 17:30".')
        try:
            reminder = await self._insert_reminder(text, moment, now)
        except MagpieError as error:
            raise ToolError(str(error)) from error
        return f"The user will be reminded {told_time(reminder.due, self.clock())}."

    async def list_reminders(self) -> str:
        """List the user's reminders to come."""
        try:
            pending = await self.pending_reminders()
        except ProfileError as error:
            raise ToolError(str(error)) from error
        now = self.clock()
        return "\n".join(f"- {told_time(r.due, now)}: {r.text}" for r in pending) or "There are no reminders."

    async def cancel_reminder(self, which: str) -> str:
        """Cancel a reminder, only when the user asks for that.

        Args:
            which: Words of the reminder.
        """
        try:
            pending = await self.pending_reminders()
            rare = RareWords(without_reminder(which), [reminder.text for reminder in pending])
            shares = {reminder.number: rare.share_of(reminder.text) for reminder in pending}
            most = max(shares.values(), default=0.0)
            found = [number for number, share in shares.items() if share == most >= MIN_MEANT_SHARE]
            if len(found) != 1:
                raise ToolError(f'{"Several" if found else "No"} reminders fit "{one_line(which, 60)}".')
            return f"Cancelled: {(await self.cancel_number(found[0])).text}"
        except MagpieError as error:
            raise ToolError(str(error)) from error

    async def pending_reminders(self) -> list[Reminder]:
        """All that were not told yet, the next first; raises `ProfileError`."""
        return [reminder for reminder in await self.all_reminders() if not reminder.told]

    async def all_reminders(self) -> list[Reminder]:
        """Those that were told within a day, and all others, by their time; raises `ProfileError`."""

        def read_reminders() -> list[Reminder]:
            with self._profile.reading() as db:
                query = "SELECT id, text, due, active, told FROM reminders WHERE told IS NULL OR told > ? ORDER BY due"
                rows = db.execute(query, (self.clock() - TOLD_KEPT_SECONDS,)).fetchall() if db else []
            return [
                Reminder(number, text, due, bool(active), told is not None) for number, text, due, active, told in rows
            ]

        return await asyncio.to_thread(read_reminders)

    async def cancel_number(self, number: int) -> Reminder:
        """Take one out; raises a `MagpieError`."""
        return await self._change_reminder(number, "DELETE FROM reminders WHERE id = ? AND told IS NULL")

    async def switch_reminder(self, number: int, *, on: bool) -> Reminder:
        """Have one told or not; raises a `MagpieError`."""
        return await self._change_reminder(
            number, f"UPDATE reminders SET active = {on:d} WHERE id = ? AND told IS NULL"
        )

    async def claim_due(self) -> list[Reminder]:
        """Those that are due now, each given to one caller on this machine alone; raises `ProfileError`."""
        now = self.clock()
        if not any(reminder.active and reminder.due <= now for reminder in await self.pending_reminders()):
            return []

        def take_due() -> list[Reminder]:
            with self._profile.writing() as db:
                db.execute("DELETE FROM reminders WHERE told < ?", (now - TOLD_KEPT_SECONDS,))
                rows = db.execute(
                    "UPDATE reminders SET told = ? WHERE told IS NULL AND active AND due <= ? RETURNING id, text, due",
                    (now, now),
                ).fetchall()
            taken = [Reminder(number, text, due, told=True) for number, text, due in rows]
            return sorted(taken, key=lambda reminder: reminder.due)

        return await asyncio.to_thread(take_due)

    async def announce_due(self, tell: Callable[[Notice], None], idle: asyncio.Event) -> None:
        """Tell what falls due, only while `idle` is set, until cancelled; nothing in a private run."""
        if not self.writable:
            return
        failed = ""
        while True:
            self._changed.clear()
            wait = POLL
            try:
                await idle.wait()
                for reminder in await self.claim_due():
                    tell(Notice(due_text(reminder, self.clock()), "warning"))
                due = [reminder.due for reminder in await self.pending_reminders() if reminder.active]
                wait = min([POLL, *(max(0.0, moment - self.clock()) for moment in due)])
            except Exception as error:  # noqa: BLE001 - what falls due later is told whatever became of this one
                said = str(record_fault(error, "Telling reminders"))
                if said != failed:
                    failed = said
                    tell(Notice(failed, "error"))
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), wait)

    async def _insert_reminder(self, text: str, moment: datetime, asked: datetime) -> Reminder:
        text, due = one_line(text, MAX_REMINDER_CHARS), moment.timestamp()
        if not text:
            raise MagpieError("There is nothing to be reminded of.", EXAMPLE)
        if moment <= asked:
            raise MagpieError(f"That time is past: {told_time(due, self.clock())}.", EXAMPLE)

        def write_row() -> int:
            with self._profile.writing() as db:
                row = db.execute("INSERT INTO reminders (text, due) VALUES (?, ?) RETURNING id", (text, due))
                return int(row.fetchone()[0])

        reminder = Reminder(await asyncio.to_thread(write_row), text, due)
        self._changed.set()
        return reminder

    async def _change_reminder(self, number: int, statement: str) -> Reminder:
        def write_change() -> int:
            with self._profile.writing() as db:
                return db.execute(statement, (number,)).rowcount

        self._refuse_in_private()
        found = next((reminder for reminder in await self.pending_reminders() if reminder.number == number), None)
        if found is None or not await asyncio.to_thread(write_change):
            raise MagpieError(f"There is no reminder {number}.", "/reminders lists them.")
        self._changed.set()
        return found

    def _refuse_in_private(self) -> None:
        if not self.writable:
            raise MagpieError("A private run keeps nothing, so no reminders either.", "Start Magpie without --private.")

    def _current_time(self) -> datetime:
        return datetime.fromtimestamp(self.clock(), UTC)


def due_text(reminder: Reminder, now: float) -> str:
    """What the user reads when a reminder is due."""
    if now - reminder.due > LATE:
        return f"You missed: {reminder.text} (due {told_time(reminder.due, now)})"
    return f"Reminder: {reminder.text}"
