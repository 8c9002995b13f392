"""Cleaning text that comes from outside before a terminal or a prompt sees it."""

import re

# ECMA-48 control sequences: CSI, OSC/DCS/APC/PM/SOS strings (also unterminated), and two-byte escapes.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
# Bidirectional overrides and isolates, and tag characters: they can make text look like other text.
_INVISIBLE = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def clean(text: str) -> str:
    """Text with every control sequence, control character and direction override taken out.

    Newlines and tabs stay; carriage returns become newlines.
    """
    if text.replace("\n", "").replace("\t", "").isprintable():
        # Whatever is taken out is not printable; looking for that first is twenty times as fast.
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _INVISIBLE.sub("", _CONTROLS.sub("", _ESCAPES.sub("", text)))


def one_line(text: str, limit: int = 200) -> str:
    """Cleaned text on one line, cut with an ellipsis at `limit` characters."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
