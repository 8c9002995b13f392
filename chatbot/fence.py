"""The fence around text from outside: where such a text ends in a prompt, it cannot say itself."""

import hmac
import re
import secrets

from utils.text import one_line

_KEY = secrets.token_bytes(32)
"""Of this run alone. A text's mark is drawn from it, so that it cannot be guessed from outside, and is the same as
often as the same text is sent: the server's prompt cache holds."""
_DIGITS = 8
_FENCED = re.compile(
    r"<outside (?P<mark>[0-9a-f]{8})(?: from (?P<origin>[^\n>]*))?>\n(?P<text>.*?)\n</outside (?P=mark)>", re.S
)
CONVERSATION = "an earlier part of this conversation"
"""The origin of what was said when text from outside was there already."""


def has_outside(text: str) -> bool:
    """Whether a part of a prompt holds text from outside."""
    return "</outside " in text


def fenced(text: str, origin: str = "") -> str:
    """The text between two lines with a mark that does not stand in it; `origin` says where it came from."""
    origin = one_line(origin, 200).translate({ord("<"): None, ord(">"): None})
    mark = hmac.digest(_KEY, f"{origin}\0{text}".encode("utf-8", "surrogatepass"), "sha256").hex()[:_DIGITS]
    return f"<outside {mark}{f' from {origin}' if origin else ''}>\n{text}\n</outside {mark}>"


def fences(text: str) -> list[tuple[str, str]]:
    """What stands in the fences of a part of a prompt: each with its origin, which may be empty."""
    return [(match["origin"] or "", match["text"]) for match in _FENCED.finditer(text)]


def without_fences(text: str) -> str:
    """The same part of a prompt without the lines that mark fences."""
    return _FENCED.sub(lambda match: match["text"], text)
