"""No regular expression of the program takes long on a text that was made to have it take long."""

import importlib
import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.fakes.growth import grows_too_fast
from tests.fakes.hostile_texts import hostile_units
from tests.fakes.places import ROOT

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for folder in ("chatbot", "tools", "rag", "utils")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "re.compile(" in path.read_text(encoding="utf-8")
}
USES = ("finditer", "findall", "search", "match", "fullmatch", "sub", "split")


@pytest.mark.parametrize("module", MODULES)
def test_what_a_pattern_takes_grows_with_the_text_and_not_with_its_square(module: str) -> None:
    slow = {}
    for name, use, pattern in patterns_of(module):
        found = next(
            ((before, unit) for before, unit in hostile_units(pattern) if grows_too_fast(use, unit, before)), None
        )
        if found is not None:
            slow[name] = found
    assert slow == {}


@pytest.mark.parametrize(("pattern", "slow"), [(r"a+b", True), (r"\w+@", True), (r"\w{1,64}@", False), (r"a+", False)])
def test_a_pattern_that_takes_the_square_is_found(pattern: str, slow: bool) -> None:
    use = bound(re.compile(pattern), "finditer")
    assert any(grows_too_fast(use, unit, before) for before, unit in hostile_units(re.compile(pattern))) == slow


def patterns_of(module: str) -> Iterator[tuple[str, Callable[[str], Any], re.Pattern[str]]]:
    """The patterns at a module's level, by name, each in the ways in which its code uses it."""
    source = MODULES[module].read_text(encoding="utf-8")
    for variable, value in vars(importlib.import_module(module)).items():
        used = set(re.findall(rf"\b{variable}\.({'|'.join(USES)})\(", source)) or {"finditer"}
        for number, pattern in enumerate(found_in(value)):
            for use in sorted(used):
                yield f"{variable}[{number}].{use}", bound(pattern, use), pattern


def found_in(value: object) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield value
    elif isinstance(value, list | tuple | set | frozenset):
        for one in value:
            yield from found_in(one)
    elif isinstance(value, dict):
        yield from found_in(list(value.values()))


def bound(pattern: re.Pattern[str], use: str) -> Callable[[str], Any]:
    if use == "finditer":
        return lambda text: deque(pattern.finditer(text), maxlen=0)
    if use == "sub":
        return lambda text: pattern.sub("", text)
    return getattr(pattern, use)  # type: ignore[no-any-return]
