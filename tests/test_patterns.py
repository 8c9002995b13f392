"""No regular expression of the program takes long on a text that was made to have it take long."""

import importlib
import re
import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.fakes.hostile_texts import hostile_units
from tests.fakes.places import ROOT

MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for folder in ("chatbot", "tools", "rag", "utils")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "re.compile(" in path.read_text(encoding="utf-8")
}
LENGTHS = (250, 1_000, 4_000)
MOST = 2.5
"""Times as long that twice the text may take: 2 where time grows with the text, 4 where it grows with its square."""
NOISE = 0.0015
"""Seconds below which a measurement says nothing; the square of the longest text takes ten times as long."""
TRIES = 4
USES = ("finditer", "findall", "search", "match", "fullmatch", "sub", "split")


@pytest.mark.parametrize("module", MODULES)
def test_twice_as_long_a_text_takes_a_pattern_about_twice_as_long(module: str) -> None:
    slow = {}
    for name, use, pattern in patterns_of(module):
        found = next((unit for unit in hostile_units(pattern) if all(grows(use, *unit) for _ in range(TRIES))), None)
        if found is not None:
            slow[name] = found
    assert slow == {}


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


def grows(use: Callable[[str], Any], before: str, unit: str) -> bool:
    """Whether a text of twice the length takes more than `MOST` times as long, where that can be measured.

    It begins with short texts: what grows with a higher power would take hours for a long one.
    """
    for length in LENGTHS:
        shorter, longer = (before + unit * (size // len(unit) + 1) + "\0" for size in (length, 2 * length))
        if seconds(use, longer) > NOISE:
            fastest = [min(seconds(use, text) for _ in range(3)) for text in (shorter, longer)]
            if fastest[1] > NOISE and fastest[1] / fastest[0] > MOST * len(longer) / len(shorter) / 2:
                return True
    return False


def seconds(use: Callable[[str], Any], text: str) -> float:
    begun = time.thread_time()
    use(text)
    return time.thread_time() - begun
