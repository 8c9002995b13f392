"""What libraries raise on files that are damaged or use what they do not know, as one sentence."""

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from utils.errors import DocumentError

# Found by changing bytes at random: parsers trust their input and fail in every ordinary way.
_ORDINARY = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


@contextmanager
def damaged(name: str, what: str, *others: type[Exception]) -> Iterator[None]:
    """Turns failures of a parser, `others` being its own, into a `DocumentError`; `what` is the format: "a PDF"."""
    expected: tuple[type[Exception], ...] = (*_ORDINARY, *others)
    try:
        yield
    except expected as error:
        reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        raise DocumentError(f"{name} is {what} that cannot be read: {reason}.") from error
