"""What must be true of a library whose files are damaged: no process dies of it, and answers stay right."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.damage import BIRDS, make, suffer, suffer_at_heart
from tests.fakes.processes import Worker

FULL = bool(os.environ.get("TORTURE"))
DAMAGES = 1000 if FULL else 50
HEART = 200 if FULL else 10
AT_ONCE = 10


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A library that was closed in peace, and what it answers."""
    folder = tmp_path_factory.mktemp("sound")
    [answers] = Worker(make, folder, BIRDS).rest()
    assert all(answers)
    return folder, answers


def told(work: Any, folder: Path, count: int, sound: tuple[Path, Any]) -> dict[str, list[str]]:
    """By damage, what came of it; several are done in one process, whose death is a fault."""
    found: dict[str, list[str]] = {}
    for start in range(0, count, AT_ONCE):
        worker = Worker(work, sound[0], folder, range(start, start + AT_ONCE), sound[1])
        said = worker.rest()
        assert worker.exit_code == 0, said[-2:]
        found |= {f"{seed}: {done}": wrong for (seed, done), wrong in zip(said[::2], said[1::2], strict=True)}
    assert len(found) == count
    return found


@pytest.mark.timeout(10 * DAMAGES)
def test_damaged_indexes_are_found_out_and_made_anew(tmp_path, sound, torture_report) -> None:
    found = told(suffer, tmp_path / "library", DAMAGES, sound)
    assert {done: wrong for done, wrong in found.items() if wrong} == {}
    torture_report(f"{DAMAGES} damages of index files: all found out, answers before and after the rebuild right")


@pytest.mark.timeout(60 + 10 * HEART)
def test_a_damaged_library_answers_right_or_says_in_a_sentence_that_it_is_damaged(
    tmp_path, sound, torture_report
) -> None:
    found = told(suffer_at_heart, tmp_path / "library", HEART, sound)
    assert {done: said for done, said in found.items() if any("WRONG" in line for line in said)} == {}
    kinds = Counter("right" if said == ["right"] else "said" for said in found.values())
    torture_report(f"{HEART} damages of library.db: {kinds['right']} harmless, {kinds['said']} told, no wrong answer")
