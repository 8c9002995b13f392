"""A full disk and a failing write: it is told, nothing that was saved is harmed, and it goes on when there is room."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes import full_disk
from tests.fakes.full_disk import FIRST, REFUSED

SCRIPT = [sys.executable, str(Path(full_disk.__file__))]
SMALL = 'mount -t tmpfs -o size=1500k tmpfs "$0" && exec "$@"'
PROMISE = "What was said is kept until then, and saved with the next message."


def run(*command: str) -> list[dict[str, object]]:
    process = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (process.returncode, process.stderr) == (0, "")
    results: list[dict[str, object]] = json.loads(process.stdout)
    return results


def test_on_a_full_disk_everything_is_kept_until_there_is_room(tmp_path: Path) -> None:
    inside = ["unshare", "-rm", "sh", "-c", SMALL, str(tmp_path)]
    if not shutil.which("unshare") or subprocess.run([*inside, "true"], capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    path = tmp_path / "data" / "sessions.db"
    sentence = f"There is no room on the disk for the history {path}. Make room. {PROMISE}"
    assert run(*inside, *SCRIPT, str(tmp_path), "tmpfs") == [
        {
            "told": [sentence] * REFUSED,
            "drafted": False,
            "unsaved": 2 * REFUSED,
            "meanwhile": 2 * FIRST,
            "all there": True,
        }
    ]


def test_whichever_write_fails_nothing_is_harmed_and_all_is_saved_later(tmp_path: Path) -> None:
    results = run(*SCRIPT, str(tmp_path), "limit")
    assert len(results) == 25
    assert [result["all there"] for result in results] == [True] * 25
    for result in results:
        told, unsaved, meanwhile = result["told"], result["unsaved"], result["meanwhile"]
        assert isinstance(told, list) and isinstance(unsaved, int) and isinstance(meanwhile, int)
        assert told
        assert all(sentence.endswith(PROMISE) for sentence in told)
        # A draft that still fitted becomes the end of no turn: the turn before it had ended.
        assert meanwhile + unsaved == 2 * (FIRST + REFUSED)
