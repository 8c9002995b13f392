"""The fence around text from outside: where such a text ends in a prompt, it cannot say itself."""

import hmac
import re
import secrets
from collections.abc import Iterator

from utils.text import one_line

_MARK_KEY = secrets.token_bytes(32)
"""Of this run alone. A text's mark is drawn from it, so that it cannot be guessed from outside, and is the same as
often as the same text is sent: the server's prompt cache holds."""
_MARK_DIGITS = 8
_LONGEST_ORIGIN = 200
_OPENING_LINE = re.compile(rf"<outside (?P<mark>[0-9a-f]{{8}})(?: from (?P<origin>[^\n<>]{{0,{_LONGEST_ORIGIN}}}))?>\n")
_CLOSING = re.compile(r"\n</outside (?P<mark>[0-9a-f]{8})>")
_COPIED_MARK = re.compile(
    rf"</?outside [0-9a-f]{{4,8}}(?: from [^\n<>]{{0,{_LONGEST_ORIGIN}}})?(?:>\n?|$)"
    r"|(?<!\w)outside (?=[a-f]{0,7}\d)(?=\d{0,7}[a-f])[0-9a-f]{8}(?!\w)",
    re.MULTILINE,
)
CONVERSATION = "an earlier part of this conversation"
"""The origin of what was said when text from outside was there already."""


def has_outside(text: str) -> bool:
    """Whether a part of a prompt holds text from outside."""
    return "</outside " in text


def fence_text(text: str, origin: str = "") -> str:
    """The text between two lines with a mark that does not stand in it; `origin` says where it came from."""
    origin = one_line(origin, _LONGEST_ORIGIN).translate({ord("<"): None, ord(">"): None})
    mark = hmac.digest(_MARK_KEY, f"{origin}\0{text}".encode("utf-8", "surrogatepass"), "sha256").hex()[:_MARK_DIGITS]
    return f"<outside {mark}{f' from {origin}' if origin else ''}>\n{text}\n</outside {mark}>"


def find_fences(text: str) -> list[tuple[str, str]]:
    """What stands in the fences of a part of a prompt: each with its origin, which may be empty."""
    return [(opening["origin"] or "", text[opening.end() : closing.start()]) for opening, closing in _fence_pairs(text)]


def without_fences(text: str) -> str:
    """The same part of a prompt without the lines that mark fences."""
    parts, at = [], 0
    for opening, closing in _fence_pairs(text):
        parts += [text[at : opening.start()], text[opening.end() : closing.start()]]
        at = closing.end()
    return "".join([*parts, text[at:]])


def without_marks(text: str) -> str:
    """What a model wrote without the lines of fences that it copied, whole or in part, from its prompt."""
    return _COPIED_MARK.sub("", text)


def _fence_pairs(text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """The lines that open and close each fence; what stands in a fence opens none.

    All that close are looked for once: to look from each opening would take the square of the text's length.
    """
    closings: dict[str, list[re.Match[str]]] = {}
    for closing in _CLOSING.finditer(text):
        closings.setdefault(closing["mark"], []).append(closing)
    for waiting in closings.values():
        waiting.reverse()
    at = 0
    for opening in _OPENING_LINE.finditer(text):
        waiting = closings.get(opening["mark"], [])
        while waiting and waiting[-1].start() < opening.end():
            waiting.pop()
        if waiting and opening.start() >= at:
            at = waiting[-1].end()
            yield opening, waiting[-1]
