"""Text in which a small model goes round in circles."""

from collections import Counter

from chatbot.models.pipeline.reading.evidence import split_sentences

CIRCLES = 3
"""How often the same sentence stands in a text that goes nowhere any more."""


def goes_round(text: str) -> bool:
    """Whether the last whole sentence of a growing text stands in it for the third time."""
    # The last piece is still being written.
    whole = split_sentences(text)[:-1]
    return bool(whole) and Counter(whole)[whole[-1]] >= CIRCLES


def without_repeats(text: str) -> str:
    """A text with each sentence once; its lines stay lines."""
    seen: set[str] = set()
    lines = []
    for line in text.splitlines():
        fresh = [sentence for sentence in dict.fromkeys(split_sentences(line)) if sentence not in seen]
        seen.update(fresh)
        if fresh or not line.strip():
            lines.append(" ".join(fresh))
    return "\n".join(lines).strip()
