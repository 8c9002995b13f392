"""The order and the choice of passages; pure."""

from collections.abc import Sequence

from rapidfuzz import fuzz

from rag.documents import Passage

# Two texts of 500 characters that differ in a word or two are above 95; neighbouring chunks with their shared
# 100 characters stay below 60.
SAME = 92.0


def collapse(passages: Sequence[Passage]) -> list[Passage]:
    """The passages in their order, those left out that say what one before them says in nearly the same letters."""
    kept: list[tuple[str, Passage]] = []
    for passage in passages:
        words = " ".join(passage.text.casefold().split())
        if all(fuzz.ratio(words, other, score_cutoff=SAME) == 0 for other, _ in kept):
            kept.append((words, passage))
    return [passage for _, passage in kept]
