"""A sentence beside the sentence of a passage that says nearly the same, and what stands in the place of what."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from chatbot.citations.texts import Statement, word_key
from utils.languages.lexicon import load_lexicon
from utils.languages.quantities import Quantity


@dataclass(frozen=True)
class Unit:
    """A word, a name or a number of a statement."""

    key: str
    """The same for what says the same."""
    text: str
    kind: Literal["word", "name", "number"]
    weight: float

    @property
    def opposite_sides(self) -> list[tuple[int, int]]:
        """Of which pairs of opposites it is which side."""
        known = load_lexicon().directions
        return [place for part in (self.text, *self.text.split("-")[1:]) for place in known.get(part, ())]


@dataclass(frozen=True)
class Replacement:
    """What a sentence has between words that both have, and what the passage has there."""

    ours: Sequence[Unit]
    theirs: Sequence[Unit]

    @property
    def is_opposite(self) -> bool:
        """Whether a word stands in the place of its opposite."""
        some = {place for unit in self.ours for place in unit.opposite_sides}
        return any((pair, -side) in some for unit in self.theirs for pair, side in unit.opposite_sides)

    @property
    def phrases(self) -> tuple[str, str]:
        """Both as text."""
        return " ".join(unit.text for unit in self.ours), " ".join(unit.text for unit in self.theirs)


@dataclass(frozen=True)
class Alignment:
    """A sentence beside the sentence of its passages that has most of its words."""

    best: Statement
    coverages: NDArray[np.float64]
    """How much of the sentence and its question each sentence of the passages has, 0 to 1."""
    replacements: tuple[Replacement, ...]

    def heaviest_replacements(self, count: int) -> list[Replacement]:
        """The replacements whose words say most, of which the passage's sentence has not all."""
        new = [
            r for r in self.replacements if any(u.kind != "number" and not self.best.has_word(u.text) for u in r.ours)
        ]
        return sorted(new, key=lambda replacement: -sum(unit.weight for unit in replacement.ours))[:count]


def split_units(statement: Statement, known: Sequence[Quantity] = ()) -> list[Unit]:
    """What a statement is made of, in its order; a quantity that says one of the known ones has that one's key."""
    words = [
        (t.start, Unit(word_key(t.word), t.word, "name" if t.name else "word", t.weight))
        for t in statement.content_words
    ]
    numbers = []
    for quantity in statement.quantities:
        same = next((other for other in known if other.offered & quantity.required), quantity)
        text = statement.text[quantity.start : quantity.end]
        numbers.append((quantity.start, Unit(max(same.required), text, "number", 1.0)))
    return [unit for _, unit in sorted(words + numbers, key=lambda placed: placed[0])]
