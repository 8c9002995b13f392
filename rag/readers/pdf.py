"""PDF: the text of its pages by pypdf, a form feed between two of them."""

import io
import logging
import struct
import zlib

from rag.readers.text import name_of
from utils.errors import DocumentError
from utils.text import clean

PAGE_BREAK = "\f"


def read_pdf(data: bytes, source: str, _: str = "") -> tuple[str, str]:
    """Title and text; raises `DocumentError` when it is encrypted, damaged or only pictures."""
    import pypdf

    # It reports every irregularity of a file to its logger.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    name = name_of(source)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise DocumentError(f"{name} is protected by a password.", "Save a copy without it.")
        title = str((reader.metadata and reader.metadata.title) or "").strip()
        pages = [clean(page.extract_text()).strip() for page in reader.pages]
    except _broken() as error:
        raise DocumentError(f"{name} is a PDF that cannot be read: {str(error) or type(error).__name__}.") from error
    if not any(pages):
        raise DocumentError(f"{name} is a PDF without text, perhaps a scan.", "Run text recognition over it first.")
    return title or name, PAGE_BREAK.join(pages)


def _broken() -> tuple[type[Exception], ...]:
    """What pypdf raises on files that are damaged or use what it does not know; found by changing bytes at random."""
    from pypdf.errors import DependencyError, PyPdfError

    ordinary = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
    return (PyPdfError, DependencyError, struct.error, zlib.error, *ordinary)
