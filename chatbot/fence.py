"""The fence around text from outside: where such a text ends in a prompt, it cannot say itself."""

import hmac
import secrets

from utils.text import one_line

_KEY = secrets.token_bytes(32)
"""Of this run alone. A text's mark is drawn from it, so that it cannot be guessed from outside, and is the same as
often as the same text is sent: the server's prompt cache holds."""
_DIGITS = 8


def has_outside(text: str) -> bool:
    """Whether a part of a prompt holds text from outside."""
    return "</outside " in text


def fenced(text: str, origin: str = "") -> str:
    """The text between two lines with a mark that does not stand in it; `origin` says where it came from."""
    origin = one_line(origin, 80).translate({ord("<"): None, ord(">"): None})
    mark = hmac.digest(_KEY, f"{origin}\0{text}".encode("utf-8", "surrogatepass"), "sha256").hex()[:_DIGITS]
    return f"<outside {mark}{f' from {origin}' if origin else ''}>\n{text}\n</outside {mark}>"
