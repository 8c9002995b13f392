"""The headings of a page in its main text: trafilatura leaves them out of pages that do not say where that is."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, takewhile
from typing import Any

_WORD_OF_PAGE = re.compile(r"\w+")
_HEADING_TAG = re.compile(r"h([1-6])")
_MARKED_HEADING = re.compile(r"^#{1,6} ")
_UNSEEN_TAGS = frozenset({"script", "style", "template", "noscript", "head"})
WORDS_COMPARED, MIN_WORDS_ALIKE = 30, 6
"""Words by which what follows a heading is found again: of several places the one that has most of them, one after the
other, and these at least, or a whole line."""
MIN_BEGINNING = 8
"""Letters and figures of a line at least: one with fewer may stand anywhere."""
_ABOVE_ITS_TEXT = ("|", "```")
"""What a line before the place of a heading begins with that belongs to what follows: a table, a block of code."""


@dataclass(frozen=True)
class Heading:
    """A heading of a page, with what stands behind it."""

    line: str
    """As Markdown has it."""
    following: tuple[str, ...]
    """The words behind it that stand in no heading."""
    begins: bool
    """Whether other text stands between it and the heading before."""


class _Lines:
    """The lines of a text, to be found by the words that they begin with."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        bodies = ["" if _MARKED_HEADING.match(line) else line for line in self.lines]
        words = [_WORD_OF_PAGE.findall(body) for body in bodies]
        self._starts, self._words = list[int](), list[str]()
        self._beginning: dict[str, list[int]] = {}
        for place, said in enumerate(words):
            self._starts.append(len(self._words))
            self._words += said
            if len("".join(said)) >= MIN_BEGINNING:
                self._beginning.setdefault(said[0], []).append(place)
        self._counts = [len(said) for said in words]

    def place_of(self, following: Sequence[str], start: int) -> int | None:
        """The line, from `start` on, behind which most of some words follow one after the other; None where few do."""
        alike = {
            place: self._count_alike(following, place)
            for place in self._beginning.get(following[0] if following else "", ())
            if place >= start
        }
        likely = {place: count for place, count in alike.items() if count >= min(MIN_WORDS_ALIKE, self._counts[place])}
        return max(likely, key=likely.__getitem__, default=None)

    def _count_alike(self, following: Sequence[str], place: int) -> int:
        start = self._starts[place]
        pairs = zip(following, self._words[start : start + len(following)], strict=False)
        return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def with_headings(headings: Sequence[Heading], text: str) -> str:
    """The Markdown text of a page with those of its headings that it lacks, each before what follows it."""
    body, start, above = _Lines(text), -1, dict[int, list[str]]()
    known = {tuple(_WORD_OF_PAGE.findall(line)) for line in body.lines if _MARKED_HEADING.match(line)}
    for heading in headings:
        place = body.place_of(heading.following, start + heading.begins)
        if place is None:
            continue
        start = place
        if tuple(_WORD_OF_PAGE.findall(heading.line)) not in known:
            while place > 0 and body.lines[place - 1].startswith(_ABOVE_ITS_TEXT):
                place -= 1
            above.setdefault(place, []).extend([heading.line, ""])
    return _with_lines(body.lines, above)


def _with_lines(lines: Sequence[str], above: Mapping[int, Sequence[str]]) -> str:
    return "\n".join(told for place, line in enumerate(lines) for told in (*above.get(place, ()), line))


def headings_of(tree: Any) -> list[Heading]:
    """The headings of a page (lxml) with words of their own, in their order."""
    # What stands in two cells is parted by no space.
    blocks = [(level, " ".join(texts).split()) for level, texts in _blocks_of(tree)]
    words = [_WORD_OF_PAGE.findall(" ".join(said)) for _, said in blocks]
    found = list[Heading]()
    for place, (level, said) in enumerate(blocks):
        if level and said:
            bodies = (word for at in range(place, len(blocks)) if not blocks[at][0] for word in words[at])
            begins = bool(found) and not blocks[place - 1][0] and bool(words[place - 1])
            following = tuple(islice(bodies, WORDS_COMPARED))
            found.append(Heading(f"{'#' * level} {' '.join(said)}", following, begins))
    return found


def _blocks_of(tree: Any) -> Iterator[tuple[int, list[str]]]:
    """The texts of each heading with its level, and of what stands between two with 0."""
    # Two headings one behind the other are two, whatever their level.
    for (level, _), group in groupby(_texts_of(tree), key=lambda told: told[:2]):
        yield level, [text for *_, text in group]


def _texts_of(tree: Any) -> Iterator[tuple[int, int, str]]:
    """Each text of a page that is seen, with the level of the heading that it stands in and its number, 0 for none."""
    from lxml import etree

    level = number = hidden = 0
    for event, element in etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
        tag = element.tag if event in ("start", "end") and isinstance(element.tag, str) else ""
        heading = _HEADING_TAG.fullmatch(tag)
        if event == "start":
            hidden += tag in _UNSEEN_TAGS
            if heading and not level:
                level, number = int(heading[1]), number + 1
            text = element.text
        else:
            hidden -= event == "end" and tag in _UNSEEN_TAGS
            level = 0 if event == "end" and heading else level
            text = element.tail
        if text and text.strip() and not hidden:
            yield level, number if level else 0, text
