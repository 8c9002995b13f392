"""What the commands on the window show and do."""

from pathlib import Path

import pytest

from chatbot.commands.registry import run_command
from chatbot.commands.window import cached_share, window_chart
from chatbot.conversation.events import Chart, ContextUsed, Listing, Notice, Progress, Slice
from chatbot.conversation.messages import Message
from tests.fakes.app import FakeApp, events_of
from tests.fakes.model import ScriptedModel, says

USED = ContextUsed({"system": 412, "tools": 1105, "history": 2100, "question": 31}, 8192, 1024)


def app_of(folder: Path, turns: int) -> FakeApp:
    app = FakeApp(ScriptedModel([says("Short.")]), folder)
    for number in range(1, turns + 1):
        asked, answered = (
            Message("user", f"Question {number}? " + "word " * 90),
            Message("assistant", f"Answer {number}."),
        )
        app.chat.agent.conversation.messages += [asked, answered]
    return app


async def test_context_shows_the_parts_in_the_order_in_which_they_are_sent(tmp_path: Path) -> None:
    used, shown = await events_of(run_command(app_of(tmp_path, 2).ready, "/context"))
    assert isinstance(shown, Chart)
    assert [piece.name for piece in shown.slices] == [
        "instructions",
        "tools",
        "summary",
        "earlier turns",
        "what was read",
        "the question",
        "free",
        "kept for the reply",
    ]
    assert (used.window, sum(piece.tokens for piece in shown.slices), shown.note) == (4096, 4096, "")


def test_the_reply_has_its_room_and_the_cache_its_share() -> None:
    assert window_chart(USED).slices[-2:] == (Slice("free", 3520, "free"), Slice("kept for the reply", 1024, "reserve"))
    assert cached_share(USED.with_measured_total(4000, 3000)) == (
        "Of the last prompt's 4,000 tokens 3,000 (75%) were in the server's cache."
    )
    assert cached_share(USED.with_measured_total(4000, 0)) == ""


async def test_compact_summarises_by_hand(tmp_path: Path) -> None:
    app = app_of(tmp_path, 5)
    *progress, notice = await events_of(run_command(app.ready, "/compact"))
    assert all(isinstance(event, Progress) for event in progress)
    assert isinstance(notice, Notice)
    assert notice.text.startswith("Summarised 2 older turns: ")
    assert app.chat.agent.conversation.covered_count == 4


async def test_pin_keeps_a_question_with_its_answer_until_it_is_taken_off(tmp_path: Path) -> None:
    app = app_of(tmp_path, 3)
    assert await events_of(run_command(app.ready, "/pin 2")) == [
        Notice("Question 2 and its answer stay word for word.")
    ]
    assert app.chat.agent.conversation.pins == {2, 3}
    (listing,) = await events_of(run_command(app.ready, "/pin"))
    assert isinstance(listing, Listing)
    assert [row[:2] for row in listing.rows] == [("", "1"), ("●", "2"), ("", "3")]
    assert await events_of(run_command(app.ready, "/pin off 2")) == [
        Notice("Question 2 and its answer are no longer pinned.")
    ]
    assert app.chat.agent.conversation.pins == set()


@pytest.mark.parametrize("argument", ["4", "0", "off 9", "two", "9" * 20, "off"])
async def test_a_question_that_there_is_not_is_said(tmp_path: Path, argument: str) -> None:
    app = app_of(tmp_path, 3)
    (notice,) = await events_of(run_command(app.ready, f"/pin {argument}"))
    assert isinstance(notice, Notice)
    assert (notice.level, notice.text.partition(";")[0]) == ("error", "There are 3 questions")
    assert app.chat.agent.conversation.pins == set()


async def test_without_questions_there_is_nothing_to_pin(tmp_path: Path) -> None:
    said = Notice("No question was asked in this conversation yet.")
    assert await events_of(run_command(app_of(tmp_path, 0).ready, "/pin")) == [said]
    (notice,) = await events_of(run_command(app_of(tmp_path, 0).ready, "/pin 1"))
    assert notice == Notice(said.text, "error")


async def test_of_a_long_conversation_the_latest_questions_and_the_pinned_ones_are_listed(tmp_path: Path) -> None:
    app = app_of(tmp_path, 50)
    await events_of(run_command(app.ready, "/pin 3"))
    (listing,) = await events_of(run_command(app.ready, "/pin"))
    assert isinstance(listing, Listing)
    assert [row[1] for row in listing.rows] == ["3", *map(str, range(21, 51))]
