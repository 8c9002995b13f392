"""What must be true of damaged conversations: every sound record is read back, and nothing that nobody said."""

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.damaged_records import damage_files, damage_records, prepare
from tests.fakes.processes import Worker

# `make torture` sets it; `make test` runs a tenth.
FULL = bool(os.environ.get("TORTURE"))
DAMAGES = 1000 if FULL else 100
AT_ONCE = 10


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A folder that was closed in peace, and what was said."""
    folder = tmp_path_factory.mktemp("sound")
    [said] = Worker(prepare, folder).rest()
    return folder, said


def told(work: Any, folder: Path, sound: tuple[Path, Any]) -> dict[str, Any]:
    """By damage, what came of it; several are done in one process, whose death is a fault."""
    found: dict[str, Any] = {}
    for start in range(0, DAMAGES, AT_ONCE):
        worker = Worker(work, sound[0], folder, range(start, start + AT_ONCE), sound[1])
        said = worker.rest()
        assert worker.exit_code == 0, said[-2:]
        found |= {f"{seed}: {done}": wrong for (seed, done), wrong in zip(said[::2], said[1::2], strict=True)}
    assert len(found) == DAMAGES
    return found


@pytest.mark.timeout(10 * DAMAGES)
def test_damaged_records_are_set_aside_and_counted_and_all_others_are_read(tmp_path, sound, torture_report) -> None:
    found = told(damage_records, tmp_path / "data", sound)
    assert {done: wrong for done, wrong in found.items() if wrong} == {}
    torture_report(f"{DAMAGES} times 1 to 5 damaged records: all set aside and counted, all others read back")


@pytest.mark.timeout(10 * DAMAGES)
def test_a_damaged_file_comes_back_from_its_copy_and_without_one_what_was_not_touched(
    tmp_path, sound, torture_report
) -> None:
    found = told(damage_files, tmp_path / "data", sound)
    assert {done: wrong for done, (_, wrong) in found.items() if wrong} == {}
    kinds = Counter(kind for kind, _ in found.values())
    torture_report(f"{DAMAGES} damaged files: {kinds['told']} brought back, {kinds['right']} right without; none lost")
