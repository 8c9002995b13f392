from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.commands.registry import run_command
from chatbot.conversation.events import Listing, MarkdownText, Notice
from tests.fakes.app import FakeApp, events_of
from tests.fakes.researching import ResearchModel
from utils.errors import MagpieError

QUESTION = "When does the ferry leave, and what does it cost?"
LEAVES, COSTS = "When does the ferry leave?", "What does the ferry cost?"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[FakeApp]:
    made = FakeApp(ResearchModel(plan=(LEAVES, COSTS)), tmp_path)
    yield made
    made.chat.person.profile.close()


async def carried_out(app: FakeApp, line: str) -> list[object]:
    return list(await events_of(run_command(app.ready, line)))  # type: ignore[arg-type]


def planned(*rows: tuple[str, ...]) -> Listing:
    return Listing(f"Plan: {QUESTION}", ("", "sub-question", ""), rows)


async def ended(app: FakeApp) -> str:
    while not (isinstance(news := await app.notices.get(), Notice) and news.text.startswith("The re")):
        pass
    return news.text


async def test_a_plan_is_shown_changed_accepted_and_carried_out(app: FakeApp) -> None:
    plan, how = await carried_out(app, f"/research {QUESTION}")
    assert plan == planned(("1", LEAVES, ""), ("2", COSTS, ""))
    assert how == Notice(
        "/research go looks it up. Write `/research 2 other words`, `/research drop 2` or"
        " `/research add another question`."
    )
    plan, _ = await carried_out(app, "/research drop 2")
    assert plan == planned(("1", LEAVES, ""))
    await carried_out(app, "/research add Who steers the ferry?")
    plan, _ = await carried_out(app, "/research 1 When does the ferry leave in the morning?")
    rows = ("1", "When does the ferry leave in the morning?", ""), ("2", "Who steers the ferry?", "")
    assert plan == planned(*rows)
    assert await carried_out(app, "/research") == [planned(*rows), Notice("This plan waits: /research go looks it up.")]

    [begun] = await carried_out(app, "/research GO")
    assert isinstance(begun, Notice) and begun.text.startswith("Looking up 2 questions. It goes on in the background")
    assert await ended(app) == (
        f"The report on “{QUESTION}” is there: /research report shows it,"
        f" /resume {app.chat.research.finished.state.id} goes on with it."
    )
    [report] = await carried_out(app, "/research report")
    assert isinstance(report, MarkdownText) and "The ferry leaves at nine. [1]" in report.markdown


async def test_a_question_that_only_begins_like_a_change_is_planned(app: FakeApp) -> None:
    await carried_out(app, "/research 2 ferries: when do they leave?")
    assert app.chat.research.draft.question == "2 ferries: when do they leave?"
    await carried_out(app, "/research stop signs: what do they cost?")
    assert app.chat.research.draft.question == "stop signs: what do they cost?"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/research stop", Notice("No research is under way.", "error")),
        ("/research report", Notice("There is no report in this chat yet; earlier ones are in /history.", "error")),
        ("/research forget", Notice("Deleted 0 runs that had been cut off.")),
        (
            "/research",
            Notice("Nothing is being researched. Write a question after the command: /research <question>"),
        ),
    ],
)
async def test_what_there_is_not_is_said(app: FakeApp, line: str, told: Notice) -> None:
    assert await carried_out(app, line) == [told]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/research go", "No research is planned. /research <question> plans one."),
        ("/research resume", "There is no research that was cut off."),
        ("/research resume lido", "No research that was cut off is about 'lido'."),
    ],
)
async def test_what_cannot_be_done_is_said(app: FakeApp, line: str, told: str) -> None:
    with pytest.raises(MagpieError, match=told):
        await carried_out(app, line)
