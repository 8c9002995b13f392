"""MBOX: every mail is a document; read as a stream, so that years of mail may stand in one file."""

import re
from collections.abc import Iterator
from typing import BinaryIO

from rag.readers.mail.message import ReadAttachment, read_mail
from rag.readers.text import name_of
from utils.errors import DocumentError

_MAX_MAIL = 50_000_000
"""Bytes; providers take 25 million."""
_MAX_MAILS_SHOWN = 5
"""Mails that are named of those that could not be read."""
# A line of a mail that begins with "From " has a sign before it.
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_SEPARATOR = b"From "


def read_mbox(file: BinaryIO, source: str, read_attachment: ReadAttachment) -> Iterator[tuple[str, str, str]]:
    """Source, `path#number`, subject and Markdown of each mail.

    Raises `DocumentError` at the end when there were mails that could not be read.
    """
    bad: list[int] = []
    number = 0
    for number, data in enumerate(_split_mails(file), 1):
        try:
            if data is None:
                raise DocumentError("It is too large.")
            title, text = read_mail(data, f"{source}#{number}", read_attachment)
        except (DocumentError, RecursionError):
            bad.append(number)
            continue
        if text.strip():
            yield f"{source}#{number}", title, text
    if not number:
        raise DocumentError(f"{name_of(source)} is no mailbox: no line in it begins a mail.")
    if bad:
        shown = ", ".join(map(str, bad[:_MAX_MAILS_SHOWN])) + (", ..." if len(bad) > _MAX_MAILS_SHOWN else "")
        raise DocumentError(
            f"{name_of(source)}: {len(bad):,} of {number:,} mails cannot be read: {shown}.", "The other ones were read."
        )


def joined_mails(file: BinaryIO, source: str, read_attachment: ReadAttachment) -> tuple[str, str]:
    """Title and Markdown of a mailbox as one document, each mail below its subject."""
    mails = read_mbox(file, source, read_attachment)
    return name_of(source), "\n\n".join(f"# {title}\n\n{text}" for _, title, text in mails)


def _split_mails(file: BinaryIO) -> Iterator[bytes | None]:
    """The mails, each without the line that begins it; None in place of one that is too large."""
    lines: list[bytes] = []
    size = 0
    begun = after_empty = False
    while line := file.readline(_MAX_MAIL + 1):
        # "From " begins a mail after an empty line only, as the first of its paragraph.
        if line.startswith(_SEPARATOR) and (after_empty or not begun):
            if begun:
                yield _joined(lines, size)
            lines, size, begun = [], 0, True
        elif begun:
            size += len(line)
            if size <= _MAX_MAIL:
                lines.append(line)
        after_empty = not line.strip()
    if begun:
        yield _joined(lines, size)


def _joined(lines: list[bytes], size: int) -> bytes | None:
    return _QUOTED_FROM.sub(rb"\1", b"".join(lines)) if size <= _MAX_MAIL else None
