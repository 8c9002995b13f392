"""The words of many languages that the check of citations knows: months, numbers, negations, opposites, letters."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

WORDS_FILE = Path(__file__).with_name("words.json")


@dataclass(frozen=True)
class Lexicon:
    """Every word is casefolded; words of different languages stand side by side."""

    months: Mapping[str, int]
    """1 to 12 by name."""
    ambiguous_months: frozenset[str]
    """Names of months that are ordinary words as well."""
    weekdays: Mapping[str, int]
    """1 (Monday) to 7 by name."""
    numbers: Mapping[str, int]
    """2 to 20 and the tens; without one, which is an article in most languages."""
    scales: Mapping[str, int]
    """Powers of ten by name."""
    negations: frozenset[str]
    negation_parts: tuple[str, ...]
    """Negations of languages that set no spaces between words."""
    directions: Mapping[str, tuple[tuple[int, int], ...]]
    """For a word that has an opposite: its pairs, and on which side of each it stands, 1 or -1."""
    letters: Mapping[int, str]
    """Other scripts' letters in Latin ones, roughly, as `str.translate` takes them."""
    stopwords: frozenset[str]


@cache
def load_lexicon() -> Lexicon:
    """The shipped words."""
    words: dict[str, Any] = json.loads(WORDS_FILE.read_text(encoding="utf-8"))
    sides: dict[str, list[tuple[int, int]]] = {}
    for pair, (some, others) in enumerate(words["directions"]):
        for side, names in ((1, some), (-1, others)):
            for name in names:
                sides.setdefault(name.casefold(), []).append((pair, side))
    return Lexicon(
        months={name.casefold(): number for number, names in enumerate(words["months"], 1) for name in names},
        ambiguous_months=frozenset(words["ambiguous_months"]),
        weekdays={name.casefold(): number for number, names in enumerate(words["weekdays"], 1) for name in names},
        numbers={name.casefold(): int(value) for value, names in words["numbers"].items() for name in names},
        scales={name.casefold(): int(power) for power, names in words["scales"].items() for name in names},
        negations=frozenset(name.casefold() for name in words["negations"]),
        negation_parts=tuple(words["negation_parts"]),
        directions={name: tuple(places) for name, places in sides.items()},
        letters={ord(letter): latin for letter, latin in words["letters"].items()},
        stopwords=frozenset(words["stopwords"]),
    )
