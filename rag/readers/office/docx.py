"""DOCX: headings, lists and tables as Markdown, by python-docx."""

import io
from collections.abc import Iterator
from typing import Any

from rag.readers.archive import Archive
from rag.readers.damage import translate_damage
from rag.readers.markup import join_blocks, table_of
from rag.readers.properties.office import office_title
from rag.readers.text import name_of

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_STYLES = 20
"""Styles that one may be based on through others; Word allows eleven."""


def read_docx(data: bytes, source: str, _: str = "") -> tuple[str, str]:
    """Title, from the properties or the first heading, and text; raises `DocumentError`."""
    import docx

    name = name_of(source)
    with translate_damage(name, "a DOCX"):
        # python-docx unpacks every part at once and counts nothing.
        Archive(data, source).check_size()
        document = docx.Document(io.BytesIO(data))
        marks = _style_marks(document.styles)
        blocks = [_block_markdown(element, marks) for element in _iter_elements(document.element.body)]
        title = office_title(data)
    heading = next((block for block in blocks if block.startswith("#")), "").lstrip("# ")
    return title or heading or name, join_blocks(blocks)


def _iter_elements(parent: Any) -> Iterator[Any]:
    """Paragraphs and tables in their order, also those in content controls."""
    for element in parent:
        if element.tag in {_W + "p", _W + "tbl"}:
            yield element
        elif element.tag == _W + "sdt" and (content := element.find(_W + "sdtContent")) is not None:
            yield from _iter_elements(content)


def _block_markdown(element: Any, marks: dict[str, str]) -> str:
    """A paragraph or a table as Markdown."""
    if element.tag == _W + "tbl":
        return table_of([[_cell_text(cell) for cell in row.iter(_W + "tc")] for row in element.iterchildren(_W + "tr")])
    text = " ".join(str(element.text).split())
    listed = element.find(f"{_W}pPr/{_W}numPr") is not None
    mark = marks.get(element.style or "", "")
    return (mark or ("- " if listed else "")) + text if text else ""


def _cell_text(cell: Any) -> str:
    return " ".join(str(paragraph.text) for paragraph in cell.iter(_W + "p"))


def _style_marks(styles: Any) -> dict[str, str]:
    """What stands before a paragraph, by the id of its style."""
    return {style.style_id: mark for style in styles if (mark := _style_mark(style))}


def _style_mark(style: Any) -> str:
    """By the style or the first that it is based on. Their names are English in every language of Word."""
    for _ in range(_STYLES):
        if style is None:
            break
        kind, _, level = (style.name or "").partition(" ")
        if kind == "Heading" and level.isdecimal():
            return "#" * min(int(level), 6) + " "
        if style.name == "Title":
            return "# "
        if style.element.find(f"{_W}pPr/{_W}numPr") is not None:
            return "- "
        style = getattr(style, "base_style", None)
    return ""
