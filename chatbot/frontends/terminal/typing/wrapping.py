"""Wraps what is typed between words: the prompt itself wraps wherever a row is full."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.layout.processors import Processor, Transformation, TransformationInput
from prompt_toolkit.layout.screen import Char
from prompt_toolkit.layout.utils import explode_text_fragments

_MIN_WRAPPED_COLUMNS = 8
"""Cells of a row below which words are cut as they come."""


class WordWrap(Processor):
    """Fills a row up with blanks where the next word finds no room; the text and the places in it stay as they are."""

    def __init__(self, indent: int) -> None:
        self._indent = indent
        """Cells in front of each row."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """The line with the blanks, and where each of its characters is now."""
        fragments = transformation_input.fragments
        characters = explode_text_fragments(fragments)
        text = "".join(character[1] for character in characters)
        gaps = row_gaps(text, transformation_input.width - self._indent)
        if not gaps:
            return Transformation(fragments)
        padded: StyleAndTextTuples = []
        for index, character in enumerate(characters):
            if index in gaps:
                padded.append(("", " " * gaps[index]))
            padded.append(character)
        starts = [*gaps]
        shifts = [0, *accumulate(gaps.values())]
        shown = [start + shift for start, shift in zip(starts, shifts[1:], strict=True)]

        def to_source(place: int) -> int:
            passed = bisect_right(shown, place)
            # In a gap is in front of the word behind it.
            return min(place - shifts[passed], starts[passed]) if passed < len(starts) else place - shifts[passed]

        return Transformation(padded, lambda place: place + shifts[bisect_right(starts, place)], to_source)


def row_gaps(text: str, room: int) -> dict[int, int]:
    """How many blanks end the row before which characters of a line, for rows of `room` cells.

    The last cell of a row is for the space behind a word, and for the cursor.
    """
    widths = [Char(character, "").width for character in text]
    if room < _MIN_WRAPPED_COLUMNS or sum(widths) < room:
        return {}
    gaps: dict[int, int] = {}
    used = 0
    for index, word in _words(text, widths):
        if index and used and used + word >= room > word:
            gaps[index] = room - used
            used = 0
        elif used + widths[index] > room:
            # A wide character, of which only half would find room.
            if used < room:
                gaps[index] = room - used
            used = 0
        used += widths[index]
    return gaps


def _words(text: str, widths: Sequence[int]) -> list[tuple[int, int]]:
    """Each character's place, with the cells of the word that begins there; 0 where none does."""
    cells = 0
    found: list[tuple[int, int]] = []
    for index in range(len(text) - 1, -1, -1):
        cells = 0 if text[index].isspace() else cells + widths[index]
        begins = index == 0 or text[index - 1].isspace()
        found.append((index, cells if begins else 0))
    return found[::-1]
