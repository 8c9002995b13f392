"""Entries read from the pages of a file that SQLite itself no longer reads; each proves itself by its digest.

The layout of pages and records is that of https://www.sqlite.org/fileformat2.html.
"""

import struct
from collections.abc import Iterator
from pathlib import Path

from chatbot.history.entries import EntryRow

PAGE_BYTES = 4096
"""Bytes of a page, as the schema sets it."""
_PAGE_HEADER_BYTES = 8
_LARGEST_LOCAL = PAGE_BYTES - 35
_SMALLEST_LOCAL = (PAGE_BYTES - 12) * 32 // 255 - 23
_FRAME = 24
_WAL_HEADER = 32
# A record has six fields; more bytes than this of their types would be those of something else.
_LONGEST_RECORD_HEADER = 100
_LARGEST_PAYLOAD = 1 << 30


class _Pages:
    """The pages of a file, those in its write-ahead log in the place of older ones."""

    def __init__(self, path: Path) -> None:
        self._file = path.read_bytes()
        log = path.with_name(f"{path.name}-wal")
        self._logged = dict(_logged_pages(log.read_bytes())) if log.exists() else {}
        self.count = max([-(-len(self._file) // PAGE_BYTES), *self._logged])

    def get_page(self, number: int) -> bytes:
        """A page by its number, from 1; empty or short where the file ends before it does."""
        return self._logged.get(number) or self._file[(number - 1) * PAGE_BYTES : number * PAGE_BYTES]


def carve_entries(path: Path) -> Iterator[EntryRow]:
    """Every sound entry in the pages of a file, in no order; raises `OSError`."""
    pages = _Pages(path)
    for number in range(1, pages.count + 1):
        page = pages.get_page(number)
        # Whatever a page says that it is: an entry is known by its digest.
        for start in _cell_offsets(page, 100 if number == 1 else 0):
            row = _read_entry(pages, page, start)
            if row is not None and row.is_sound:
                yield row


def _logged_pages(log: bytes) -> Iterator[tuple[int, bytes]]:
    """Pages in a write-ahead log, the newest last, up to where the frames of another one begin."""
    salt = log[16:24]
    for at in range(_WAL_HEADER, len(log) - _FRAME - PAGE_BYTES + 1, _FRAME + PAGE_BYTES):
        if log[at + 8 : at + 16] != salt:
            return
        yield struct.unpack_from(">I", log, at)[0], log[at + _FRAME : at + _FRAME + PAGE_BYTES]


def _cell_offsets(page: bytes, header: int) -> Iterator[int]:
    """Where the records of a page of a table begin."""
    if len(page) < header + _PAGE_HEADER_BYTES:
        return
    count = min(struct.unpack_from(">H", page, header + 3)[0], (len(page) - header - _PAGE_HEADER_BYTES) // 2)
    for place in struct.unpack_from(f">{count}H", page, header + _PAGE_HEADER_BYTES):
        if place < len(page):
            yield place


def _read_entry(pages: _Pages, page: bytes, at: int) -> EntryRow | None:
    """The record at a place as an entry, None where it cannot be one."""
    size, at = _read_varint(page, at)
    key, at = _read_varint(page, at)
    if not 0 < size < _LARGEST_PAYLOAD:
        return None
    fields = _read_fields(_read_payload(pages, page, at, size))
    if fields is None or not all(isinstance(field, bytes) for field in (fields[1], fields[2], fields[4], fields[5])):
        return None
    _, label, created, live, payload, digest = fields
    return EntryRow(key, str(label, "utf-8", "replace"), str(created, "utf-8", "replace"), live, payload, digest)  # type: ignore[arg-type]


def _read_payload(pages: _Pages, page: bytes, at: int, size: int) -> bytes:
    if size <= _LARGEST_LOCAL:
        return page[at : at + size]
    local = _SMALLEST_LOCAL + (size - _SMALLEST_LOCAL) % (PAGE_BYTES - 4)
    local = local if local <= _LARGEST_LOCAL else _SMALLEST_LOCAL
    found = bytearray(page[at : at + local])
    following = page[at + local : at + local + 4]
    while len(found) < size and len(following) == 4:
        overflow = pages.get_page(int.from_bytes(following))
        if len(overflow) < 5:
            break
        found += overflow[4:]
        following = overflow[:4]
    return bytes(found[:size])


def _read_fields(record: bytes) -> list[bytes | int] | None:
    """The six fields of a record: texts and blobs as bytes."""
    length, at = _read_varint(record, 0)
    if not 0 < length <= min(len(record), _LONGEST_RECORD_HEADER):
        return None
    fields: list[bytes | int] = []
    body = length
    while at < length:
        kind, at = _read_varint(record, at)
        size, value = _read_field(record, body, kind)
        fields.append(value)
        body += size
    return fields if len(fields) == 6 else None


def _read_field(record: bytes, at: int, kind: int) -> tuple[int, bytes | int]:
    if kind in (0, 8, 9):
        return 0, int(kind == 9)
    if kind >= 12:
        size = (kind - 12) // 2
        return size, record[at : at + size]
    size = {5: 6, 6: 8, 7: 8}.get(kind, kind)
    return size, int.from_bytes(record[at : at + size], signed=True)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """A number of one to nine bytes, and where it ends; past the end of the data zeros follow."""
    value = 0
    for place in range(at, at + 8):
        byte = data[place] if place < len(data) else 0
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, place + 1
    return value << 8 | (data[at + 8] if at + 8 < len(data) else 0), at + 9
