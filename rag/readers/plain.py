"""Plain text, in which the amounts of a bill stand apart behind what they are for."""

import re
from pathlib import PurePosixPath

from rag.readers.text import read_text

LEAST_AMOUNTS = 3
"""Amounts that stand apart from which on a text has such a list."""
_FOR_PEOPLE = (".txt", ".text")
"""Suffixes of files that are written for people, and not for a program."""
_ALIGNED = re.compile(
    r"[ \t]{0,16}(?P<what>(?:\d{1,4} ?[x×]? )?[^\W\d_](?:(?! {2}|\t|\.{4})[^\n]){0,100}?):?"
    r"(?:[ ]{2,100}| ?[.]{4,100} ?|\t{1,8})"
    r"(?P<amount>[-−+]?[€£$]? ?\d{1,9}(?:[ .,'’]\d{3}){0,3}(?:[.,]\d{1,2})? ?(?:€|£|\$|%|[^\W\d_]{1,5}\.?)?)[ \t]{0,16}"
)
_AMOUNT_OF_MONEY = re.compile(r"[€£$]|\d[.,]\d\d\b|\b(?:eur|usd|gbp|chf|kr|zł)\b", re.IGNORECASE)
_LINE_ACROSS = re.compile(r"[ \t]*[-=_–—]{3,200}[ \t]*")


def read_plain(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title, the source's last part, and text; each line of a bill is an item: "- Two valves: £46.80"."""
    title, text = read_text(data, source, charset)
    return title, join_amounts(text) if PurePosixPath(title).suffix.lower() in _FOR_PEOPLE else text


def join_amounts(text: str) -> str:
    """The text with amounts that stand apart behind what they are for as items of a list; as it is without such.

    Lines across go with the amounts that they stand between.
    """
    lines = text.split("\n")
    found = [_ALIGNED.fullmatch(line.rstrip("\r")) for line in lines]
    amounts = [one["amount"] for one in found if one]
    if len(amounts) < LEAST_AMOUNTS or sum(map(bool, map(_AMOUNT_OF_MONEY.search, amounts))) * 2 <= len(amounts):
        return text
    told = []
    for place, (line, one) in enumerate(zip(lines, found, strict=True)):
        between = 0 < place < len(lines) - 1 and found[place - 1] and found[place + 1]
        if not (between and _LINE_ACROSS.fullmatch(line.rstrip("\r"))):
            told.append(f"- {one['what']}: {one['amount'].strip()}" if one else line)
    return "\n".join(told)
