"""What commands that judge models print as they go: a table that grows, in columns that fit any terminal, or JSON."""

import sys
from typing import Any

from chatbot.frontends.library_cli.progress import ProgressLine
from chatbot.frontends.plain import print_clean
from utils.errors import MagpieError
from utils.text import json_line

TABLE_WIDTH = 58
"""Columns that fit any terminal."""
CHECK_MARKS = {True: "✓", False: "✗", None: "–"}


class GrowingTable:
    """Lines for people on standard output; what is asked meanwhile stands on standard error, on a terminal."""

    def __init__(self) -> None:
        self._line = ProgressLine(sys.stderr)

    def show_failure(self, error: MagpieError) -> None:
        """Print a failure."""
        self.stop()
        print_clean(str(error), sys.stderr)

    def stop(self) -> None:
        """Leave nothing of what is asked now."""
        self._line.clear()

    def _print(self, text: str) -> None:
        print_clean(text, sys.stdout)


class EventLines:
    """One JSON object a line for programs, each with the version of its `schema`."""

    schema = 1

    def show_failure(self, error: MagpieError) -> None:
        """Print a failure."""
        self._print("error", {"problem": error.problem, "remedy": error.remedy})

    def stop(self) -> None:
        """There is nothing beside what is printed."""

    def _print(self, event: str, fields: dict[str, Any]) -> None:
        print_clean(json_line({"v": self.schema, "event": event, **fields}), sys.stdout)
