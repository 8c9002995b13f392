"""Titles are made in the background, and never in the way."""

import asyncio
from pathlib import Path

from chatbot.history.titles import make_title
from tests.fakes.app import FakeApp, events_of
from tests.fakes.model import ScriptedModel, says
from utils.errors import ModelUnavailable


async def ask(app: FakeApp, question: str) -> None:
    await events_of(app.chat.agent.ask(question))
    # The title is made by a task of its own.
    for _ in range(200):
        await asyncio.sleep(0.005)
        if not any("_name" in repr(task.get_coro()) for task in asyncio.all_tasks()):
            return


async def titles(app: FakeApp) -> list[str]:
    return [info.title for info in await app.chat.sessions.list()]


async def test_the_model_names_a_conversation_after_its_first_answer_and_not_again(tmp_path: Path) -> None:
    model = ScriptedModel(
        [says("Nine."), says("Four.")], filled=[{"title": "  Ferry\ntimes \x1b[31m"}, {"title": "No"}]
    )
    app = FakeApp(model, tmp_path)
    await ask(app, "When?")
    assert await titles(app) == ["Ferry times"]
    await ask(app, "How much?")
    assert await titles(app) == ["Ferry times"] and model.filled == [{"title": "No"}]


async def test_where_the_model_has_no_title_the_first_question_is_it_and_the_next_answer_tries_again(
    tmp_path: Path,
) -> None:
    filled = [ModelUnavailable("Gone."), {"title": "Ferries"}]
    app = FakeApp(ScriptedModel([says("Nine."), says("Four.")], filled=filled), tmp_path)
    await ask(app, "When?")
    assert await titles(app) == ["When?"]
    await ask(app, "How much?")
    assert await titles(app) == ["Ferries"]


async def test_a_question_goes_before_the_title_that_is_being_made(tmp_path: Path) -> None:
    model = ScriptedModel([says("Nine."), says("Four.")], filled=[None, {"title": "Ferries"}])
    app = FakeApp(model, tmp_path)
    await events_of(app.chat.agent.ask("When?"))
    while model.filled[0] is None:
        await asyncio.sleep(0.005)
    await ask(app, "How much?")
    assert await titles(app) == ["Ferries"]


async def test_a_title_of_the_user_stays(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([says("Nine."), says("Four.")], filled=[{}, {"title": "Ferries"}]), tmp_path)
    await ask(app, "When?")
    await app.chat.name("Mine")
    await ask(app, "How much?")
    assert await titles(app) == ["Mine"]


async def test_a_conversation_that_is_left_gets_no_title_any_more(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([says("Nine.")], filled=[None]), tmp_path)
    await events_of(app.chat.agent.ask("When?"))
    await app.chat.begin()
    assert await titles(app) == ["When?"]
    assert not any("_name" in repr(task.get_coro()) for task in asyncio.all_tasks())


async def test_a_title_that_is_no_text_is_none() -> None:
    assert await make_title(ScriptedModel([], filled=[{}]), "When?", "Nine.") == ""
