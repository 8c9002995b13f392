"""Mails: who wrote to whom and when, what they wrote, and what is attached, read as the files that it is."""

import re
from collections.abc import Callable, Iterator
from email import message_from_bytes, policy
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import EmailMessage, MIMEPart
from email.utils import parsedate_to_datetime

from rag.readers.damage import translate_damage
from rag.readers.mail.page import page_markdown
from rag.readers.text import decode_text, name_of
from utils.errors import DocumentError

ReadAttachment = Callable[[bytes, str, str], tuple[str, str]]
"""Title and text of some bytes, their name and the type that they are sent as; raises `DocumentError`."""

_HEADERS_SHOWN = ("From", "To", "Cc", "Date")
_MAX_NESTED = 3
"""Mails that are attached to each other; what is attached to the last is named alone."""
_MAX_ATTACHMENTS_READ = 50
_MAX_PARTS = 2_000
# What Markdown would take for a heading, in a text that was written as a plain one.
_LIKE_HEADING = re.compile(r"^( {0,3})(?=#{1,6}(?:[ \t]|$)|(?:-+|=+)[ \t]*$)", re.MULTILINE)


def read_mail(data: bytes, source: str, read_attachment: ReadAttachment) -> tuple[str, str]:
    """Subject and Markdown: from, to and date, the text, then each attachment; raises `DocumentError`."""
    name = name_of(source)
    with translate_damage(name, "a mail"):
        # That of SMTP would refuse what old programs wrote.
        mail = message_from_bytes(data, policy=policy.default.clone(raise_on_defect=False))
        if not isinstance(mail, EmailMessage) or not mail.keys():
            raise DocumentError(f"{name} is no mail: it begins with none of a mail's headers.")
        blocks = [block for block in _mail_blocks(mail, _Attachments(read_attachment)) if block.strip()]
    return _header(mail, "Subject") or name, "\n\n".join(blocks)


class _Attachments:
    """Reads what is attached, as long as there is not too much of it."""

    def __init__(self, read: ReadAttachment) -> None:
        self._read = read
        self._left = _MAX_ATTACHMENTS_READ
        self.parts_left = _MAX_PARTS

    def read(self, part: MIMEPart, name: str) -> str:
        """The text of an attachment; why it was not read where it was not."""
        self._left -= 1
        if self._left < 0:
            return "(not read: there are too many)"
        content = _content_of(part)
        if not content.strip():
            return "(empty)"
        try:
            return self._read(content, name, part.get_content_type())[1]
        except DocumentError as error:
            return f"(not read: {error.problem})"


def _mail_blocks(mail: MIMEPart, attachments: _Attachments, depth: int = 0) -> Iterator[str]:
    yield "\n".join(f"{header}: {value}" for header in _HEADERS_SHOWN if (value := _header(mail, header)))
    text: list[MIMEPart] = []
    attached: list[MIMEPart] = []
    _sort_parts(mail, text, attached, attachments)
    for part in text:
        yield _body_markdown(part)
    for part in attached:
        yield from _attachment_blocks(part, attachments, depth)


def _sort_parts(part: MIMEPart, text: list[MIMEPart], attached: list[MIMEPart], attachments: _Attachments) -> None:
    """Put the parts that are shown as the mail's text into one list and what is attached into the other."""
    attachments.parts_left -= 1
    if attachments.parts_left < 0:
        return
    kind = part.get_content_type()
    if part.is_attachment() or kind == "message/rfc822" or (part.get_filename() and not part.is_multipart()):
        attached.append(part)
    elif kind == "multipart/alternative" and (best := _best_alternative(part)) is not None:
        _sort_parts(best, text, attached, attachments)
    elif part.is_multipart():
        for each in part.iter_parts():
            _sort_parts(each, text, attached, attachments)
    elif kind in {"text/plain", "text/html"}:
        text.append(part)
    elif part.get_content_maintype() not in {"multipart", "image"}:
        attached.append(part)


def _best_alternative(part: MIMEPart) -> MIMEPart | None:
    """The plain text where it says something, else the last, which its writer held for the best."""
    choices = [each for each in part.iter_parts() if isinstance(each, MIMEPart)]
    for each in choices:
        if each.get_content_type() == "text/plain" and _content_of(each).strip():
            return each
    return choices[-1] if choices else None


def _content_of(part: MIMEPart) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _body_markdown(part: MIMEPart) -> str:
    content = _content_of(part)
    if not content.strip():
        return ""
    charset = str(part.get_content_charset("") or "")
    if part.get_content_type() == "text/html":
        return page_markdown(content, charset)
    return escape_headings(decode_text(content, "the mail's text", charset).replace("\r\n", "\n")).strip()


def escape_headings(text: str) -> str:
    """A plain text as Markdown: lines that would be read as headings are kept from it."""
    return _LIKE_HEADING.sub(r"\1\\", text)


def _attachment_blocks(part: MIMEPart, attachments: _Attachments, depth: int) -> Iterator[str]:
    name = _one_line(part.get_filename() or "")
    inner = next(part.iter_parts(), None) if part.get_content_type() == "message/rfc822" else None
    if isinstance(inner, MIMEPart):
        yield f"## Attached mail: {_header(inner, 'Subject') or name or 'without subject'}"
        if depth < _MAX_NESTED:
            yield from _mail_blocks(inner, attachments, depth + 1)
        return
    yield f"## Attachment: {name or part.get_content_type()}"
    yield attachments.read(part, name)


def _header(mail: MIMEPart, header: str) -> str:
    """A header on one line; as it is written where Python's reader of it fails, which some make it do."""
    try:
        value = str(mail.get(header, ""))
    except Exception:  # noqa: BLE001 - the reader of headers fails in many ways on what is none
        raw = next((value for key, value in mail.raw_items() if key.lower() == header.lower()), "")
        value = _decoded(str(raw))
    value = _one_line(value)
    return _one_date(value) if header == "Date" else value


def _decoded(value: str) -> str:
    try:
        return str(make_header(decode_header(value)))
    except (ValueError, LookupError, HeaderParseError):
        return value


def _one_date(value: str) -> str:
    """A date as `2026-11-25 09:30 +0100`; what is none as it stands."""
    try:
        return parsedate_to_datetime(value).strftime("%Y-%m-%d %H:%M %z").strip()
    except (ValueError, TypeError, IndexError, OverflowError):
        return value


def _one_line(value: str) -> str:
    return " ".join(value.split())
