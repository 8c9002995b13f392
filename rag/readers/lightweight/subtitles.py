"""SRT and WebVTT: what is said, in paragraphs that begin with the time at which it is said."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from rag.readers.text import decode_text, name_of
from utils.errors import DocumentError

_TIME = r"(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_CUE_TIMES = re.compile(rf"[ \t]{{0,8}}{_TIME}[ \t]{{0,8}}-->[ \t]{{0,8}}{_TIME}")
_VOICE = re.compile(r"<v(?:\.[^\s<>]{1,50})?[ \t]([^<>\n]{1,100})>")
_TAG = re.compile(r"</?[a-zA-Z0-9][^<>\n]{0,200}>|\{\\[^{}\n]{1,100}\}")
_NAMED = (("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&lrm;", ""), ("&rlm;", ""), ("&amp;", "&"))
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»)\]]{0,3}$")
_PAUSE_SECONDS = 3.0
"""Silence that begins a paragraph."""
_PARAGRAPH_CHARS = 400
"""A paragraph of so many characters ends with its sentence."""


@dataclass
class _Paragraph:
    start: float
    end: float
    lines: list[str] = field(default_factory=list)
    length: int = 0
    """Characters of its lines."""

    def add(self, lines: list[str], end: float) -> None:
        """Go on with what is said until `end`."""
        self.lines += lines
        self.length += sum(map(len, lines))
        self.end = end

    @property
    def text(self) -> str:
        """What is said, without line breaks."""
        return " ".join(self.lines)

    def is_over(self, start: float) -> bool:
        """Whether what is said from `start` on begins a new one."""
        full = self.length >= _PARAGRAPH_CHARS and bool(_SENTENCE_END.search(self.lines[-1]))
        return start - self.end > _PAUSE_SECONDS or start < self.start or full


def read_subtitles(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title, the file's name, and text; raises `DocumentError` where nothing has a time."""
    name = name_of(source)
    lines = (
        decode_text(data, name, charset).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    )
    paragraphs = list(_join_cues(_iter_cues(lines)))
    if not paragraphs:
        raise DocumentError(f"{name} holds no subtitles: no line in it says when something is said.")
    return name, "\n\n".join(f"[{_clock(paragraph.start)}] {paragraph.text}" for paragraph in paragraphs)


def _iter_cues(lines: list[str]) -> Iterator[tuple[float, float, list[str]]]:
    """Beginning, end and lines of what is shown at a time."""
    cue: tuple[float, float, list[str]] | None = None
    for line in lines:
        if times := _CUE_TIMES.match(line):
            if cue:
                yield cue
            cue = _seconds(times.groups()[:4]), _seconds(times.groups()[4:]), []
        elif cue and not line.strip():
            # What stands before the next time is a number, a name or a note.
            yield cue
            cue = None
        elif cue:
            cue[2].append(_plain_line(line))
    if cue:
        yield cue


def _join_cues(cues: Iterator[tuple[float, float, list[str]]]) -> Iterator[_Paragraph]:
    paragraph: _Paragraph | None = None
    last: set[str] = set()
    for start, end, lines in cues:
        # Captions that roll show a line again while the next one comes up.
        fresh = [line for line in lines if line and line not in last]
        last = set(lines)
        if not fresh:
            continue
        if paragraph is None or paragraph.is_over(start):
            if paragraph:
                yield paragraph
            paragraph = _Paragraph(start, end)
        paragraph.add(fresh, end)
    if paragraph:
        yield paragraph


def _plain_line(line: str) -> str:
    text = _TAG.sub("", _VOICE.sub(lambda voice: f"{voice[1].strip()}: ", line))
    for name, sign in _NAMED:
        text = text.replace(name, sign)
    return " ".join(text.split())


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = parts
    return int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0) + float(f"0.{fraction or 0}")


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
