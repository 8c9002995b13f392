"""A conversation is written down as it grows, and goes on where that fails."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from chatbot.conversation.events import AnswerDelta, Answered, Notice
from chatbot.conversation.messages import Message
from chatbot.conversation.turns import INTERRUPTED_MARK, cut_off
from chatbot.conversation.usage import Usage
from chatbot.history.entries import Spent, TurnAnswered
from chatbot.history.recorder import Recording
from chatbot.history.sessions import Sessions
from chatbot.history.titles import Titler
from tests.fakes.app import FakeApp, events_of
from tests.fakes.conversations import make_older
from tests.fakes.model import ScriptedModel, calls, says
from utils.errors import SessionError

SEARCH = calls(("web_search", {"query": "ferry"}))


async def messages(app: FakeApp) -> list[tuple[str, str, bool]]:
    loaded = await app.chat.sessions.load(app.chat.session)
    return [(message.role, message.content, message.interrupted) for message in loaded.messages]


async def test_everything_that_is_in_the_conversation_is_written_down_in_its_order(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([SEARCH, says("At nine [1].")]), tmp_path)
    await events_of(app.chat.agent.ask("When?"))
    loaded = await app.chat.sessions.load(app.chat.session)
    assert loaded.messages == app.chat.agent.conversation.messages


async def test_the_form_and_the_summary_of_an_answer_are_kept_and_shown_again(tmp_path: Path) -> None:
    filled = [{"type": "fact", "summary": "Nine."}, {"summary": "It leaves at nine."}]
    model = ScriptedModel([says("The ferry leaves at nine. " * 40)], filled=[*filled])
    app = FakeApp(model, tmp_path, answer_format="json", answer_summary=True)
    told = (await events_of(app.chat.agent.ask("When does the ferry leave?")))[-1]
    session = app.chat.session
    await app.chat.begin()
    shown = list(await app.chat.resume(session))[-1]
    assert isinstance(told, Answered) and isinstance(shown, Answered)
    assert shown.form == told.form and shown.form is not None and shown.form["summary"] == "Nine."
    assert shown.summary == told.summary == "It leaves at nine."


async def test_a_turn_that_is_stopped_is_written_down_with_what_had_arrived(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([[*says("At ni")[:1], None]]), tmp_path)
    events = app.chat.agent.ask("When?")
    while not isinstance(await anext(events), AnswerDelta):
        pass
    await events.aclose()
    assert await messages(app) == [("user", "When?", False), ("assistant", "At ni", True)]


async def test_a_turn_that_is_cancelled_twice_is_written_down_all_the_same(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([[None]]), tmp_path)
    task = asyncio.create_task(events_of(app.chat.agent.ask("When?")))
    while not app.chat.agent.conversation.messages:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert await messages(app) == [("user", "When?", False), ("assistant", INTERRUPTED_MARK, True)]


async def spendings(sessions: Sessions) -> list[tuple[str, str, int]]:
    return [(one.model, one.purpose, one.usage.prompt_tokens) for one in await sessions.usage()]


async def test_what_is_used_beside_an_answer_is_written_down_with_it_and_later_at_once(tmp_path: Path) -> None:
    sessions = await Sessions.open(tmp_path / "sessions.db")
    model = ScriptedModel([])
    recording = Recording(sessions, lambda: "large", Titler(lambda: model, sessions), lambda told: None)
    await recording.spend(Spent(Usage(1), "small", "searches"))
    assert await sessions.list() == [], "nothing was said yet: that is no conversation"
    await recording.add(Message("user", "When?"))
    for _ in range(20):
        await recording.spend(Spent(Usage(10), "small", "ranking"))
    entries = (await sessions.load(recording.session)).entries
    assert [entry.kind for entry in entries].count("spent") == 1, "no entry for each passage"
    await recording.add(Message("assistant", "At nine."))
    await recording.answered(Answered("", usage=Usage(100)))
    await recording.spend(Spent(Usage(5), "small", "titles"))
    assert await spendings(sessions) == [
        ("large", "", 100),
        ("small", "ranking", 200),
        ("small", "searches", 1),
        ("small", "titles", 5),
    ]
    await sessions.close()


async def test_what_is_used_after_a_turn_that_was_stopped_is_written_down_at_once(tmp_path: Path) -> None:
    sessions = await Sessions.open(tmp_path / "sessions.db")
    recording = Recording(sessions, lambda: "large", Titler(lambda: ScriptedModel([]), sessions), lambda told: None)
    await recording.add(Message("user", "When?"))
    await recording.add(*cut_off([Message("user", "When?")], "", ""))
    await recording.spend(Spent(Usage(5), "small", "ranking"))
    assert await spendings(sessions) == [("small", "ranking", 5)]
    await sessions.close()


async def test_of_an_older_file_what_was_spent_beside_answers_was_for_compaction(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    sessions = await Sessions.open(path)
    await sessions.append("one", Message("user", "q"), Message("assistant", "a"), TurnAnswered(Usage(7), 1.0, "small"))
    await sessions.append("one", Spent(Usage(1000), "small"))
    await sessions.close()
    make_older(path)
    sessions = await Sessions.open(path)
    assert await spendings(sessions) == [("small", "", 7), ("small", "compaction", 1000)]
    assert (await sessions.load("one")).messages[0].content == "q"
    await sessions.close()


@pytest.fixture
async def full(tmp_path: Path):
    """A file of conversations that has no room left, one that writes to it, and what the user is told."""
    sessions = await Sessions.open(tmp_path / "sessions.db")
    # The limit is one of a connection: nothing may examine the file meanwhile, and have it opened anew.
    assert sessions._copying is not None
    await sessions._copying
    told: list[Notice] = []
    model = ScriptedModel([says("Nine."), says("Four."), says("Yes.")])
    recording = Recording(sessions, lambda: "scripted", Titler(lambda: model, sessions), told.append)
    yield sessions, recording, model, told
    await sessions.close()


async def test_a_conversation_goes_on_when_nothing_can_be_written_and_is_saved_once_there_is_room(full) -> None:
    sessions, recording, _, told = full
    await recording.add(Message("user", "When?"))
    pages = limit(sessions, 0)
    for n in range(3):
        await recording.add(Message("user" if n % 2 else "assistant", f"{n} " + "Nine. " * 5000))
    [notice] = told
    assert notice.level == "warning" and "no room" in notice.text and "saved with the next message" in notice.text
    assert [m.content for m in (await sessions.load(recording.session)).messages][:1] == ["When?"]
    limit(sessions, pages)
    await recording.add(Message("user", "And?"))
    assert told[1:] == [Notice("Everything that was said is saved now.")]
    kept = (await sessions.load(recording.session)).messages
    assert [message.content[:5] for message in kept] == ["When?", "0 Nin", "1 Nin", "2 Nin", "And?"]


def limit(sessions: Sessions, pages: int) -> int:
    """Let the file grow to so many pages, 0: no further, as on a full disk; the limit that there was."""
    db: sqlite3.Connection = sessions._keeper.store._database._db
    before = db.execute("PRAGMA max_page_count").fetchone()[0]
    now = db.execute("PRAGMA page_count").fetchone()[0]
    db.execute(f"PRAGMA max_page_count = {pages or now}")
    return int(before)


async def test_nothing_older_is_taken_back_in_the_place_of_what_could_not_be_written(full) -> None:
    sessions, recording, _, _ = full
    await recording.add(Message("user", "When?"), Message("assistant", "Nine."))
    pages = limit(sessions, 0)
    await recording.add(Message("user", "Why? " * 9000), Message("assistant", "So."))
    with pytest.raises(SessionError, match="no room"):
        await sessions.undo(recording.session)
    limit(sessions, pages)
    undone = await sessions.undo(recording.session)
    assert undone is not None and undone.question.startswith("Why?")
    assert [m.content for m in (await sessions.load(recording.session)).messages] == ["When?", "Nine."]
