"""CSV and TSV: each row becomes a line that names its columns, so that a row is understood alone."""

import csv
import io
from collections.abc import Iterator, Sequence

from rag.readers.damage import translate_damage
from rag.readers.text import decode_text, name_of

_DIALECT_SAMPLE_CHARS = 8192
_DELIMITERS = ",;\t|"
_FIELD = 10_000_000


def read_csv(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title, the file's name, and text, `header: value; header: value` a row."""
    name = name_of(source)
    text = decode_text(data, name, charset)
    csv.field_size_limit(_FIELD)
    with translate_damage(name, "a table"):
        rows = [[" ".join(cell.split()) for cell in row] for row in csv.reader(io.StringIO(text), _find_dialect(text))]
    return name, "\n".join(_row_lines([row for row in rows if any(row)]))


def _find_dialect(text: str) -> type[csv.Dialect] | csv.Dialect:
    sample = text[:_DIALECT_SAMPLE_CHARS]
    try:
        # Whole lines only: half a quoted cell misleads the sniffer.
        return csv.Sniffer().sniff(sample[: sample.rfind("\n") + 1] or sample, _DELIMITERS)
    except csv.Error:
        first = sample.partition("\n")[0]
        return csv.excel_tab() if first.count("\t") > first.count(",") else csv.excel()


def _row_lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    header = rows[0] if rows and len(rows) > 1 and _is_header(rows[0]) else []
    for row in rows[1:] if header else rows:
        names = [f"{name}: " for name in header] + [""] * (len(row) - len(header))
        yield "; ".join(name + cell for name, cell in zip(names, row, strict=False) if cell)


def _is_header(row: Sequence[str]) -> bool:
    """Names of columns are there, differ, and are no numbers."""
    return all(row) and len(set(row)) == len(row) and not any(_is_number(cell) for cell in row)


def _is_number(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True
