"""Tables of Markdown as sentences: a row alone says nothing of what its columns are, nor of the heading above it."""

import re
from collections.abc import Iterator, Sequence

_ROW = re.compile(r"^\s*\|.*\|\s*$")
_RULE = re.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
_HEADING = re.compile(r"^#{1,6} (.+)$")


def speak_tables(text: str) -> str:
    """The text with each row of a table as a line of its own: "Tickets – Age: under 16, Price: free"."""
    return "\n".join(_spoken(text.split("\n")))


def spoken_rows(text: str) -> list[str]:
    """The rows of a text's tables, each as a sentence."""
    lines = text.split("\n")
    known = set(lines)
    return [line for line in _spoken(lines) if line not in known]


def _spoken(lines: Sequence[str]) -> Iterator[str]:
    heading, columns = "", list[str]()
    for place, line in enumerate(lines):
        if found := _HEADING.match(line):
            heading = found[1].strip()
        if not _ROW.match(line):
            columns = []
        elif place + 1 < len(lines) and _RULE.match(lines[place + 1]):
            columns = _cells(line)
            continue
        elif columns and _RULE.match(line):
            continue
        elif columns:
            line = _speak(heading, columns, _cells(line))
        yield line


def _speak(heading: str, columns: Sequence[str], cells: Sequence[str]) -> str:
    pairs = [f"{column}: {cell}" if column else cell for column, cell in zip(columns, cells, strict=False) if cell]
    row = ", ".join(pairs)
    return f"{heading} – {row}" if heading and row else row


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
