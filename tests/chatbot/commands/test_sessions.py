"""The commands on conversations that last."""

from dataclasses import replace
from pathlib import Path

import pytest

from chatbot.commands.registry import run_command
from chatbot.conversation.events import (
    AnswerDelta,
    Answered,
    AnswerWithdrawn,
    Asked,
    BrowseHistory,
    Cleared,
    ContextUsed,
    EditText,
    Notice,
    ToolFinished,
)
from chatbot.conversation.messages import Message
from chatbot.history.entries import TurnAnswered as Ended
from chatbot.history.sessions import Sessions
from chatbot.history.settings import HistorySettings
from tests.fakes.app import NOTES, PAGE, FakeApp, events_of
from tests.fakes.model import USAGE, ScriptedModel, calls, says
from utils.errors import SessionError

SEARCH = calls(("web_search", {"query": "ferry"}))


async def asked(app: FakeApp, *questions: str) -> FakeApp:
    for question in questions:
        await events_of(app.chat.agent.ask(question))
    return app


async def run(app: FakeApp, line: str) -> list[object]:
    """What a command gives, without how full the window is."""
    return [event for event in await events_of(run_command(app.ready, line)) if not isinstance(event, ContextUsed)]


async def ferry(folder: Path, *more: str) -> FakeApp:
    replies = [SEARCH, says("At nine [1]."), *map(says, more), says("Again."), says("And again.")]
    return await asked(FakeApp(ScriptedModel(replies), folder), "When does the ferry leave?")


def contents(app: FakeApp) -> list[str]:
    return [message.content for message in app.chat.agent.conversation.messages if message.role != "tool"]


async def test_a_conversation_is_gone_on_with_as_it_looked_and_its_sources_keep_their_numbers(tmp_path: Path) -> None:
    app = await ferry(tmp_path)
    session = app.chat.session
    before = list(app.chat.agent.conversation.messages)
    await run(app, "/clear")
    assert app.chat.agent.conversation.messages == []
    cleared, going_on, question, call, answer, ended = await run(app, "/resume ferry")
    assert (cleared, question, answer) == (
        Cleared(),
        Asked("When does the ferry leave?"),
        AnswerDelta("At nine [1]."),
    )
    assert isinstance(going_on, Notice) and going_on.text.startswith("Going on with “When does the ferry leave?” of 20")
    assert isinstance(call, ToolFinished) and isinstance(ended, Answered)
    assert [source.passage for source in call.sources] == [PAGE, NOTES]
    assert [source.passage for source in ended.cited] == [PAGE] and ended.usage == USAGE + USAGE
    assert (app.chat.session, app.chat.agent.conversation.messages) == (session, before)
    source = app.chat.agent.conversation.sources.get(1)
    assert source is not None and source.passage == PAGE


async def test_the_calls_of_a_conversation_that_goes_on_have_numbers_of_their_own(tmp_path: Path) -> None:
    app = await ferry(tmp_path)
    model = app.chat.agent.model
    assert isinstance(model, ScriptedModel)
    model.replies[:0] = [SEARCH, says("Nine [1].")]
    await run(app, "/clear")
    await run(app, "/resume")
    await asked(app, "Really?")
    results = [message for message in app.chat.agent.conversation.messages if message.role == "tool"]
    assert [message.call_id for message in results] == ["call_1", "call_2"]


async def test_only_the_last_turns_of_a_long_conversation_are_shown_again(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([says(f"Answer {n}.") for n in range(6)]), tmp_path)
    await asked(app, *(f"Question {n}?" for n in range(6)))
    await run(app, "/clear")
    _, going_on, *shown = await run(app, "/resume")
    assert [event.text for event in shown if isinstance(event, Asked)] == ["Question 3?", "Question 4?", "Question 5?"]
    assert isinstance(going_on, Notice) and going_on.text.endswith("Its first 3 questions can be read in /history.")


async def test_what_no_conversation_has_is_said(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path)
    with pytest.raises(SessionError, match="There is no earlier conversation"):
        await run(app, "/resume")
    with pytest.raises(SessionError, match="No conversation is or has 'whale'"):
        await run(app, "/resume whale")
    assert await run(app, "/history") == [Notice("No conversation is kept yet.")]
    assert await run(app, "/history whale") == [Notice("No conversation has 'whale'.")]


async def test_history_lists_the_conversations_that_have_the_words(tmp_path: Path) -> None:
    app = await ferry(tmp_path)
    ferries = app.chat.session
    await run(app, "/clear")
    await asked(app, "What is a whale?")
    [browse] = await run(app, "/history ferry")
    assert isinstance(browse, BrowseHistory) and browse.words == "ferry"
    assert [(row[0], row[2], row[3]) for row in browse.listing.rows] == [(ferries, "4", "When does the ferry leave?")]
    [everything] = await run(app, "/history")
    assert isinstance(everything, BrowseHistory)
    assert [row[3] for row in everything.listing.rows] == ["What is a whale?", "When does the ferry leave?"]


async def test_undo_takes_back_one_turn_after_the_other_and_says_which(tmp_path: Path) -> None:
    app = await asked(await ferry(tmp_path, "Four crowns."), "And the price?")
    assert await run(app, "/undo") == [Notice("Taken back: “And the price?” and its answer.")]
    assert contents(app) == ["When does the ferry leave?", "", "At nine [1]."]
    assert await run(app, "/undo") == [Notice("Taken back: “When does the ferry leave?” and its answer.")]
    assert await run(app, "/undo") == [Notice("There is nothing to take back in this conversation.", "warning")]
    await asked(app, "And now?")
    assert contents(app) == ["And now?", "Again."]
    loaded = await app.chat.sessions.load(app.chat.session)
    assert [message.content for message in loaded.messages] == ["And now?", "Again."]


async def test_retry_asks_the_same_question_again_in_the_place_of_the_old_answer(tmp_path: Path) -> None:
    app = await ferry(tmp_path)
    note = app.chat.agent.conversation.messages[0].note
    first, *_, answered = await run(app, "/retry")
    assert first == Notice("Again: “When does the ferry leave?”")
    assert isinstance(answered, Answered) and answered.text == "Again."
    assert contents(app) == ["When does the ferry leave?", "Again."]
    assert app.chat.agent.conversation.messages[0].note == note


async def test_edit_puts_the_last_question_where_the_user_types(tmp_path: Path) -> None:
    app = await ferry(tmp_path)
    assert (await run(app, "/edit"))[1:] == [EditText("When does the ferry leave?")]
    assert app.chat.agent.conversation.messages == []
    assert await run(app, "/edit") == [Notice("There is nothing to take back in this conversation.", "warning")]


async def test_a_branch_goes_its_own_way_and_leaves_the_original_as_it_is(tmp_path: Path) -> None:
    app = await ferry(tmp_path)
    original = app.chat.session
    [notice] = await run(app, "/branch")
    assert notice == Notice(f"You go on in a copy with 1 question; the original is /resume {original}.")
    await asked(app, "And then?")
    sessions = app.chat.sessions
    assert len((await sessions.load(original)).messages) == 4
    branched = await sessions.load(app.chat.session)
    assert (branched.info.parent, [m.content for m in branched.messages][-2:]) == (original, ["And then?", "Again."])


async def test_a_title_is_told_and_given(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([says("Nine.")]), tmp_path)
    assert await run(app, "/title") == [Notice("Nothing was said yet that could have a title.")]
    with pytest.raises(SessionError, match="Nothing was said yet"):
        await run(app, "/title Ferries")
    await asked(app, "When?")
    assert await run(app, "/title") == [Notice("This conversation is “When?”.")]
    assert await run(app, "/title Ferries \x1b[31m") == [Notice("This conversation is “Ferries” now.")]
    [info] = await app.chat.sessions.list()
    assert info.title.startswith("Ferries")


async def test_the_answer_that_ended_a_turn_is_kept_with_what_it_cost(tmp_path: Path) -> None:
    app = await ferry(tmp_path)
    loaded = await app.chat.sessions.load(app.chat.session)
    [ended] = [entry.value for entry in loaded.entries if isinstance(entry.value, Ended)]
    assert (ended.usage, ended.model, ended.cited) == (USAGE + USAGE, "scripted", (1,))


async def test_a_turn_that_was_stopped_is_shown_again_with_what_had_arrived(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([[*says("At ni")[:1], None], [None]]), tmp_path)
    for until in (AnswerDelta, ContextUsed):
        events = app.chat.agent.ask("When?")
        while not isinstance(await anext(events), until):
            pass
        await events.aclose()
    await run(app, "/clear")
    stopped = [AnswerWithdrawn(), Notice("Stopped.")]
    assert (await run(app, "/resume"))[2:] == [Asked("When?"), AnswerDelta("At ni"), *stopped, Asked("When?"), *stopped]


async def test_a_run_begins_with_what_was_named_else_as_the_setting_says(tmp_path: Path) -> None:
    app = await ferry(tmp_path)
    chats, ferries = app.chat, app.chat.session
    new, last = HistorySettings(), HistorySettings(at_start="last")
    for wanted, settings, there in [("", new, False), ("", last, True), ("ferry", new, True), (ferries[:9], new, True)]:
        await chats.begin()
        list(await chats.start(wanted, settings))
        assert (chats.session == ferries) == there
    empty = FakeApp(ScriptedModel([]), tmp_path / "empty")
    assert list(await empty.chat.start("", last)) == []
    with pytest.raises(SessionError, match="There is no earlier conversation"):
        await empty.chat.start("last", new)


async def test_a_conversation_that_is_open_elsewhere_goes_on_in_a_copy(tmp_path: Path) -> None:
    here, there = [await Sessions.open(tmp_path / "sessions.db") for _ in range(2)]
    session = here.new_id()
    await here.append(session, Message("user", "When?"), Message("assistant", "At nine."))
    app = FakeApp(ScriptedModel([]), tmp_path / "fake")
    chats = replace(app.chat, person=replace(app.chat.person, sessions=there))
    *_, note = await chats.resume(session)
    assert note == Notice("This conversation is open elsewhere; you go on in a copy of it.", "warning")
    assert chats.session != session and contents(app) == ["When?", "At nine."]
    await here.close()
    await there.close()
