"""A long text made short for a summary: sentences from all of it, which stand for what is around them."""

import numpy as np

from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.sentences import split_sentences

ROOM = 3000
"""Characters of what a summary is written from: a small model reads 70 tokens a second."""
STRETCHES = 6
"""Parts of a text of which each has its share of the room."""
MAX_SENTENCES_CONDENSED = 300
"""Sentences that are compared: of a longer text evenly as many."""


async def condense_text(finder: EvidenceFinder, text: str) -> str:
    """A text of at most about `ROOM` characters: of each stretch the sentences nearest to its middle, in their order.

    Raises `EmbedderUnavailable`.
    """
    if len(text) <= ROOM:
        return text
    every = split_sentences(text)
    chosen = np.unique(np.linspace(0, len(every) - 1, min(MAX_SENTENCES_CONDENSED, len(every))).astype(int))
    sentences = [every[place] for place in chosen]
    vectors = await finder.embed_texts(sentences)
    kept: list[int] = []
    for stretch in np.array_split(np.arange(len(sentences)), STRETCHES):
        left = ROOM // STRETCHES
        alike = vectors[stretch] @ vectors[stretch].mean(axis=0)
        for place in stretch[np.argsort(-alike)]:
            if len(sentences[place]) <= left:
                kept.append(int(place))
                left -= len(sentences[place])
    return "\n".join(sentences[place] for place in sorted(kept))
