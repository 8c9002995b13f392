"""What reading a file may take, by its type and its size."""

from dataclasses import dataclass

from rag.readers.archive import DOCX, EPUB, OPEN_DOCUMENTS, PPTX, XLSX
from rag.readers.pictures.ocr import can_read
from rag.readers.pictures.picture import PICTURE_TYPES

PDF = "application/pdf"
PACKED = frozenset({PDF, DOCX, EPUB, PPTX, XLSX, *OPEN_DOCUMENTS})
"""Types whose files have their text packed."""


@dataclass(frozen=True)
class ReadingLimits:
    """What reading may take: processor time, more for large files of the user's own, and bytes of memory.

    Some files have their text packed: a megabyte of PDF can hold a thousand pages, and pypdf takes 8 ms for a page; one
    of XLSX 200,000 cells, and openpyxl takes 17 µs for a cell (measured). To read the text in a
    picture takes 3 s, of a full page 15 s, and 1.2 GB.
    """

    seconds: float = 10.0
    per_mb: float = 1.0
    per_mb_packed: float = 10.0
    memory: int = 1 << 30
    per_picture: float = 60.0
    per_scan: float = 180.0
    memory_for_pictures: int = 3 << 29

    def seconds_for(self, size: int, media_type: str) -> float:
        """Processor time for a file of so many bytes."""
        per_mb = self.per_mb_packed if media_type in PACKED else self.per_mb
        more = self.per_scan if media_type == PDF else self.per_picture if media_type in PICTURE_TYPES else 0.0
        return self.seconds + per_mb * size / 1e6 + (more if more and can_read() else 0.0)

    def memory_for(self, media_type: str) -> int:
        """Bytes of memory for a file."""
        large = (media_type == PDF or media_type in PICTURE_TYPES) and can_read()
        return max(self.memory, self.memory_for_pictures) if large else self.memory
