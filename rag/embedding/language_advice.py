"""Text in languages that the embedding model was not made for: who indexes it is told so once, with what helps."""

from collections.abc import Iterable
from dataclasses import dataclass

from rag.embedding.base import LibraryEmbedder, model_name
from rag.search.tokenization import SAMPLE_CHARS, in_english

MIN_FOREIGN_CHARS = 1000
"""Characters of which most must be foreign; in less there may be a few names and quotations."""
MULTILINGUAL = "paraphrase-multilingual-MiniLM-L12-v2"
"""As small as the model that comes with Magpie, as many dimensions, and made for 50 languages."""
MULTILINGUAL_THERE = "bge-m3"
"""What servers have for 100 languages."""


@dataclass
class Tally:
    """How much text there was, how much of it not in English, and a sample of that."""

    characters: int = 0
    foreign: int = 0
    sample: str = ""

    def count_texts(self, texts: Iterable[str]) -> None:
        """Count texts, each as a whole in one language."""
        for text in texts:
            self.characters += len(text)
            if not in_english(text):
                self.foreign += len(text)
                self.sample = (self.sample + text[:SAMPLE_CHARS])[:SAMPLE_CHARS]


class ForeignText:
    """Gives its advice once."""

    def __init__(self, embedder: LibraryEmbedder) -> None:
        self._embedder = embedder
        self._told = False

    async def give_advice(self, tally: Tally) -> str:
        """What to do where most of the text is foreign to the embedding model; empty where all is well, or was told."""
        foreign = tally.characters >= MIN_FOREIGN_CHARS and tally.foreign > tally.characters / 2
        if self._told or not foreign or await self._embedder.reads_language(tally.sample):
            return ""
        self._told = True
        model = model_name(self._embedder.fingerprint)
        if self._embedder.served:
            better = f"{MULTILINGUAL_THERE}, once the server has it"
        else:
            better = f"{MULTILINGUAL}, which is fetched once"
        return (
            f"Most of this text is not in English, and {model} does not know its language: searches find it by its"
            f" words, but poorly by meaning. Set rag.embedding_model to {better}; what the library"
            " holds is then embedded anew."
        )
