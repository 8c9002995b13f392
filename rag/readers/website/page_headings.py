"""The headings of a page in its main text: trafilatura leaves them out of pages that do not say where that is."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

_WORD_OF_PAGE = re.compile(r"\w+")
_HEADING_TAG = re.compile(r"h([1-6])")
_MARKED_HEADING = re.compile(r"^#{1,6} ")
_UNSEEN_TAGS = frozenset({"script", "style", "template", "noscript", "head"})
WORDS_COMPARED = 6
"""Words by which what follows a heading is found again."""
MIN_BEGINNING, MAX_BEGINNING = 8, 200
"""Letters and figures of these at least, for a line with fewer may stand anywhere, and characters of it looked at."""
_OPENS_CODE = "```"


@dataclass(frozen=True)
class _Heading:
    line: str
    """As Markdown has it."""
    following: tuple[str, ...]
    """The first words behind it that stand in no heading."""

    @property
    def words(self) -> tuple[str, ...]:
        """Its own."""
        return tuple(_WORD_OF_PAGE.findall(self.line))


def with_headings(tree: Any, text: str) -> str:
    """The Markdown text of a page with those headings of its tree (lxml) that it lacks, each before what follows it."""
    lines, start = text.split("\n"), 0
    beginnings = [_beginning_of(line) for line in lines]
    known = {tuple(_WORD_OF_PAGE.findall(line)) for line in lines if _MARKED_HEADING.match(line)}
    above = dict[int, list[str]]()
    for heading in _headings_of(tree):
        place = _place_of(heading.following, beginnings, start)
        if place is None:
            continue
        start = place
        if heading.words not in known:
            place -= place > 0 and lines[place - 1].startswith(_OPENS_CODE)
            above.setdefault(place, []).extend([heading.line, ""])
    return "\n".join(told for place, line in enumerate(lines) for told in (*above.get(place, ()), line))


def _headings_of(tree: Any) -> Iterator[_Heading]:
    """The headings with words of their own, in their order."""
    # What stands in two cells is parted by no space.
    blocks = [(above, " ".join(texts).split()) for above, texts in _blocks_of(tree)]
    words = [(above is None, word) for above, said in blocks for word in _WORD_OF_PAGE.findall(" ".join(said))]
    read = 0
    for above, said in blocks:
        read += len(_WORD_OF_PAGE.findall(" ".join(said)))
        if above is not None and said:
            behind = (word for is_body, word in words[read : read + 8 * WORDS_COMPARED] if is_body)
            following = tuple(word for word, _ in zip(behind, range(WORDS_COMPARED), strict=False))
            level = int(above.tag[1])
            yield _Heading(f"{'#' * level} {' '.join(said)}", following)


def _blocks_of(tree: Any) -> Iterator[tuple[Any, list[str]]]:
    """The texts of each heading with that, and of what stands between two with None."""
    texts = ((_heading_around(text), str(text)) for text in tree.xpath("//text()") if _is_seen(text))
    for above, group in groupby(texts, key=lambda pair: pair[0]):
        yield above, [text for _, text in group]


def _elements_around(text: Any) -> Iterator[Any]:
    """The elements that a text of a tree stands in, the nearest first."""
    element = text.getparent()
    yield from element.iterancestors() if text.is_tail else (element, *element.iterancestors())


def _heading_around(text: Any) -> Any:
    return next(
        (one for one in _elements_around(text) if isinstance(one.tag, str) and _HEADING_TAG.fullmatch(one.tag)), None
    )


def _is_seen(text: Any) -> bool:
    return not any(one.tag in _UNSEEN_TAGS for one in _elements_around(text))


def _beginning_of(line: str) -> list[str]:
    """The first words of a line; none of a heading and of one that has too few letters to be told from others."""
    words = [] if _MARKED_HEADING.match(line) else _WORD_OF_PAGE.findall(line[:MAX_BEGINNING])[:WORDS_COMPARED]
    return words if len("".join(words)) >= MIN_BEGINNING else []


def _place_of(words: Sequence[str], beginnings: Sequence[Sequence[str]], start: int) -> int | None:
    """The first line, from `start` on, that begins with some words, or is their beginning; None where none does."""
    places = (place for place in range(start, len(beginnings)) if beginnings[place])
    return next((one for one in places if beginnings[one] == list(words[: len(beginnings[one])])), None)
