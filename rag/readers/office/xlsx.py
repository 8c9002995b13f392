"""XLSX: each visible sheet as a heading with its tables, by openpyxl."""

import io
from collections.abc import Iterable, Iterator
from datetime import datetime, time
from typing import Any

from rag.readers.archive import Archive
from rag.readers.damage import translate_damage
from rag.readers.office.sheets import sheet_blocks
from rag.readers.properties.office import office_title
from rag.readers.text import name_of

_DIGITS_SHOWN = 15
"""What spreadsheets keep of a number: 0.1 + 0.2 is 0.3 there."""


def read_xlsx(data: bytes, source: str, _: str = "") -> tuple[str, str]:
    """Title, from the properties or the file's name, and Markdown; raises `DocumentError`."""
    from openpyxl.reader.excel import ARC_CORE, ARC_CUSTOM, ExcelReader

    name = name_of(source)
    with translate_damage(name, "an XLSX"):
        # openpyxl counts nothing of what it unpacks.
        Archive(data, source).check_size()
        # Sheets are read row by row, formulas as what they last came to.
        opened = ExcelReader(io.BytesIO(data), read_only=True, data_only=True)
        # A day in them that is none would be the end of it.
        opened.valid_files = [name for name in opened.valid_files if name not in (ARC_CORE, ARC_CUSTOM)]
        opened.read()
        book, title = opened.wb, office_title(data)
        blocks = [
            block
            for sheet in book.worksheets
            if sheet.sheet_state == "visible"
            for block in sheet_blocks(sheet.title, _read_rows(sheet))
        ]
    return title or name, "\n\n".join(blocks)


def _read_rows(sheet: Any) -> Iterator[list[str]]:
    # What a sheet says of its own size may be a million rows of nothing.
    sheet.reset_dimensions()
    for row in sheet.iter_rows():
        yield _shown_cells(row)


def _shown_cells(row: Iterable[Any]) -> list[str]:
    return [_shown_value(cell.value, cell) if cell.value is not None else "" for cell in row]


def _shown_value(value: Any, cell: Any) -> str:
    """A cell about as a person sees it: a day without midnight, a share in percent."""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime):
        return str(value.date() if value.time() == time() else value)
    if isinstance(value, int | float):
        if "%" in (cell.number_format or ""):
            return f"{value * 100:.{_DIGITS_SHOWN}g}%"
        return f"{value:.{_DIGITS_SHOWN}g}" if isinstance(value, float) else str(value)
    return str(value)
