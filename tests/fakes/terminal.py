"""A terminal for tests: a pseudo-terminal, a program in it, and an emulated screen."""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pexpect
import pyte

from tests.fakes.places import ROOT
from tests.fakes.reflowing import ReflowingScreen

PATIENCE = 30.0


class Terminal:
    """A Python program on a pseudo-terminal, started in `folder` as its home, and the screen that it draws."""

    def __init__(
        self, command: Sequence[str], folder: Path, columns: int = 80, rows: int = 24, **environment: str
    ) -> None:
        self.screen = ReflowingScreen(columns, rows)
        self.raw = ""
        self._stream = pyte.Stream(self.screen)
        settings = {"TERM": "xterm-256color", "PYTHONPATH": str(ROOT), "HOME": str(folder), "PATH": os.environ["PATH"]}
        self.child = pexpect.spawn(
            sys.executable,
            list(command),
            env={**settings, "LANG": "C.UTF-8", **environment},
            dimensions=(rows, columns),
            encoding="utf-8",
            cwd=str(folder),
            # select() knows no file beyond the thousandth, and a long run of tests may have so many.
            use_poll=True,
        )

    @property
    def lines(self) -> list[str]:
        """All lines ever shown, without blanks at their ends."""
        above = ["".join(row[x].data for x in range(self.screen.columns)) for row in self.screen.history.top]
        return [line.rstrip() for line in [*above, *self.screen.display]]

    def type(self, text: str) -> None:
        self.child.send(text)

    def resize(self, columns: int, rows: int) -> None:
        """Make the window smaller or larger; the program is told."""
        self.screen.resize(rows, columns)
        self.child.setwinsize(rows, columns)

    def wait_for(self, text: str, count: int = 1, patience: float = PATIENCE) -> None:
        """Wait until the screen has the text."""
        end = time.monotonic() + patience
        while "\n".join(self.lines).count(text) < count:
            assert time.monotonic() < end, "\n".join([f"no {text!r} in:", *self.lines])
            self._read()

    def wait_for_end(self) -> int:
        """Wait until the child has left; its exit code."""
        while self.child.isalive():
            self._read()
        return int(self.child.exitstatus or 0)

    def _read(self) -> None:
        try:
            data = self.child.read_nonblocking(10_000, timeout=0.1)
        except pexpect.TIMEOUT:
            return
        except pexpect.EOF:
            self.child.wait()
            return
        # A terminal tells where its cursor is when it is asked; the question may arrive in two pieces.
        for _ in range((self.raw[-3:] + data).count("\x1b[6n")):
            self.child.send(f"\x1b[{self.screen.cursor.y + 1};{self.screen.cursor.x + 1}R")
        self.raw += data
        self._stream.feed(data)
