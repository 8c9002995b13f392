"""What users say of answers is kept with the turn, changed, taken back with it, and shown again."""

import json
from pathlib import Path

import pytest

from benchmarks.collections import read_judgements
from benchmarks.fit_answerability import make_cases
from benchmarks.router_data import make_example, read_lines
from chatbot.commands.registry import run_command
from chatbot.conversation.events import Asked, ContextUsed, Notice
from chatbot.conversation.sources import by_number
from chatbot.history.entries import Feedback
from chatbot.history.export.documents import to_markdown
from chatbot.history.feedback.export import FeedbackExport
from chatbot.history.feedback.marks import marked_turns
from chatbot.history.replay import replay_entries
from chatbot.history.store import Loaded
from chatbot.models.pipeline.decision.router import ANSWER
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from tests.fakes.app import PAGE, FakeApp, events_of
from tests.fakes.embedder import WordEmbedder
from tests.fakes.model import ScriptedModel, calls, says
from utils.errors import SessionError

REPLIES = [calls(("web_search", {"query": "ferry"})), says("At nine [1]."), says("You are welcome."), says("Seven.")]


async def talk(folder: Path, *questions: str) -> FakeApp:
    app = FakeApp(ScriptedModel(list(REPLIES)), folder)
    for question in questions:
        await events_of(app.chat.agent.ask(question))
    return app


async def run(app: FakeApp, line: str) -> list[object]:
    return [event for event in await events_of(run_command(app.ready, line)) if not isinstance(event, ContextUsed)]


async def loaded(app: FakeApp) -> Loaded:
    return await app.chat.sessions.load(app.chat.session)


async def test_an_answer_is_marked_and_marked_otherwise_and_the_last_mark_counts(tmp_path: Path) -> None:
    app = await talk(tmp_path, "When does the ferry leave?")
    assert await run(app, "/good") == [Notice("The last answer is marked as good. /bad changes that.")]
    await run(app, "/bad  It is last year's.")
    session = await loaded(app)
    assert [(number, mark) for number, _, mark in marked_turns(session.entries)] == [
        (1, Feedback(0, "bad", "It is last year's."))
    ]
    shown = [event for event in replay_entries(session.entries, by_number(session.messages))]
    assert shown[-1] == Notice("You marked this answer as bad: It is last year's.")
    assert "You marked this answer as bad: It is last year's." in to_markdown(session)


async def test_without_an_answer_there_is_nothing_to_mark(tmp_path: Path) -> None:
    app = await talk(tmp_path)
    with pytest.raises(SessionError, match="There is no answer yet that could be marked"):
        await run(app, "/good")
    await events_of(app.chat.agent.ask("When?"))
    with pytest.raises(SessionError, match="There is no answered question 2 in this conversation"):
        await app.chat.sessions.mark(app.chat.session, "good", question=2)


async def test_a_mark_is_shown_behind_its_answer_and_taken_back_with_it_alone(tmp_path: Path) -> None:
    app = await talk(tmp_path, "When does the ferry leave?", "Thanks!")
    await app.chat.sessions.mark(app.chat.session, "good", question=1)
    await run(app, "/bad")
    session = await loaded(app)
    shown = [e for e in replay_entries(session.entries, by_number(session.messages)) if isinstance(e, Asked | Notice)]
    assert [event.text for event in shown] == [
        "When does the ferry leave?",
        "You marked this answer as good.",
        "Thanks!",
        "You marked this answer as bad.",
    ]
    await run(app, "/undo")
    assert [mark.verdict for _, _, mark in marked_turns((await loaded(app)).entries)] == ["good"]
    await run(app, "/undo")
    assert [entry for entry in (await loaded(app)).entries if isinstance(entry.value, Feedback)] == []


async def test_marks_go_along_with_a_copy_and_with_the_json_of_a_conversation(tmp_path: Path) -> None:
    app = await talk(tmp_path, "When does the ferry leave?")
    await run(app, "/good")
    text = await app.chat.sessions.export_json(app.chat.session)
    await run(app, "/branch")
    assert len(marked_turns((await loaded(app)).entries)) == 1
    other = FakeApp(ScriptedModel([]), tmp_path / "other")
    taken = await other.chat.sessions.import_json(text)
    assert await other.chat.sessions.export_json(taken.id) == text
    assert await other.chat.sessions.marked() == [taken.id]


async def exported(app: FakeApp, folder: Path) -> Path:
    made = FeedbackExport()
    for session in await app.chat.sessions.marked():
        made.add(await app.chat.sessions.load(session))
    made.write(folder)
    return folder


async def test_the_readers_of_the_fittings_read_what_is_exported(tmp_path: Path) -> None:
    app = await talk(tmp_path, "When does the ferry leave?", "Thanks!", "How many are three and four?")
    for question, verdict in ((1, "good"), (2, "good"), (3, "bad")):
        await app.chat.sessions.mark(app.chat.session, verdict, question=question)
    folder = await exported(app, tmp_path / "marks")
    finder = EvidenceFinder(WordEmbedder())
    first, second = [await make_example(row, finder) for row in read_lines(folder / "router.jsonl")]
    assert (first.situation.message, first.accept) == ("When does the ferry leave?", ("search",))
    assert (second.situation.earlier, second.accept) == ("When does the ferry leave?", (ANSWER,))
    assert first.subject == second.subject == app.chat.session
    [case] = make_cases(folder)
    assert (case.question, case.passages) == ("When does the ferry leave?", (PAGE.text,))
    assert [list(gains.values()) for gains in read_judgements(folder).values()] == [[1]]
    marks = read_lines(folder / "feedback.jsonl")
    assert [(mark["question_number"], mark["verdict"]) for mark in marks] == [(1, "good"), (2, "good"), (3, "bad")]
    assert {path.stat().st_mode & 0o077 for path in folder.rglob("*.*")} == {0}


async def test_what_others_may_have_said_is_not_exported(tmp_path: Path) -> None:
    app = await talk(tmp_path, "When does the ferry leave?")
    await run(app, "/good")
    text = await app.chat.sessions.export_json(app.chat.session)
    other = FakeApp(ScriptedModel([]), tmp_path / "other")
    await other.chat.sessions.import_json(text)
    folder = await exported(other, tmp_path / "marks")
    assert {path.read_text() for path in folder.glob("*.jsonl")} == {""}


async def test_an_export_writes_over_an_earlier_one_and_over_nothing_else(tmp_path: Path) -> None:
    app = await talk(tmp_path, "When does the ferry leave?")
    await run(app, "/good")
    folder = await exported(app, tmp_path / "marks")
    assert await exported(app, folder) == folder
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "corpus.jsonl").write_text(json.dumps({"mine": 1}))
    with pytest.raises(SessionError, match="There are other files in"):
        await exported(app, tmp_path / "mine")
    (tmp_path / "file").write_text("")
    with pytest.raises(SessionError, match="cannot be written"):
        await exported(app, tmp_path / "file")
