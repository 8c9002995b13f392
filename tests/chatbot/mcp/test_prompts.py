import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatbot.conversation.events import Answered, Asked, Listing, Notice
from chatbot.prompts.loader import read_prompt
from chatbot.trust.consent import Decision, Request
from chatbot.trust.taint import is_tainted, known_addresses
from tests.chatbot.mcp.test_tools import chat, say, write_servers
from tests.fakes import mcp_texts
from tests.fakes.app import FakeApp
from tests.fakes.model import ScriptedModel, says
from utils.errors import MagpieError

NOTES = {"command": sys.executable, "args": [str(mcp_texts.__file__)], "timeout": 5}
WHY = "the words are those of its server, not yours"
QUESTION = "How is the weather in Bad Ems in 3 days?"


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[FakeApp]:
    write_servers(tmp_path, weather=NOTES)
    async with chat(tmp_path, says("It is sunny.")) as app:
        yield app


def answers_with(app: FakeApp, decision: Decision) -> list[Request]:
    asked: list[Request] = []

    async def ask(request: Request) -> Decision:
        asked.append(request)
        return decision

    app.chat.consent.ask = ask
    return asked


async def test_prompts_are_listed_as_they_are_written(app: FakeApp) -> None:
    rows = (
        ("weather.weather place= [days=]", "Asks for it"),
        *((f"weather.{name}", "") for name in ("talk", "with file", "file", "nothing", "huge")),
    )
    listing = Listing("Prompts of MCP servers", ("/mcp prompt", "what it asks"), rows)
    assert await say(app, "/mcp prompts") == [listing]


@pytest.mark.parametrize(
    "written",
    [
        "weather.weather place=Bad Ems days=3",
        'weather place="Bad Ems"  days="3"',
        "weather.weather days=3 place=Bad Ems",
    ],
)
async def test_a_prompt_is_shown_and_asked_once_the_user_agrees(app: FakeApp, written: str) -> None:
    asked = answers_with(app, "once")
    events = await say(app, f"/mcp prompt {written}")
    origin = "the prompt weather.weather"
    assert asked == [Request("the model", QUESTION, WHY, f"{origin}\n{QUESTION}")]
    assert asked[0].question == f"Magpie would send this to the model, and {WHY}."
    assert (events[0], isinstance(events[-1], Answered)) == (Asked(QUESTION), True)
    [question, _] = app.chat.agent.conversation.messages
    assert (question.content, question.origin) == (QUESTION, origin)
    assert is_tainted([question])


async def test_what_is_not_agreed_to_is_not_asked(app: FakeApp) -> None:
    answers_with(app, "no")
    assert await say(app, "/mcp prompt talk") == [Notice("Not asked: the prompt weather.talk.")]
    app.chat.consent.ask = None
    assert await say(app, "/mcp prompt talk") == [Notice("Not asked: the prompt weather.talk.")]
    assert app.chat.agent.conversation.messages == []


async def test_what_a_prompt_encloses_goes_fenced_with_it(app: FakeApp) -> None:
    asked = answers_with(app, "once")
    await say(app, "/mcp prompt weather.with file")
    assert [request.sent for request in asked] == [
        "What follows from this?\n\n(with the enclosed weather:notes://today, 9 characters)"
    ]
    model = app.chat.agent.model
    assert isinstance(model, ScriptedModel)
    sent = model.sent[0][0][-1].prompt_text
    told = f"{read_prompt('attached')}\n\n{read_prompt('attached_numbers')}"
    assert sent.startswith(f"What follows from this?\n\n{told}\n\n[1]\n<outside ")
    assert " from the resource weather:notes://today>\nIt rains.\n</outside " in sent


async def test_the_addresses_of_a_prompt_are_not_the_users(app: FakeApp) -> None:
    answers_with(app, "once")
    await say(app, "/mcp prompt weather place=https://evil.example/x")
    assert known_addresses(app.chat.agent.conversation.messages) == []


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("gone a=b", "There is no prompt gone. /mcp prompts lists them."),
        ("weather", "The prompt weather.weather needs place. Write /mcp prompt weather.weather place= [days=]"),
        (
            "weather place=Bonn dyas=3",
            "The prompt weather.weather has no argument dyas. Write /mcp prompt weather.weather place= [days=]",
        ),
        ("weather Bonn", "“Bonn” is no argument. Write /mcp prompt weather.weather place= [days=]"),
    ],
)
async def test_what_is_wrongly_written_is_said_in_one_sentence(app: FakeApp, written: str, told: str) -> None:
    with pytest.raises(MagpieError) as raised:
        await say(app, f"/mcp prompt {written}")
    assert str(raised.value) == told


async def test_a_name_that_two_servers_have_is_asked_for_in_full(tmp_path: Path) -> None:
    write_servers(tmp_path, weather=NOTES, other={**NOTES, "enabled": False})
    async with chat(tmp_path, says("Nobody.")) as app:
        await say(app, "/mcp enable other")
        answers_with(app, "once")
        with pytest.raises(MagpieError) as raised:
            await say(app, "/mcp prompt talk")
        assert str(raised.value) == ("Several servers have a prompt talk. Name one of them: other.talk, weather.talk.")
        assert isinstance((await say(app, "/mcp prompt other.talk"))[-1], Answered)
