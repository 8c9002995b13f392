"""Jupyter notebooks: Markdown as it is written, code and short outputs as fenced blocks."""

import json
from collections.abc import Iterator
from typing import Any

from rag.readers.damage import translate_damage
from rag.readers.markdown import heading_of
from rag.readers.markup import fence_code
from rag.readers.text import decode_text, name_of

_MAX_OUTPUT = 2000
"""Characters; a longer output is data or a log, and nobody looks for that."""


def read_notebook(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title, the first heading, and Markdown; raises `DocumentError` for what is no notebook."""
    name = name_of(source)
    with translate_damage(name, "a notebook"):
        book = json.loads(decode_text(data, name, charset))
        # Until 2014 cells stood in worksheets.
        cells = book["cells"] if "cells" in book else [cell for sheet in book["worksheets"] for cell in sheet["cells"]]
        language = _notebook_language(book)
        text = "\n\n".join(block for cell in cells for block in _cell_blocks(cell, language) if block.strip())
    return heading_of(text) or name, text


def _notebook_language(book: dict[str, Any]) -> str:
    metadata = book.get("metadata", {})
    found = metadata.get("language_info", {}).get("name") or metadata.get("kernelspec", {}).get("language")
    return str(found or "")


def _cell_blocks(cell: dict[str, Any], language: str) -> Iterator[str]:
    text = _join_lines(cell.get("source", cell.get("input", "")))
    if cell["cell_type"] == "heading":
        yield "#" * int(cell.get("level", 1)) + " " + text
    elif cell["cell_type"] != "code":
        yield text
    elif text.strip():
        yield fence_code(text, language)
    for output in cell.get("outputs", ()):
        shown = _join_lines(output.get("data", {}).get("text/plain") or output.get("text", ""))
        if shown.strip() and len(shown) <= _MAX_OUTPUT:
            yield fence_code(shown)


def _join_lines(text: str | list[str]) -> str:
    """Text is kept whole or as a list of its lines."""
    return text if isinstance(text, str) else "".join(text)
