"""JSON lines: every record is a document; read as a stream, so that a collection may be of any size."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from rag.readers.json import lines_of, title_in
from rag.readers.text import name_of
from utils.errors import DocumentError

_TEXTS = ("text", "content", "body")
_MAX_LINE = 10_000_000
"""Bytes of a record."""
_MAX_LINES_SHOWN = 5
"""Bad lines that are named."""

Record = tuple[str, str, str]


def read_records(file: BinaryIO, source: str) -> Iterator[Record]:
    """Source, `path#line`, title and text of each record that has text.

    Raises `DocumentError` at the end when there were lines that are no JSON.
    """
    for number, record in _read_values(file, source):
        text = _record_text(record)
        if text.strip():
            yield f"{source}#{number}", title_in(record) or f"{name_of(source)}#{number}", text


def read_beir(file: BinaryIO, source: str) -> Iterator[Record]:
    """`_id`, title and text of each record of a BEIR corpus; a title without text is the text.

    Raises `DocumentError` at the end when there were lines that are no such records.
    """
    for _, record in _read_values(file, source, required="_id"):
        title, text = str(record.get("title") or ""), str(record.get("text") or "")
        if title.strip() or text.strip():
            yield str(record["_id"]), title, text if text.strip() else title


def joined_records(data: bytes, source: str) -> tuple[str, str]:
    """Title and text of JSON lines as one document, an empty line between two records."""
    import io

    records = read_records(io.BytesIO(data), source)
    return name_of(source), "\n\n".join(_with_title(title, text, source) for _, title, text in records)


def _with_title(title: str, text: str, source: str) -> str:
    return text if title.startswith(f"{name_of(source)}#") else f"{title}\n{text}"


def _read_values(file: BinaryIO, source: str, required: str = "") -> Iterator[tuple[int, Any]]:
    """Line numbers, counted from one, and what stands there."""
    bad: list[int] = []
    number = 0
    while line := file.readline(_MAX_LINE + 1):
        number += 1
        if len(line) > _MAX_LINE:
            bad.append(number)
            _skip_line(file, line)
        elif line.strip():
            try:
                value = json.loads(line.decode("utf-8-sig"))
            except (ValueError, RecursionError):
                bad.append(number)
                continue
            if required and not (isinstance(value, dict) and value.get(required) is not None):
                bad.append(number)
            else:
                yield number, value
    if bad:
        shown = ", ".join(map(str, bad[:_MAX_LINES_SHOWN])) + (", ..." if len(bad) > _MAX_LINES_SHOWN else "")
        count = f"{len(bad):,} of {number:,} lines cannot be read as JSON records"
        raise DocumentError(f"{name_of(source)}: {count}: {shown}.", "What stands in the other lines was read.")


def _skip_line(file: BinaryIO, line: bytes) -> None:
    while line and not line.endswith(b"\n"):
        line = file.readline(_MAX_LINE)


def _record_text(record: Any) -> str:
    """What the record keeps under a usual name, else all its strings, else whatever it holds."""
    if not isinstance(record, dict):
        return "\n".join(lines_of(record))
    kept = next((record[key] for key in _TEXTS if isinstance(record.get(key), str) and record[key].strip()), "")
    if kept:
        return str(kept)
    return "\n".join(_iter_strings(record)) or "\n".join(lines_of(record))


def _iter_strings(value: Any) -> Iterator[str]:
    if isinstance(value, str) and value.strip():
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _iter_strings(item)
