"""Zip archives as DOCX, ODT and EPUB are: what they unpack to is counted while it is read, whatever they declare."""

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator

from rag.readers.text import name_of
from utils.errors import DocumentError

MAX_UNPACKED = 200_000_000
"""Bytes; a novel of a thousand pages has five million with its markup."""
_PIECE_BYTES = 1 << 16
_MIME_TYPE_BYTES = 200

_OOXML = "application/vnd.openxmlformats-officedocument."
DOCX = f"{_OOXML}wordprocessingml.document"
PPTX = f"{_OOXML}presentationml.presentation"
XLSX = f"{_OOXML}spreadsheetml.sheet"
EPUB = "application/epub+zip"
ODT, ODS, ODP = OPEN_DOCUMENTS = tuple(
    f"application/vnd.oasis.opendocument.{kind}" for kind in ("text", "spreadsheet", "presentation")
)
_KINDS = {
    "word/document.xml": DOCX,
    "ppt/presentation.xml": PPTX,
    "xl/workbook.xml": XLSX,
    "META-INF/container.xml": EPUB,
}
"""Media types by a member that their files have."""


class Archive:
    """The members of a zip file; together they may not unpack to more than `limit` bytes."""

    def __init__(self, data: bytes, source: str, limit: int = MAX_UNPACKED) -> None:
        self._name = name_of(source)
        self._zip = zipfile.ZipFile(io.BytesIO(data))
        self._limit = self._left = limit

    def __contains__(self, member: str) -> bool:
        return member in self._zip.NameToInfo

    def read(self, member: str) -> bytes:
        """A member's bytes; raises `DocumentError` past the limit, `KeyError` and `BadZipFile` as zipfile does."""
        return b"".join(self._read_pieces(member))

    def check_size(self) -> None:
        """Unpack everything once without keeping it, for readers that unpack on their own; raises as `read` does."""
        for member in self._zip.namelist():
            for _ in self._read_pieces(member):
                pass

    def _read_pieces(self, member: str) -> Iterator[bytes]:
        with self._zip.open(member) as file:
            while piece := file.read(_PIECE_BYTES):
                self._left -= len(piece)
                if self._left < 0:
                    raise DocumentError(
                        f"{self._name} unpacks to more than {self._limit // 1_000_000} MB.", "Split it into parts."
                    )
                yield piece


def zip_kind(data: bytes) -> str:
    """The media type of a zip file by what it holds, of those that are read; empty for others."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = next((kind for member, kind in _KINDS.items() if member in archive.NameToInfo), "")
            if not found and "mimetype" in archive.NameToInfo:
                with archive.open("mimetype") as file:
                    told = file.read(_MIME_TYPE_BYTES).decode("ascii", "replace").strip()
                found = told if told in OPEN_DOCUMENTS else ""
            return found
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, OSError, RuntimeError):
        return ""
