"""What libraries raise on files that are damaged or use what they do not know, as one sentence."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from utils.errors import DocumentError

ValueT = TypeVar("ValueT")


@contextmanager
def translate_damage(name: str, what: str) -> Iterator[None]:
    """Turns failures of a parser into a `DocumentError`; `what` is the format: "a PDF".

    Parsers trust their input and fail in every way there is, with errors of their own, of the modules that unpack for
    them, and of the language: a list of those would never be complete. Too little memory and too deep a nesting are
    told by the process that reads.
    """
    try:
        yield
    except (DocumentError, MemoryError, RecursionError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__
        raise DocumentError(f"{name} is {what} that cannot be read: {reason}.") from error


def sound_value(read: Callable[[], ValueT]) -> ValueT | None:
    """A value beside a text, None where it is missing or damaged: the text, and other values, may be sound."""
    try:
        return read()
    except (MemoryError, RecursionError):
        raise
    except Exception:  # noqa: BLE001 - parsers trust their input and fail in every way there is
        return None
