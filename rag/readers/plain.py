"""Plain text, in which the amounts of a bill stand apart behind what they are for."""

import re
from pathlib import PurePosixPath

from rag.readers.text import read_text

LEAST_AMOUNTS = 3
"""Lines with an amount that stands apart from which on a text has such a list."""
_FOR_PEOPLE = ("", ".txt", ".text")
"""Of files that are written for people, and not for a program."""
_ALIGNED = re.compile(
    r"[ \t]{0,16}(?P<what>[^\W\d_](?:[^\n]{0,100}?\S)?):?(?:[ ]{2,100}|[ .]{4,100}|\t{1,8})"
    r"(?P<amount>[-−+]?[€£$]?[ ]?\d[\d.,]{0,12}[ ]?(?:€|£|\$|%|[^\W\d_]{1,3}\.?)?)[ \t]{0,16}"
)
_LINE_ACROSS = re.compile(r"[ \t]*[-=_–—]{3,200}[ \t]*")


def read_plain(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title, the source's last part, and text; each line of a bill is an item: "- Two valves: £46.80"."""
    title, text = read_text(data, source, charset)
    return title, join_amounts(text) if PurePosixPath(title).suffix.lower() in _FOR_PEOPLE else text


def join_amounts(text: str) -> str:
    """The text with amounts that stand apart behind what they are for as items of a list; as it is without such."""
    lines = text.split("\n")
    found = [_ALIGNED.fullmatch(line.rstrip("\r")) for line in lines]
    if sum(one is not None for one in found) < LEAST_AMOUNTS:
        return text
    told = [
        f"- {one['what']}: {one['amount'].strip()}" if one else line for line, one in zip(lines, found, strict=True)
    ]
    return "\n".join(line for line in told if not _LINE_ACROSS.fullmatch(line.rstrip("\r")))
