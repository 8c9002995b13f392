"""What a profile changes in a chat, and that nothing changes without one."""

from pathlib import Path
from typing import Any

import pytest

from chatbot.config import load_configuration
from chatbot.conversation.events import Answered, Notice
from chatbot.engine.profile_choice import use_profile
from tests.fakes.app import events_of
from tests.fakes.model import ScriptedModel, says
from tests.fakes.profiles import write_profile
from tests.fakes.site_app import RunningChat, running_chat
from utils.errors import ConfigError, ModelError


def chat_of(folder: Path, **options: Any) -> Any:
    (folder / "config.json").write_text("{}")
    settings = {"data_dir": str(folder), "rag.enabled": False} | {k.replace("__", "."): v for k, v in options.items()}
    return running_chat(load_configuration(folder / "config.json", settings, {}))


async def ask(running: RunningChat, question: str, model: ScriptedModel) -> list[Any]:
    running.chat.agent.use_model(model)
    return [*await events_of(running.chat.agent.ask(question))]


async def prompt_of(folder: Path, **options: Any) -> tuple[str, tuple[str, ...]]:
    """What a question's prompt begins with: the system text and the names of the tools."""
    async with chat_of(folder, **options) as running:
        model = ScriptedModel([says("Yes.")])
        await ask(running, "Is it?", model)
    [(messages, tools)] = model.sent
    return messages[0].content, tools


async def test_the_default_profile_sends_the_prompt_that_is_sent_without_one(tmp_path: Path) -> None:
    without = await prompt_of(tmp_path)
    assert await prompt_of(tmp_path, profile="default") == without
    assert without[0].startswith("You are Magpie, ")


async def test_what_a_profile_tells_the_model_stands_behind_magpies_own_words(tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", system="Answer as a clerk.")
    system, tools = await prompt_of(tmp_path)
    assert await prompt_of(tmp_path, profile="clerk", system_prompt="Be brief.") == (
        f"{system}\n\nAnswer as a clerk.\n\nBe brief.",
        tools,
    )


async def test_only_the_tools_that_a_profile_names_are_on(tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", {"tools": ["calculate", "date_and_time"]})
    system, tools = await prompt_of(tmp_path, profile="clerk")
    assert tools == ("calculate", "date_and_time")
    assert "web_search" not in system


async def test_a_tool_that_is_misspelt_is_told_once(tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", {"tools": ["web_serch", "notes.find"]})
    said = "The profile clerk names the tool web_serch, which there is not. Did you mean web_search?"
    async with chat_of(tmp_path, profile="clerk") as running:
        model = ScriptedModel([says("Yes."), says("Yes.")])
        first, second = await ask(running, "Is it?", model), await ask(running, "Is it?", model)
    assert [event for event in first if isinstance(event, Notice)] == [Notice(said, "warning")]
    assert not any(isinstance(event, Notice) for event in second)


async def test_a_profile_stands_between_the_file_and_the_command_line(tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", {"temperature": 0.1, "answer_format": "json"})
    async with chat_of(tmp_path, profile="clerk", temperature=0.9) as running:
        values = running.configuration.values
    assert (values.temperature, values.answer_format) == (0.9, "json")


async def test_another_profile_takes_everything_of_the_first_one_away(tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", {"temperature": 0.1, "tools": ["calculate"]}, system="Answer as a clerk.")
    async with chat_of(tmp_path) as running:
        before = running.configuration.values
        await use_profile(running.chat, "clerk")
        assert running.configuration.values.temperature == 0.1
        await use_profile(running.chat, "default")
        assert running.configuration.values == before
        model = ScriptedModel([says("Yes.")])
        await ask(running, "Is it?", model)
    assert "clerk" not in model.sent[0][0][0].content
    assert len(model.sent[0][1]) > 5


@pytest.mark.parametrize(
    ("values", "kind"), [("{", ConfigError), ({"secret": 1}, ConfigError), ({"model": "no:such"}, ModelError)]
)
async def test_a_profile_that_cannot_be_used_changes_nothing(tmp_path: Path, values: Any, kind: type) -> None:
    write_profile(tmp_path, "clerk", values, system="Answer as a clerk.")
    async with chat_of(tmp_path) as running:
        before = running.configuration
        with pytest.raises(kind):
            await use_profile(running.chat, "clerk")
        assert running.configuration is before
        assert running.chat.profile.profile.name == "default"


async def test_what_a_profile_decides_is_not_written_to_the_file(tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", {"temperature": 0.1})
    async with chat_of(tmp_path) as running:
        await use_profile(running.chat, "clerk")
        running.chat.set("show_thinking", False)
        running.configuration.save_settings()
    assert "temperature" not in (tmp_path / "config.json").read_text()


async def test_what_is_set_by_hand_holds_in_the_place_of_the_profiles(tmp_path: Path) -> None:
    write_profile(tmp_path, "clerk", {"temperature": 0.1})
    async with chat_of(tmp_path) as running:
        await use_profile(running.chat, "clerk")
        running.chat.set("temperature", 0.5)
        assert running.configuration.values.temperature == 0.5
        assert '"temperature": 0.5' in (tmp_path / "config.json").read_text()


async def test_files_that_were_changed_are_read_again_before_the_next_question(tmp_path: Path) -> None:
    folder = write_profile(tmp_path, "clerk", system="Answer as a clerk.")
    async with chat_of(tmp_path, profile="clerk") as running:
        model = ScriptedModel([says("Yes."), says("No."), says("Yes.")])
        await ask(running, "Is it?", model)
        (folder / "system.md").write_text("Answer as a pirate.")
        told, *_, answered = await ask(running, "Is it?", model)
        assert told == Notice("The profile clerk was changed and is read again.")
        assert isinstance(answered, Answered)
        assert not any(isinstance(event, Notice) for event in await ask(running, "Is it?", model))
    systems = [messages[0].content for messages, _ in model.sent]
    assert ["pirate" in system for system in systems] == [False, True, True]
    # The beginning of the prompts stays the same while no file changes.
    assert systems[1] == systems[2]


async def test_a_profile_that_is_broken_meanwhile_stays_as_it_was_and_that_is_told_once(tmp_path: Path) -> None:
    folder = write_profile(tmp_path, "clerk", {"temperature": 0.1}, system="Answer as a clerk.")
    async with chat_of(tmp_path, profile="clerk") as running:
        model = ScriptedModel([says("Yes."), says("No.")])
        (folder / "profile.json").write_text("{,")
        told, *_, answered = await ask(running, "Is it?", model)
        assert isinstance(told, Notice)
        assert told.level == "warning"
        assert told.text.endswith("Until then the profile clerk stays as it was.")
        assert answered.text == "Yes."
        assert not any(isinstance(event, Notice) for event in await ask(running, "And now?", model))
        assert running.configuration.values.temperature == 0.1
    assert "clerk" in model.sent[1][0][0].content


async def test_a_model_that_a_changed_profile_names_in_vain_is_told_once(tmp_path: Path) -> None:
    folder = write_profile(tmp_path, "clerk", {"temperature": 0.1})
    async with chat_of(tmp_path, profile="clerk") as running:
        model = ScriptedModel([says("Yes."), says("No.")])
        (folder / "profile.json").write_text('{"model": "no:such", "temperature": 0.9}')
        told, *_, answered = await ask(running, "Is it?", model)
        assert told.text.endswith("Until then the profile clerk stays as it was.")
        assert answered.text == "Yes."
        assert not any(isinstance(event, Notice) for event in await ask(running, "And now?", model))
        assert running.configuration.values.temperature == 0.1


async def test_an_unknown_profile_on_the_command_line_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^There is no profile 'codre'\. Did you mean coder\?$"):
        async with chat_of(tmp_path, profile="codre"):
            pass
