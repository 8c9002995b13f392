"""The command that lists profiles and changes to another one."""

from pathlib import Path

from chatbot.commands.registry import run_command
from chatbot.conversation.events import Listing, MarkdownText, Notice
from tests.fakes.app import FakeApp, events_of
from tests.fakes.model import ScriptedModel
from tests.fakes.profiles import write_profile


async def test_profiles_are_listed_with_the_one_in_force_marked(tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", greeting="Fills in forms.\nAsk away.")
    app = FakeApp(ScriptedModel([]), tmp_path)
    listing, where = await events_of(run_command(app.ready, "/profile"))
    assert where == Notice(f"Your own go into {tmp_path}/profiles.")
    assert isinstance(listing, Listing)
    assert listing.rows[0] == ("", "clerk", "yours", "Fills in forms.")
    assert [row[:3] for row in listing.rows[1:]] == [
        ("", "coder", "Magpie's"),
        ("●", "default", "Magpie's"),
        ("", "researcher", "Magpie's"),
        ("", "strudel", "Magpie's"),
    ]


async def test_what_is_wrong_with_a_profile_stands_in_the_list(tmp_path: Path) -> None:
    folder = write_profile(tmp_path, "clerk", "[]")
    listing, _ = await events_of(run_command(FakeApp(ScriptedModel([]), tmp_path).ready, "/profile"))
    assert listing.rows[0] == ("", "clerk", "yours", f"{folder}/profile.json must hold one JSON object.")


async def test_another_profile_is_put_in_force_with_its_model_and_greets(tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", {"model": "embedded:0.5b"}, greeting="Good day.")
    app = FakeApp(ScriptedModel([]), tmp_path)
    assert await events_of(run_command(app.ready, "/profile clerk")) == [
        Notice("The profile clerk is in force from now on, and embedded:0.5b answers."),
        MarkdownText("Good day."),
    ]
    answered = (await events_of(app.chat.agent.ask("Who are you?")))[-1]
    assert answered.text == "I am new."
    # The model is the profile's choice: without it the next run begins as before.
    assert not list(tmp_path.glob("*last*"))


async def test_behind_a_profile_with_a_model_the_one_before_it_answers_again(tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", {"model": "embedded:0.5b"})
    app = FakeApp(ScriptedModel([]), tmp_path)
    app.chat.models.current = "embedded:1.5b"
    await events_of(run_command(app.ready, "/profile clerk"))
    assert app.chat.models.current == "embedded:0.5b"
    assert await events_of(run_command(app.ready, "/profile default")) == [
        Notice("The profile default is in force from now on, and embedded:1.5b answers.")
    ]


async def test_the_model_that_was_chosen_by_hand_answers_on_where_no_profile_names_one(tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", {"temperature": 0.1})
    app = FakeApp(ScriptedModel([]), tmp_path)
    app.chat.take_configuration(app.configuration.with_setting("model", "embedded:1.5b"))
    await events_of(run_command(app.ready, "/model embedded:0.5b"))
    assert await events_of(run_command(app.ready, "/profile clerk")) == [
        Notice("The profile clerk is in force from now on.")
    ]
    assert app.chat.models.current == "embedded:0.5b"


async def test_the_greeting_is_shown_when_a_chat_begins_with_a_profile(tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", greeting="Good day.")
    app = FakeApp(ScriptedModel([]), tmp_path)
    assert [*await app.chat.start("", app.configuration.values.history)] == []
    await events_of(run_command(app.ready, "/profile clerk"))
    assert [*await app.chat.start("", app.configuration.values.history)] == [MarkdownText("Good day.")]
