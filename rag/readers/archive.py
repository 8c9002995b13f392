"""Zip archives as DOCX and EPUB are: what they unpack to is counted while it is read, whatever they declare."""

import io
import zipfile
from collections.abc import Iterator

from rag.readers.text import name_of
from utils.errors import DocumentError

MAX_UNPACKED = 200_000_000
"""Bytes; a novel of a thousand pages has five million with its markup."""
_PIECE_BYTES = 1 << 16


class Archive:
    """The members of a zip file; together they may not unpack to more than `MAX_UNPACKED` bytes."""

    def __init__(self, data: bytes, source: str) -> None:
        self._name = name_of(source)
        self._zip = zipfile.ZipFile(io.BytesIO(data))
        self._left = MAX_UNPACKED

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
                        f"{self._name} unpacks to more than {MAX_UNPACKED // 1_000_000} MB.", "Split it into parts."
                    )
                yield piece


def zip_kind(data: bytes) -> str:
    """The media type of a zip file by what it holds: DOCX, EPUB, or empty."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.NameToInfo
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
        return ""
    if "word/document.xml" in names:
        return "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    return "application/epub+zip" if "META-INF/container.xml" in names else ""
