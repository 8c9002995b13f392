"""What is read of a profile's folder, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from chatbot.profiles.folders import SHIPPED, ProfileFolders
from chatbot.profiles.profile import ChatProfile
from chatbot.profiles.values import ProfileValues, RetrievalValues
from tests.fakes.profiles import write_profile
from utils.errors import ConfigError


def folders_of(configured: Path) -> ProfileFolders:
    return ProfileFolders(configured / "profiles")


def test_a_profile_is_what_the_files_of_its_folder_say(tmp_path: Path) -> None:
    values = {"model": "tiny", "temperature": 0.1, "tools": ["calculate"], "retrieval": {"top_k": 8}}
    write_profile(tmp_path, "clerk", values, system="Answer as a clerk.\n", greeting="# For forms\n\nAsk away.")
    read = folders_of(tmp_path).read("clerk")
    told = ProfileValues(model="tiny", temperature=0.1, tools=["calculate"], retrieval=RetrievalValues(top_k=8))
    assert (read.name, read.values, read.instructions, read.is_shipped) == ("clerk", told, "Answer as a clerk.", False)
    assert (read.greeting, read.about) == ("# For forms\n\nAsk away.", "For forms")


def test_the_default_profile_says_nothing() -> None:
    read = folders_of(Path("/nowhere")).read("default")
    assert (read.values, read.instructions, read.greeting) == (ProfileValues(), "", "")
    assert read.values.settings == {}


def test_every_profile_that_comes_with_magpie_can_be_read() -> None:
    there = folders_of(Path("/nowhere"))
    assert there.list_names() == ["coder", "default", "researcher", "strudel"]
    assert [there.read(name).folder for name in there.list_names()] == [SHIPPED / name for name in there.list_names()]


def test_a_profile_of_the_users_stands_in_the_place_of_one_of_magpies(tmp_path: Path) -> None:
    write_profile(tmp_path, "coder", system="Write Ada.")
    assert folders_of(tmp_path).read("coder").instructions == "Write Ada."
    assert folders_of(tmp_path).list_names().count("coder") == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("strudle", "There is no profile 'strudle'. Did you mean strudel?"),
        ("../strudel", "There is no profile '../strudel'. Did you mean strudel?"),
        ("%%", "There is no profile '%%'. There are coder, default, researcher, strudel; yours go into {}/profiles."),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_or_with_all(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(ConfigError) as raised:
        folders_of(tmp_path).read(name)
    assert str(raised.value) == said.format(tmp_path)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ("{", "profile.json is not valid JSON: Expecting property name enclosed in double quotes at line 1, column 2."),
        ([], "profile.json must hold one JSON object."),
        ({"temperature": 9}, "profile.json): it must be a number of at most 2.0."),
        ({"tools": "all"}, "profile.json): it must be a list or null."),
        ({"answer_format": "xml"}, "profile.json): it must be text, json or strudel."),
    ],
)
def test_what_is_wrong_with_a_profile_is_said_in_one_sentence(tmp_path: Path, values: Any, said: str) -> None:
    write_profile(tmp_path, "clerk", values)
    with pytest.raises(ConfigError) as raised:
        folders_of(tmp_path).read("clerk")
    assert raised.value.problem.endswith(said)
    assert raised.value.remedy == "Mend it; docs/profiles.md has the keys."


@pytest.mark.parametrize(
    "values",
    [
        {"approval": "allow"},
        {"fetch": {"allow_hosts": ["10.0.0.1"]}},
        {"openai": {"base_url": "http://elsewhere.test"}},
        {"network": {}},
        {"rag": {"folder": "/"}},
        {"retrieval": {"reranker": "some/model"}},
        {"system_prompt_file": "/etc/passwd"},
    ],
)
def test_a_profile_cannot_loosen_what_is_trusted(tmp_path: Path, values: dict[str, Any]) -> None:
    write_profile(tmp_path, "clerk", values)
    with pytest.raises(ConfigError, match=r"^A profile cannot set [\w.]+, as .*; it can set .*Take it out\.$"):
        folders_of(tmp_path).read("clerk")


@pytest.mark.parametrize("file", ["system.md", "profile.json", "greeting.md"])
def test_a_link_out_of_a_profiles_folder_is_not_followed(tmp_path: Path, file: str) -> None:
    (tmp_path / "key").write_text('{"model": "secret"}')
    folder = write_profile(tmp_path, "clerk")
    (folder / file).symlink_to(tmp_path / "key")
    with pytest.raises(ConfigError, match=f"{file} leads out of the folder of its profile"):
        folders_of(tmp_path).read("clerk")


def test_a_profile_knows_when_a_file_of_it_was_changed(tmp_path: Path) -> None:
    folder = write_profile(tmp_path, "clerk", system="Be brief.")
    read = folders_of(tmp_path).read("clerk")
    assert not read.has_changed()
    (folder / "greeting.md").write_text("Good day.")
    assert read.has_changed()
    assert not folders_of(tmp_path).read("clerk").has_changed()
    assert not ChatProfile().has_changed()
