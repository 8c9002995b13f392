"""ODT, ODS and ODP: headings, lists, tables, sheets and slides as Markdown.

Read by lxml: odfpy, the library for it, was last released in 2020, and hands out the same tree, made more slowly.
"""

from collections.abc import Iterator
from typing import Any

from rag.readers.archive import Archive
from rag.readers.damage import translate_damage
from rag.readers.markup import join_blocks, table_of
from rag.readers.office.sheets import sheet_blocks
from rag.readers.properties.office import opendocument_title
from rag.readers.text import name_of
from utils.errors import DocumentError

_OASIS = "urn:oasis:names:tc:opendocument:xmlns:"
_TEXT = f"{{{_OASIS}text:1.0}}"
_TABLE = f"{{{_OASIS}table:1.0}}"
_OFFICE = f"{{{_OASIS}office:1.0}}"
_DRAW = f"{{{_OASIS}drawing:1.0}}"
_PRESENTATION = f"{{{_OASIS}presentation:1.0}}"
_MANIFEST = f"{{{_OASIS}manifest:1.0}}"
_MAX_REPEATED = 100
"""How often a cell or a row that says that it is repeated is written out."""
_UNSEEN = frozenset(
    {f"{_TEXT}note-citation", f"{_TEXT}tracked-changes", f"{_TEXT}table-of-content"}
    | {f"{_OFFICE}annotation", f"{_OFFICE}forms", f"{_DRAW}frame"}
)


def read_opendocument(data: bytes, source: str, _: str = "") -> tuple[str, str]:
    """Title, from the properties or the first heading, and Markdown; raises `DocumentError`."""
    name = name_of(source)
    with translate_damage(name, "an OpenDocument file"):
        archive = Archive(data, source)
        _refuse_locked(archive, name)
        body = _parse_part(archive.read("content.xml")).find(_OFFICE + "body")[0]
        title = opendocument_title(data)
        text = join_blocks(_body_blocks(body))
    heading = next((line for line in text.splitlines() if line.startswith("#")), "").lstrip("# ")
    sheets = body.tag == _OFFICE + "spreadsheet"
    return title or ("" if sheets else heading) or name, text


def _refuse_locked(archive: Archive, name: str) -> None:
    if "META-INF/manifest.xml" in archive:
        manifest = _parse_part(archive.read("META-INF/manifest.xml"))
        if manifest.find(f".//{_MANIFEST}encryption-data") is not None:
            raise DocumentError(f"{name} is protected by a password.", "Save a copy without it.")


def _parse_part(data: bytes) -> Any:
    from lxml import etree

    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False))


def _body_blocks(body: Any) -> Iterator[str]:
    if body.tag == _OFFICE + "spreadsheet":
        for sheet in body.iterchildren(_TABLE + "table"):
            yield from sheet_blocks(sheet.get(_TABLE + "name", ""), _table_rows(sheet))
    elif body.tag == _OFFICE + "presentation":
        for number, page in enumerate(body.iterchildren(_DRAW + "page"), 1):
            yield from _slide_blocks(page, number)
    else:
        yield from _iter_blocks(body)


def _slide_blocks(page: Any, number: int) -> Iterator[str]:
    title, body, notes = "", list[str](), list[str]()
    for shape in page:
        blocks = list(_iter_blocks(shape))
        if shape.get(_PRESENTATION + "class") == "title" and not title:
            title = " ".join(blocks)
        else:
            (notes if shape.tag == _PRESENTATION + "notes" else body).extend(blocks)
    if title or body or notes:
        yield f"## {title or f'Slide {number}'}"
    yield from body
    if notes:
        yield "### Notes"
        yield from notes


def _iter_blocks(parent: Any, depth: int = 0) -> Iterator[str]:
    """Paragraphs, headings, lists and tables below an element, in their order."""
    for element in parent:
        if not isinstance(element.tag, str) or element.tag in _UNSEEN - {_DRAW + "frame"}:
            continue
        if element.tag == _TEXT + "h":
            level = element.get(_TEXT + "outline-level", "1")
            text = _element_text(element)
            yield "#" * min(int(level) if level.isdecimal() else 1, 6) + " " + text if text else ""
        elif element.tag == _TEXT + "p":
            yield _element_text(element)
            # A frame that hangs on a paragraph has a text of its own.
            yield from _iter_blocks([frame for frame in element.iter(_DRAW + "text-box")], depth)
        elif element.tag == _TEXT + "list":
            for item in element:
                yield from _item_lines(item, depth)
        elif element.tag == _TABLE + "table":
            yield table_of(_table_rows(element))
        else:
            yield from _iter_blocks(element, depth)


def _item_lines(item: Any, depth: int) -> Iterator[str]:
    mark = "  " * depth + "- "
    for block in _iter_blocks(item, depth + 1):
        yield block if block.lstrip().startswith("- ") or not block else mark + block


def _table_rows(table: Any) -> Iterator[list[str]]:
    """The rows of a table; rows and columns that are hidden are no part of it."""
    for row in table.iter(_TABLE + "table-row"):
        # Rows of a table in a cell are a part of that cell.
        if next(row.iterancestors(_TABLE + "table")) is not table or row.get(_TABLE + "visibility") == "collapse":
            continue
        cells = list(_row_cells(row))
        while cells and not cells[-1]:
            cells.pop()
        for _ in range(_repeated(row, _TABLE + "number-rows-repeated") if cells else 1):
            yield cells


def _row_cells(row: Any) -> Iterator[str]:
    for cell in row.iterchildren(_TABLE + "table-cell", _TABLE + "covered-table-cell"):
        text = " ".join(_element_text(each) for each in cell.iter(_TEXT + "p", _TEXT + "h"))
        for _ in range(_repeated(cell, _TABLE + "number-columns-repeated")):
            yield text


def _repeated(element: Any, attribute: str) -> int:
    count = element.get(attribute, "1")
    return min(int(count), _MAX_REPEATED) if count.isdecimal() else 1


def _element_text(element: Any) -> str:
    return " ".join("".join(_text_parts(element)).split())


def _text_parts(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag in {_TEXT + "s", _TEXT + "tab", _TEXT + "line-break"}:
            yield " "
        elif child.tag == _TEXT + "note":
            yield f" ({' '.join(''.join(_text_parts(child)).split())})"
        elif isinstance(child.tag, str) and child.tag not in _UNSEEN:
            yield from _text_parts(child)
        yield child.tail or ""
