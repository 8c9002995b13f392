import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chatbot.config import CHECKOUT
from chatbot.conversation.events import Notice
from chatbot.memory.profile import Profile
from chatbot.memory.reminders import LATE, Reminder, Reminders
from utils.errors import MagpieError, ToolError

NOON = datetime(2026, 11, 22, 12, 0, tzinfo=UTC).timestamp()


class Desk:
    """Reminders with a clock that a test moves."""

    def __init__(self, folder: Path, *, private: bool = False) -> None:
        self.now = NOON
        self.profile = Profile(folder / "profile.db", read_only=private)
        self.reminders = Reminders(self.profile, lambda: self.now)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    made = Desk(tmp_path)
    yield made
    made.profile.close()
    monkeypatch.undo()
    time.tzset()


async def test_a_reminder_is_kept_until_it_was_told(desk: Desk) -> None:
    reminder = await desk.reminders.add_reminder("in 20 minutes call mum")
    assert reminder == Reminder(1, "call mum", NOON + 1200)
    assert await desk.reminders.pending_reminders() == [reminder]
    assert await desk.reminders.claim_due() == []
    desk.now += 1200
    told = replace(reminder, told=True)
    assert await desk.reminders.claim_due() == [told]
    assert (await desk.reminders.claim_due(), await desk.reminders.pending_reminders()) == ([], [])
    assert await desk.reminders.all_reminders() == [told]
    desk.now += 86_400
    assert await desk.reminders.all_reminders() == []


async def test_of_many_magpies_one_tells_a_reminder(desk: Desk, tmp_path: Path) -> None:
    await desk.reminders.add_reminder("in 20 minutes call mum")
    others = [Desk(tmp_path) for _ in range(4)]
    for other in (desk, *others):
        other.now = NOON + 1201
    claimed = await asyncio.gather(*(other.reminders.claim_due() for other in (desk, *others)))
    assert sorted(map(len, claimed)) == [0, 0, 0, 0, 1]
    for other in others:
        other.profile.close()


CLAIM = """
import asyncio, pathlib, sys
from chatbot.memory.profile import Profile
from chatbot.memory.reminders import Reminders

async def claim():
    reminders = Reminders(Profile(pathlib.Path(sys.argv[1])))
    sys.stdin.readline()
    print(*[reminder.number for reminder in await reminders.claim_due()])

asyncio.run(claim())
"""


async def test_of_many_processes_one_tells_a_reminder(desk: Desk) -> None:
    with desk.profile.writing() as db:
        db.executemany("INSERT INTO reminders (text, due) VALUES (?, 1)", [(str(number),) for number in range(50)])
    command = [sys.executable, "-c", CLAIM, str(desk.profile.path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": CHECKOUT}
    magpies = [subprocess.Popen(command, **pipes) for _ in range(3)]  # type: ignore[call-overload]
    said = await asyncio.gather(*(asyncio.to_thread(magpie.communicate, "now\n", timeout=60) for magpie in magpies))
    assert sorted(int(number) for out, _ in said for number in out.split()) == list(range(1, 51))


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("call mum", 'No time was understood in "call mum".'),
        ("", 'No time was understood in "".'),
        ("yesterday call mum", "That time is past: yesterday 12:00."),
        ("today 9:00 call mum", "That time is past: today 09:00."),
        ("tomorrow 9:00", "There is nothing to be reminded of."),
    ],
)
async def test_what_cannot_be_set_is_refused_with_an_example(desk: Desk, words: str, problem: str) -> None:
    with pytest.raises(MagpieError) as failure:
        await desk.reminders.add_reminder(words)
    assert (failure.value.problem, "/remind tomorrow 9:00 call mum" in failure.value.remedy) == (problem, True)
    assert await desk.reminders.pending_reminders() == []


async def test_the_model_sets_reminders_and_is_told_what_is_wrong(desk: Desk) -> None:
    answer = await desk.reminders.set_reminder("call mum", "tomorrow at 9")
    assert answer == "The user will be reminded tomorrow 09:00."
    with pytest.raises(ToolError, match='"whenever" is no time'):
        await desk.reminders.set_reminder("call mum", "whenever")
    with pytest.raises(ToolError, match="past"):
        await desk.reminders.set_reminder("call mum", "2020-01-01 10:00")
    assert [reminder.text for reminder in await desk.reminders.pending_reminders()] == ["call mum"]


async def test_a_reminder_can_be_cancelled_and_switched(desk: Desk) -> None:
    await desk.reminders.add_reminder("in 20 minutes tea")
    await desk.reminders.add_reminder("in 10 minutes eggs")
    assert (await desk.reminders.switch_reminder(2, on=False)).text == "eggs"
    assert (await desk.reminders.cancel_number(1)).text == "tea"
    desk.now += 3600
    assert await desk.reminders.claim_due() == []
    await desk.reminders.switch_reminder(2, on=True)
    assert [reminder.text for reminder in await desk.reminders.claim_due()] == ["eggs"]
    with pytest.raises(MagpieError, match="no reminder 2"):
        await desk.reminders.cancel_number(2)


async def announced(desk: Desk, count: int, idle: asyncio.Event | None = None) -> list[Notice]:
    """The first notices of an announcer that starts now."""
    if idle is None:
        idle = asyncio.Event()
        idle.set()
    told: asyncio.Queue[Notice] = asyncio.Queue()
    task = asyncio.create_task(desk.reminders.announce_due(told.put_nowait, idle))
    try:
        return [await told.get() for _ in range(count)]
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_what_was_missed_is_said_at_the_next_start(desk: Desk) -> None:
    await desk.reminders.add_reminder("tomorrow 9:00 call mum")
    await desk.reminders.add_reminder("in 20 minutes tea")
    desk.now = datetime(2026, 11, 24, 8, 0, tzinfo=UTC).timestamp()
    assert await announced(desk, 2) == [
        Notice("You missed: tea (due Sunday, 22 November 2026, 12:20)", "warning"),
        Notice("You missed: call mum (due yesterday 09:00)", "warning"),
    ]


async def test_a_reminder_set_while_the_announcer_waits_is_told_on_time(desk: Desk) -> None:
    waiting = asyncio.create_task(announced(desk, 1))
    await asyncio.sleep(0.05)
    setting = await desk.reminders.add_reminder("in 1 minute tea")
    desk.now = setting.due + LATE
    await desk.reminders.add_reminder("in 1 minute eggs")
    assert await waiting == [Notice("Reminder: tea", "warning")]


async def test_nothing_is_told_or_claimed_during_a_turn(desk: Desk) -> None:
    await desk.reminders.add_reminder("in 1 minute tea")
    desk.now += 60
    idle = asyncio.Event()
    waiting = asyncio.create_task(announced(desk, 1, idle))
    await asyncio.sleep(0.05)
    assert (len(await desk.reminders.pending_reminders()), waiting.done()) == (1, False)
    idle.set()
    assert await waiting == [Notice("Reminder: tea", "warning")]


async def test_a_file_that_cannot_be_read_is_said_once(desk: Desk) -> None:
    desk.profile.path.write_bytes(b"no database at all" * 100)
    [notice] = await announced(desk, 1)
    assert (notice.level, "is damaged" in notice.text) == ("error", True)


async def test_a_private_run_sets_and_tells_nothing(desk: Desk, tmp_path: Path) -> None:
    await desk.reminders.add_reminder("in 20 minutes tea")
    private = Desk(tmp_path, private=True)
    private.now += 3600
    for refused in (private.reminders.add_reminder("in 1 minute eggs"), private.reminders.cancel_number(1)):
        with pytest.raises(MagpieError, match="A private run keeps nothing, so no reminders either"):
            await refused
    idle = asyncio.Event()
    idle.set()
    await private.reminders.announce_due(lambda notice: pytest.fail(str(notice)), idle)
    assert [reminder.text for reminder in await private.reminders.pending_reminders()] == ["tea"]
    private.profile.close()


async def test_reminders_are_listed_and_cancelled_by_their_words(desk: Desk) -> None:
    reminders = desk.reminders
    assert await reminders.list_reminders() == "There are no reminders."
    await reminders.set_reminder("water the plants", "in 2 hours")
    await reminders.set_reminder("call the plumber", "in 3 hours")
    assert await reminders.list_reminders() == "- today 14:00: water the plants\n- today 15:00: call the plumber"
    assert await reminders.cancel_reminder("the reminder with the plumber") == "Cancelled: call the plumber"
    with pytest.raises(ToolError, match="No reminders fit"):
        await reminders.cancel_reminder("the dentist")
