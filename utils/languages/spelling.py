"""Which known name a misspelt one is likely to mean."""

from collections.abc import Sequence

ALIKE = 60.0
"""What two names must resemble each other (0 to 100) for one to be offered in the place of the other."""


def nearest_name(name: str, known: Sequence[str], alike: float = ALIKE, *, whole: bool = False) -> str:
    """The first of the known names that resembles a name most, by `alike` (0 to 100) at least; empty without one.

    `whole`: the names as a whole must, and not just one of them a part of the other ("host" and "ollama.host").
    """
    # Loaded only where something is misspelt.
    from rapidfuzz import fuzz, process

    best = process.extractOne(name, known, scorer=fuzz.ratio if whole else fuzz.WRatio, score_cutoff=alike)
    return best[0] if best else ""
