"""Where a text may be cut: its sections, the beginnings of its paragraphs and sentences, and what stays whole."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

# Every pattern begins with a set of characters or a single one: re then skips what cannot match, five times as fast.
# A paragraph ends with an empty line, a page of a PDF or Unicode's own mark.
_PARAGRAPH_END = re.compile(r"[\n\f\u2029](?:(?<!\n)|[^\S\n]*\n)\s*")
# A sentence ends after . ! ? and a space, after their full-width and Indic forms, or with its line; closing quotes and
# brackets belong to it. A line of more than fifty characters before a letter only goes on in the next one.
_PROSE_SENTENCE_END = re.compile(
    r"""[.!?…。！？｡।॥؟۔\n](?:
        (?<=[.!?…])["'”’»)\]]*\s+
      | (?<=[。！？｡।॥؟۔])["'”’»)\]」』）】》]*\s*
      | (?<=\n)(?!(?<=[^\n]{50}\n)[^\W\d_])\s*
    )""",
    re.VERBOSE,
)
_LINE_BREAK = re.compile(r"\n\s*")


@dataclass(frozen=True)
class Section:
    """A stretch of the text under one heading."""

    start: int
    end: int
    heading: tuple[str, ...] = ()
    """The path of headings, outermost first."""


@dataclass
class Outline:
    """A text's sections and, in ascending order, the places where it may be cut."""

    sections: list[Section] = field(default_factory=list)
    paragraphs: list[int] = field(default_factory=list)
    """Where paragraphs and blocks begin."""
    sentences: list[int] = field(default_factory=list)
    """Where sentences begin, or the lines of what is no prose; paragraphs begin with one."""
    solid: list[tuple[int, int]] = field(default_factory=list)
    """Beginning and end of what is never cut."""

    def add_prose(self, text: str, start: int, end: int) -> None:
        """Text in sentences, which may begin in the middle of a line."""
        self.paragraphs += [match.end() for match in _PARAGRAPH_END.finditer(text, start, end)]
        self.sentences += [match.end() for match in _PROSE_SENTENCE_END.finditer(text, start, end)]

    def add_lines(self, text: str, start: int, end: int, parts: Sequence[int] = ()) -> None:
        """Text that is cut at lines, rather where one of its `parts` begins."""
        lines = [start, *(match.end() for match in _LINE_BREAK.finditer(text, start, end)), end]
        self.paragraphs += [start, *parts, end] if parts else lines
        self.sentences += lines

    def add_solid(self, start: int, end: int) -> None:
        """Text that stays whole."""
        self.paragraphs += [start, end]
        self.sentences += [start, end]
        self.solid.append((start, end))


def outline_prose(text: str) -> Outline:
    """A text without headings."""
    outline = Outline([Section(0, len(text))])
    outline.add_prose(text, 0, len(text))
    return outline
