import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from chatbot.commands.registry import run_command
from chatbot.conversation.events import Listing, Notice
from tests.fakes.app import FakeApp, events_of
from tests.fakes.model import ScriptedModel
from utils.errors import MagpieError


@pytest.fixture
def app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeApp]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    made = FakeApp(ScriptedModel([]), tmp_path)
    made.now = datetime(2026, 11, 22, 12, 0, tzinfo=UTC).timestamp()
    yield made
    made.chat.person.profile.close()
    monkeypatch.undo()
    time.tzset()


async def carried_out(app: FakeApp, *lines: str) -> list[object]:
    return [event for line in lines for event in await events_of(run_command(app.ready, line))]  # type: ignore[arg-type]


async def test_reminders_are_set_listed_switched_and_cancelled(app: FakeApp) -> None:
    said = await carried_out(
        app,
        "/reminders",
        "/remind tomorrow 9:00 call mum",
        "/remind in 20 minutes tea",
        "/reminders off 1",
        "/reminder",
        "/reminders on 1",
        "/reminders cancel 2",
        "/reminders",
    )
    assert said == [
        Notice("There are no reminders. Set one, for instance: /remind tomorrow 9:00 call mum"),
        Notice("I will remind you tomorrow 09:00: call mum"),
        Notice("I will remind you today 12:20: tea"),
        Notice("Switched off: call mum"),
        Listing(
            "Reminders",
            ("", "due", "text", ""),
            (("2", "today 12:20", "tea", ""), ("1", "tomorrow 09:00", "call mum", "off")),
        ),
        Notice("Switched on: call mum"),
        Notice("Cancelled: tea"),
        Listing("Reminders", ("", "due", "text", ""), (("1", "tomorrow 09:00", "call mum", ""),)),
    ]


@pytest.mark.parametrize("line", ["/reminders cancel", "/reminders frob 1", f"/reminders on {'9' * 5000}"])
async def test_what_cannot_be_done_is_said(app: FakeApp, line: str) -> None:
    with pytest.raises(MagpieError, match="That is no way to use /reminders"):
        await carried_out(app, line)


async def test_a_reminder_that_was_told_is_listed_for_a_day(app: FakeApp) -> None:
    await carried_out(app, "/remind in 20 minutes tea")
    assert app.now
    app.now += 1300
    await app.chat.reminders.claim_due()
    assert await carried_out(app, "/reminders") == [
        Listing("Reminders", ("", "due", "text", ""), (("1", "today 12:20", "tea", "told"),))
    ]
