from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest
from msgspec import Meta

from utils.settings import Name, UnknownSetting, WrongSetting, plain_settings, read_settings, section_names


@dataclass(frozen=True, kw_only=True)
class Nest:
    eggs: Annotated[int, Meta(ge=1, le=9)] = 3
    tree: Literal["oak", "ash", "elm"] = "oak"
    folder: Path | None = None

    def __post_init__(self) -> None:
        if self.tree == "elm" and self.eggs > 5:
            raise ValueError("eggs: it must be 5 at most in an elm")


@dataclass(frozen=True, kw_only=True)
class Bird:
    name: Annotated[str, Meta(min_length=3)] = "pica"
    weight: Annotated[float, Meta(gt=0)] | None = None
    tame: bool = False
    model: Name = ""
    calls: tuple[str, ...] = ("chak",)
    nest: Nest = Nest()


def test_what_is_read_is_written_as_it_was() -> None:
    bird = read_settings(Bird, {"weight": 2, "calls": ["a", "b"], "nest": {"folder": "/n", "eggs": 4}})
    assert bird == Bird(weight=2.0, calls=("a", "b"), nest=Nest(folder=Path("/n"), eggs=4))
    assert plain_settings(bird)["nest"] == {"eggs": 4, "tree": "oak", "folder": "/n"}
    assert read_settings(Bird, plain_settings(bird)) == bird


def test_the_environment_writes_numbers_and_truth_as_text() -> None:
    bird = read_settings(Bird, {"weight": "0.2", "tame": "true", "nest": {"eggs": "5"}})
    assert (bird.weight, bird.tame, bird.nest.eggs) == (0.2, True, 5)


@pytest.mark.parametrize(
    ("tree", "told"),
    [
        ({"nest": {"eggs": 0}}, "nest.eggs cannot be 0: it must be a whole number of at least 1"),
        ({"nest": {"eggs": "12"}}, "nest.eggs cannot be '12': it must be a whole number of at most 9"),
        ({"nest": {"eggs": "many"}}, "nest.eggs cannot be 'many': it must be a whole number"),
        ({"nest": {"tree": "a: b"}}, "nest.tree cannot be 'a: b': it must be oak, ash or elm"),
        ({"nest": {"folder": 3}}, "nest.folder cannot be 3: it must be a path"),
        ({"nest": {"tree": "elm", "eggs": 6}}, "nest.eggs cannot be 6: it must be 5 at most in an elm"),
        ({"nest": 7}, "nest cannot be 7: it must be an object"),
        ({"name": "a"}, "name cannot be 'a': it must be a text of a length of at least 3"),
        ({"model": "m" * 1001}, f"model cannot be '{'m' * 98}…: it must be a text of a length of at most 1000"),
        ({"model": "a\0b"}, "model cannot be 'a\\x00b': it must be a text without characters that cannot be shown"),
        ({"nest": {"folder": "a\0b"}}, "nest.folder cannot be 'a\\x00b': it can be the name of no file"),
        ({"nest": {"folder": "~nobodyhere"}}, "nest.folder cannot be '~nobodyhere': nobody has that home folder"),
        ({"weight": -1}, "weight cannot be -1: it must be a number above 0.0"),
        ({"weight": "x"}, "weight cannot be 'x': it must be a number or null"),
        ({"tame": "perhaps"}, "tame cannot be 'perhaps': it must be true or false"),
        ({"calls": ["a", 3]}, "calls cannot be ['a', 3]: it must be a text"),
    ],
)
def test_a_wrong_setting_is_told_with_its_name_and_what_it_must_be(tree: dict[str, object], told: str) -> None:
    with pytest.raises(WrongSetting) as caught:
        read_settings(Bird, tree)
    assert str(caught.value) == told


@pytest.mark.parametrize(("tree", "name"), [({"wings": 2}, "wings"), ({"nest": {"egs": 2}}, "nest.egs")])
def test_what_is_no_setting_is_refused_by_name(tree: dict[str, object], name: str) -> None:
    with pytest.raises(UnknownSetting, match=f"^{name}$"):
        read_settings(Bird, tree)


def test_the_settings_of_each_section_are_known() -> None:
    assert section_names(Bird) == {"nest": ("eggs", "tree", "folder")}
