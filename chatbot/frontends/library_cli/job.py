"""What every command on the library gets, and how it speaks."""

import argparse
import shutil
import textwrap
from dataclasses import dataclass
from typing import Any, TextIO

from chatbot.config import Config
from chatbot.frontends.library_cli.progress import ProgressLine
from chatbot.frontends.plain import print_clean
from rag.library import Library
from utils.text import json_line

# Longer lines of running text are hard to read.
MAX_TEXT_WIDTH = 100


@dataclass(frozen=True)
class Job:
    """An open library, and what is wanted of it."""

    library: Library
    config: Config
    arguments: argparse.Namespace
    out: TextIO
    aside: TextIO
    """For everything that is not what was asked for."""
    line: ProgressLine
    """Tells on it how far the work is; whatever is printed takes its place."""

    @property
    def as_json(self) -> bool:
        """Whether a program reads what is printed."""
        return bool(self.arguments.json)

    def print_text(self, text: str) -> None:
        """Print a line, or several."""
        self.line.clear()
        print_clean(text, self.out)

    def print_aside(self, text: str) -> None:
        """Print a line, or several, beside what was asked for."""
        self.line.clear()
        print_clean(text, self.aside)

    def print_json(self, fields: dict[str, Any]) -> None:
        """Print an object on one line."""
        self.line.clear()
        print_clean(json_line(fields), self.out)


def text_width() -> int:
    """Columns for text."""
    return max(30, min(MAX_TEXT_WIDTH, shutil.get_terminal_size().columns - 1))


def wrap_text(text: str, indent: int) -> str:
    """Text in lines that fit, each moved to the right."""
    space = " " * indent
    return textwrap.fill(
        text,
        text_width(),
        initial_indent=space,
        subsequent_indent=space,
        break_long_words=False,
        break_on_hyphens=False,
    )


def format_table(rows: list[tuple[str, ...]]) -> str:
    """Columns side by side, each as wide as its widest cell."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows)
