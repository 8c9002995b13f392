"""Cleaning text that comes from outside before a terminal or a prompt sees it."""

import json
import re
import unicodedata
from typing import Any

LONGEST_STRING = 4096
"""Characters of a control string (a window's title, an OSC 8 link) that are taken out with it; past them it is text."""
_MAX_MARKS = 6
"""Combining marks on one letter; pointed Hebrew, the most that is written, has five."""

_STRING_OPENS = r"(?:\x1b[\]PX^_]|[\x90\x98\x9d\x9e\x9f])"
_BODY = rf"[^\x00-\x1f\x7f-\x9f]{{0,{LONGEST_STRING}}}"
_PARAMETERS = r"(?:\x1b\[|\x9b)[0-?]{0,256}[ -/]{0,8}"
# ECMA-48: control sequences, control strings that are ended, escapes. Of what is not ended or too long the opening
# goes and the rest is text, so that nothing can swallow what comes after it.
_ESCAPES = re.compile(rf"{_PARAMETERS}[@-~]|{_STRING_OPENS}{_BODY}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]{{0,8}}[0-~]|\x1b")
# What the next piece of a stream may still make one of these, or the second half of a line's end.
_UNFINISHED = re.compile(rf"(?:{_PARAMETERS}|{_STRING_OPENS}{_BODY}\x1b?|\x1b[ -/]{{0,8}}|\r)\Z")
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# C0 and C1; what Unicode calls default ignorable (bidirectional controls, tags, fillers, zero-width characters), with
# interlinear annotations and noncharacters; not what joins or varies the character before it.
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U00013430-\U0001345f\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
)
_JOINING = "\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f\U000e0100-\U000e01ef"
_SURROGATES = "\ud800-\udfff"
_DROPPED = re.compile(f"[{_HIDDEN}\u2028\u2029]")
_JOINERS = re.compile(f"[{_JOINING}]+")
_LONE = re.compile(f"[{_SURROGATES}]")
_SUSPECT = re.compile(f"[{_HIDDEN}{_JOINING}{_SURROGATES}\u2028\u2029]")
# Marks are neither letters nor space; of a run of what is neither it is looked at closely what is marks.
_HEAPED = re.compile(rf"[^\w\s\x00-\u02ff]{{{_MAX_MARKS + 1},}}")
_BEHIND = 16
"""Characters before the end of what was let through that decide of what comes next; more than `_MARKS` and a letter."""


def clean(text: str) -> str:
    """Text without anything that a terminal obeys or that makes a text look like another one.

    Out go control sequences and characters, direction overrides, tag characters and what else is never seen; a joiner
    or variation selector stays where it shapes what stands before it (Persian, Hindi, emoji), marks stay up to a
    number that scripts need. Ends of lines of all kinds become newlines; newlines and tabs stay. Half a pair of
    surrogates becomes U+FFFD.
    """
    if text.isascii():
        # Whatever is taken out is not printable; looking for that first is twenty times as fast.
        if text.replace("\n", "").replace("\t", "").isprintable():
            return text
    elif not _SUSPECT.search(text) and not _HEAPED.search(text):
        return text
    text = _LINE_ENDS.sub("\n", _ESCAPES.sub("", text))
    return _HEAPED.sub(_thin_marks, _JOINERS.sub(_keep_shaping, without_controls(text)))


def without_controls(text: str) -> str:
    """Text without characters that have no place and that a terminal may obey: the last look at what is laid out.

    What is given to be shown is cleaned by `clean` before; this holds should that ever be forgotten.
    """
    return _LONE.sub("\ufffd", _DROPPED.sub("", text))


def one_line(text: str, limit: int = 200) -> str:
    """Cleaned text on one line, cut with an ellipsis at `limit` characters."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def reveal_hidden(text: str) -> str:
    """The text with its hidden characters written out as in JSON: for what the user must see all of."""
    return _HEAPED.sub(_escape_found, _SUSPECT.sub(_escape_found, text))


def json_line(fields: dict[str, Any]) -> str:
    """An object as JSON on one line, in which whatever `clean` would take out is escaped, so that nothing is lost."""
    return reveal_hidden(json.dumps(fields, ensure_ascii=False))


def json_text(fields: dict[str, Any]) -> str:
    """The same on a line for each field."""
    return reveal_hidden(json.dumps(fields, ensure_ascii=False, indent=2))


def well_formed(text: str) -> str:
    """The text with U+FFFD in the place of halves of characters, which UTF-8 cannot write."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def json_bytes(value: Any) -> bytes:
    """JSON in UTF-8, whatever halves of characters the texts in it have."""
    return well_formed(json.dumps(value, ensure_ascii=False)).encode()


class StreamCleaner:
    """Cleans text that comes in pieces: together what it gives is what `clean` makes of the whole.

    What may be the beginning of a control sequence is held back, at most `LONGEST_STRING` characters and a few.
    """

    def __init__(self) -> None:
        self._held = ""
        self._behind = ""

    @property
    def pending(self) -> str:
        """What is held back, as it would be shown if nothing came any more."""
        return self._clean_behind(self._held)

    def feed(self, piece: str) -> str:
        """What can be shown now."""
        text = self._held + piece
        unfinished = _UNFINISHED.search(text)
        end = unfinished.start() if unfinished else len(text)
        self._held = text[end:]
        return self._pass_text(text[:end])

    def finish(self) -> str:
        """What was held back, when nothing comes any more."""
        text, self._held = self._held, ""
        return self._pass_text(text)

    def _pass_text(self, text: str) -> str:
        shown = self._clean_behind(text)
        self._behind = (self._behind + shown)[-_BEHIND:]
        return shown

    def _clean_behind(self, text: str) -> str:
        """Text cleaned as what stands before it decides."""
        return clean(self._behind + text)[len(clean(self._behind)) :]


def _keep_shaping(run: "re.Match[str]") -> str:
    """Of some joiners and selectors those that act on what stands before them: one of a kind, on no Latin letter."""
    before, kept = run.string[run.start() - 1 : run.start()], ""
    for character in run[0]:
        joins = character in "\u200c\u200d"
        if _can_vary(before) if not joins else _can_join(before):
            kept += character
            before = character
    return kept


def _can_join(before: str) -> bool:
    """Whether a joiner behind this shapes anything: letters without case (Arabic, Indic), marks, emoji."""
    return bool(before) and unicodedata.category(before) in {"Lo", "Mn", "Mc", "So", "Sk"}


def _can_vary(before: str) -> bool:
    """Whether there are variants of this: symbols, ideographs, the digits and signs of keycaps."""
    if before in {*"0123456789#*"}:
        return True
    return bool(before) and not before.isascii() and unicodedata.category(before) in {"Lo", "So", "Sm", "Po", "Sk"}


def _thin_marks(run: "re.Match[str]") -> str:
    """Marks up to the number that a letter may have."""
    heaping = {character for character in set(run[0]) if unicodedata.category(character) in {"Mn", "Me", "Cf"}}
    if not heaping:
        return run[0]
    kept, marks = [], 0
    for character in run[0]:
        marks = marks + 1 if character in heaping else 0
        if marks <= _MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def _escape_found(found: "re.Match[str]") -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
