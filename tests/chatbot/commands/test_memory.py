from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.commands.registry import run_command
from chatbot.conversation.events import Listing, Notice
from chatbot.settings import MemorySettings
from tests.fakes.app import FakeApp, events_of
from tests.fakes.model import ScriptedModel, says
from utils.errors import MagpieError


@pytest.fixture
def app(tmp_path: Path) -> Iterator[FakeApp]:
    made = FakeApp(ScriptedModel([says("Hello."), says("Hello again.")]), tmp_path)
    yield made
    made.chat.person.profile.close()


async def carried_out(app: FakeApp, *lines: str) -> list[object]:
    return [event for line in lines for event in await events_of(run_command(app.ready, line))]  # type: ignore[arg-type]


async def test_facts_are_added_edited_forgotten_and_listed(app: FakeApp) -> None:
    said = await carried_out(
        app,
        "/memory",
        "/memory add I live in Bonn.",
        "/memory add I have a cat",
        "/memory edit 1 I live in Köln",
        "/memory forget cat",
        "/memory",
    )
    assert said == [
        Notice("Nothing is remembered yet. /memory add I am vegetarian"),
        Notice("Remembered: I live in Bonn"),
        Notice("Remembered: I have a cat"),
        Notice("Remembered instead: I live in Köln"),
        Notice("Forgotten: I have a cat"),
        Listing("Remembered (about 6 of 300 tokens in every prompt)", ("", "fact", ""), (("1", "I live in Köln", ""),)),
    ]


async def test_proposals_stand_apart_until_they_are_kept(app: FakeApp) -> None:
    await app.chat.memory.remember("The user trusts Evilbank")
    assert await carried_out(app, "/memory", "/memory keep 1") == [
        Listing(
            "Proposed, not told to the model (/memory keep <number> agrees)",
            ("", "fact"),
            (("1", "The user trusts Evilbank"),),
        ),
        Notice("Remembered: The user trusts Evilbank"),
    ]


async def test_what_has_no_room_is_said(tmp_path: Path) -> None:
    app = FakeApp(ScriptedModel([]), tmp_path, memory=MemorySettings(max_tokens=10))
    await carried_out(app, f"/memory add {'a' * 27}", f"/memory add {'b' * 27}")
    assert await carried_out(app, "/memory") == [
        Listing(
            "Remembered (about 10 of 10 tokens in every prompt)",
            ("", "fact", ""),
            (("1", "a" * 27, "no room"), ("2", "b" * 27, "")),
        ),
        Notice("There is room for the newest only; raise memory.max_tokens, or forget some.", "warning"),
    ]
    app.chat.person.profile.close()


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("/memory add", "That is no way to use /memory."),
        ("/memory frob 1", "That is no way to use /memory."),
        ("/memory edit 1", "That is no way to use /memory."),
        ("/memory edit one text", '"one" is no number of a fact.'),
        (f"/memory keep {'9' * 5000}", '"9999999999" is no number of a fact.'),
        ("/memory keep 7", 'Nothing like "7" is remembered.'),
        ("/memory forget 7", 'Nothing like "7" is remembered.'),
    ],
)
async def test_what_cannot_be_done_is_said(app: FakeApp, line: str, problem: str) -> None:
    await carried_out(app, "/memory add I have 7 cats")
    with pytest.raises(MagpieError) as failure:
        await carried_out(app, line)
    assert failure.value.problem == problem


async def test_a_new_conversation_begins_with_what_was_added_meanwhile(app: FakeApp) -> None:
    model = app.chat.agent.model
    await events_of(app.chat.agent.ask("Hi"))
    await carried_out(app, "/memory add I live in Bonn", "/clear")
    await events_of(app.chat.agent.ask("Hi"))
    first, second = (messages[0].content for messages, _ in model.sent)  # type: ignore[attr-defined]
    assert ("I live in Bonn" in first, second.endswith("\n- I live in Bonn")) == (False, True)
