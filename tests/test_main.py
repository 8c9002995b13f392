"""`python main.py` with a Python that lacks what Magpie needs."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.places import ROOT


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with nothing but main.py."""
    shutil.copy(ROOT / "main.py", tmp_path)
    return tmp_path


def start(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`python main.py` by a Python that finds no installed package."""
    command = [sys.executable, "-S", str(checkout / "main.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd="/", timeout=60)


def make_environment(checkout: Path, *marks: str) -> None:
    """An environment whose Python says what it is asked to run."""
    python = checkout / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    for mark in marks:
        (checkout / ".venv" / mark).touch()


@pytest.mark.parametrize("mark", [".chat", ".test"])
def test_it_goes_on_with_the_environment_of_the_checkout_and_the_same_arguments(checkout: Path, mark: str) -> None:
    make_environment(checkout, mark)
    done = start(checkout, "-m", "embedded:0.5b", "What is this?")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [str(checkout / "main.py"), "-m", "embedded:0.5b", "What is this?"]


@pytest.mark.parametrize("marks", [None, [], [".chat", ".installing"]])
def test_without_a_whole_environment_one_sentence_names_the_command_that_makes_it(
    checkout: Path, marks: list[str] | None
) -> None:
    if marks is not None:
        make_environment(checkout, *marks)
    done = start(checkout)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Magpie's packages are not installed") and "`make chat`" in done.stderr
    assert len(done.stderr.splitlines()) == 1
