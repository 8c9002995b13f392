"""Markdown from parts: a tree of HTML elements, tables, fenced blocks."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

_SKIPPED = frozenset({"head", "script", "style", "template", "svg", "math", "nav"})
_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_BROKEN_HERE = "\x1f"
"""What stands for a line that is broken on purpose: the source has lines of its own, and never this sign."""
_FIGURE_OR_NAME = re.compile(r"\d|:")
"""What lines of hours and prices have, and lines of prose that goes on in the next one seldom all have."""
# As HTML names the language of code: <pre><code class="language-python">.
_LANGUAGE_CLASS = re.compile(r"(?<!\S)language-([\w+#-]{1,40})(?!\S)")
_BLOCKS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div", "dl", "dt", "figcaption"}
    | {"figure", "footer", "form", "header", "hr", "html", "main", "ol", "p", "section", "summary", "ul"}
)


def table_of(rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table whose first row is the header; empty when no cell has text."""
    cells = [[" ".join(cell.replace("|", "\\|").split()) for cell in row] for row in rows]
    cells = [row for row in cells if any(row)]
    width = max(map(len, cells), default=0)
    lines = ["| " + " | ".join(row + [""] * (width - len(row))) + " |" for row in cells]
    return "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]]) if lines else ""


def fence_code(code: str, language: str = "") -> str:
    """A code block whose fence is longer than any in the code."""
    longest = max((len(run) for run in re.findall(r"`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code.rstrip()}\n{fence}"


def join_blocks(blocks: Iterable[str]) -> str:
    """Blocks with an empty line between them; items of one list stand line by line."""
    text, last = "", ""
    for block in filter(None, blocks):
        listed = last.lstrip().startswith("- ") and block.lstrip().startswith("- ")
        text += ("\n" if listed else "\n\n" if text else "") + block
        last = block
    return text


def markdown_of(root: Any) -> str:
    """The text of an lxml element that was parsed as HTML: headings, lists, tables and code keep their form."""
    writer = _Writer()
    writer.walk_element(root)
    writer.flush_block()
    return join_blocks(writer.blocks)


class _Writer:
    def __init__(self) -> None:
        self.blocks: list[str] = []
        self._prefix = ""
        self._inline: list[str] = []

    def flush_block(self) -> None:
        broken = (" ".join(line.split()) for line in "".join(self._inline).split(_BROKEN_HERE))
        lines = list(filter(None, broken))
        of_data = not self._prefix and all(_FIGURE_OR_NAME.search(line) for line in lines[:-1])
        text = ("\n" if of_data else " ").join(lines)
        self._inline.clear()
        if text:
            self.blocks.append(self._prefix + text)
            self._prefix = ""

    def walk_element(self, element: Any) -> None:
        tag = element.tag
        # Comments and processing instructions have a function for a tag.
        if not isinstance(tag, str) or tag in _SKIPPED:
            return
        if tag in {"pre", "table"}:
            self.flush_block()
            self.blocks.append(_preformatted_block(element) if tag == "pre" else table_of(_table_rows(element)))
            return
        block = tag in _BLOCKS or tag in _HEADINGS or tag == "li"
        if block:
            self.flush_block()
            # The first text within an item takes its mark, be it in a paragraph of its own.
            self._prefix = _HEADINGS.get(tag) or ("- " if tag == "li" else self._prefix)
        self._inline.append(_BROKEN_HERE if tag == "br" else element.text or "")
        for child in element:
            self.walk_element(child)
            self._inline.append(child.tail or "")
        if block:
            self.flush_block()
            self._prefix = "" if tag in _HEADINGS or tag == "li" else self._prefix


def _preformatted_block(element: Any) -> str:
    code = "".join(element.itertext()).strip("\n")
    classes = " ".join([element.get("class", ""), *(child.get("class", "") for child in element[:1])])
    language = _LANGUAGE_CLASS.search(classes)
    return fence_code(code, language[1] if language else "") if code.strip() else ""


def _table_rows(table: Any) -> Iterable[list[str]]:
    for row in table.iter("tr"):
        yield ["".join(cell.itertext()) for cell in row.iterchildren("td", "th")]
