"""Plain text and source code; how bytes become characters."""

import codecs
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from utils.errors import DocumentError

_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# charset-normalizer looks at samples anyway; more than this only costs time.
_CHARSET_SAMPLE_BYTES = 1_000_000
# Share of the characters that may be unreadable in what is taken for a text.
_BROKEN = 0.1
_FAMILIES = {"audio": "recording", "font": "font", "image": "image", "video": "video"}
# Letters whose names begin with a vowel: "an MP4 video".
_VOWEL_NAMED_LETTERS = "AEFHILMNORSX"


def read_text(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title, the source's last part, and text."""
    return name_of(source), decode_text(data, name_of(source), charset)


def name_of(source: str) -> str:
    """The last part of a path or an address, its host where there is none."""
    try:
        parts = urlsplit(source)
    except ValueError:
        # Brackets where an address has its host.
        return source
    path = parts.path if parts.scheme in {"http", "https"} else source
    return unquote(PurePosixPath(path).name) or parts.hostname or source


def decode_text(data: bytes, name: str, charset: str = "") -> str:
    """Characters by the byte order mark, the declared charset, UTF-8, or what is likeliest.

    Raises `DocumentError` for what is no text.
    """
    mark = next((encoding for mark, encoding in _BYTE_ORDER_MARKS if data.startswith(mark)), "")
    for encoding in filter(None, (mark, charset, "utf-8")):
        try:
            text = data.decode(encoding)
        except (ValueError, LookupError):
            # Not all codecs raise what those of characters do, and a server may name any, or none that can be.
            continue
        if "\0" not in text:
            return text
    return _guess_encoding(data, name)


def _guess_encoding(data: bytes, name: str) -> str:
    import charset_normalizer

    if b"\0" not in data:
        best = charset_normalizer.from_bytes(data[:_CHARSET_SAMPLE_BYTES]).best()
        text = data.decode(best.encoding if best else "utf-8", "replace")
        # UTF-8 with a few broken bytes is still a text.
        if best or text.count("\ufffd") <= _BROKEN * len(text):
            return text
    raise DocumentError(
        f"{name} is {kind_of(data, name)}.",
        "Magpie reads text, Markdown, HTML, PDF, office documents, EPUB, mails, CSV, JSON, notebooks and source code.",
    )


def kind_of(data: bytes, name: str) -> str:
    """What the bytes are, for a sentence that begins with "it is"."""
    import puremagic

    try:
        best = puremagic.magic_string(data[:4096], filename=name)[0]
    except (puremagic.PureError, ValueError, IndexError):
        return "a binary file"
    family, _, form = best.mime_type.partition("/")
    if family in _FAMILIES and form:
        form = form.removeprefix("x-").removeprefix("vnd.").upper()
        return f"{'an' if form[0] in _VOWEL_NAMED_LETTERS else 'a'} {form} {_FAMILIES[family]}"
    return f"a binary file ({best.name})"
