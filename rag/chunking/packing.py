"""Packs the sections of an outline into chunks: each ends at the best place within its reach."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from rag.chunking.outline import Outline, Section
from rag.chunking.rulers import Ruler

# The last space, or comma of a script that sets no spaces, in what is looked at.
_LAST_SPACE = re.compile(r".*[\s，、；：]", re.DOTALL)
_WORD_START = re.compile(r"\s+(?=\S)")
_NO_SPACE = re.compile(r"\S")


class Packer:
    """Cuts one text; `size` and `overlap` in the ruler's unit."""

    def __init__(self, text: str, outline: Outline, ruler: Ruler, size: int, overlap: int) -> None:
        self._text = text
        self._ruler = ruler
        self._size = size
        self._overlap = overlap
        self._paragraphs = outline.paragraphs
        self._sentences = outline.sentences
        self._solid = outline.solid

    def pack_section(self, section: Section) -> Iterator[tuple[int, int]]:
        """Beginning and end of every chunk of a section, spaces around it left out."""
        start = done = self._skip_space(section.start)
        end = section.start + len(self._text[section.start : section.end].rstrip())
        while done < end:
            stop = self._chunk_end(start, done, end)
            yield start, start + len(self._text[start:stop].rstrip())
            done = self._skip_space(stop)
            start = self._next_start(start, done, end) if done < end else end

    def _chunk_end(self, start: int, done: int, end: int) -> int:
        """The end of the chunk that begins at `start`; what stands before `done` was in the chunk before."""
        reach = max(self._ruler.reach_forward(start, self._size), done + 1)
        if reach >= end:
            return end
        block = self._block_at(reach)
        if block and self._takes_block(start, done, block):
            return block[1]
        reach = block[0] if block and block[0] > done else reach
        return (
            self._last_paragraph(done, reach, end)
            or _last_place(self._sentences, done, reach)
            or self._last_word(done, reach)
        )

    def _last_paragraph(self, done: int, reach: int, end: int) -> int:
        """Where the last paragraph within reach begins, 0 if it has to be cut anyway: then it fills this chunk."""
        place = _last_place(self._paragraphs, done, reach)
        return (
            place
            if self._ruler.measure_length(place, _next_place(self._paragraphs, place + 1, end)) <= self._size
            else 0
        )

    def _block_at(self, place: int) -> tuple[int, int] | None:
        """The block that would be cut there."""
        at = bisect_left(self._solid, (place, 0)) - 1
        return self._solid[at] if at >= 0 and place < self._solid[at][1] else None

    def _takes_block(self, start: int, done: int, block: tuple[int, int]) -> bool:
        """Whether a chunk goes on to the end of a block: when it would be less than half full without."""
        short = block[0] <= done or 2 * self._ruler.measure_length(start, block[0]) < self._size
        return short and self._ruler.measure_length(start, block[1]) <= 2 * self._size

    def _last_word(self, done: int, reach: int) -> int:
        space = _LAST_SPACE.match(self._text, done, reach + 1)
        return min(space.end(), reach) if space else reach

    def _next_start(self, start: int, done: int, end: int) -> int:
        """Where the next chunk begins: with the last whole sentences of the one before, else with its last words.

        Only within a paragraph: across paragraphs it was measured to find less.
        """
        if _next_place(self._paragraphs, done, end) == done:
            return done
        least = self._least_start(start, done, end)
        place = _next_place(self._sentences, least, end)
        if place >= done:
            word = _WORD_START.search(self._text, max(0, least - 1), done)
            place = word.end() if word else done
        place = self._skip_space(place)
        return place if self._ruler.reach_forward(place, self._size) > done else done

    def _least_start(self, start: int, done: int, end: int) -> int:
        """The first place where the next chunk may begin: neither in a block nor so early that no sentence fits."""
        least = max(self._ruler.reach_back(done, self._overlap), start + 1)
        block = bisect_left(self._solid, (done, 0)) - 1
        if block >= 0:
            least = max(least, self._solid[block][1])
        following = _next_place(self._sentences, done + 1, end)
        if self._ruler.measure_length(done, following) <= self._size:
            return max(least, self._ruler.reach_back(following, self._size))
        return done if self._block_at(done + 1) else least

    def _skip_space(self, place: int) -> int:
        found = _NO_SPACE.search(self._text, place)
        return found.start() if found else len(self._text)


def _last_place(places: list[int], after: int, reach: int) -> int:
    """The last of the places within reach, 0 if there is none."""
    at = bisect_right(places, reach) - 1
    return places[at] if at >= 0 and places[at] > after else 0


def _next_place(places: list[int], least: int, end: int) -> int:
    """The first of the places from `least` on, `end` if there is none."""
    at = bisect_left(places, least)
    return min(places[at], end) if at < len(places) else end
