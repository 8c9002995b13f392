"""What makes vectors of texts, as the rest of Magpie sees it, and what the models of this machine share."""

import asyncio
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rag.embedding.model_traits import ModelTraits
from rag.embedding.spelling import Spelling
from utils.languages.detection import language_of

Vectors = NDArray[np.float32]
Made = TypeVar("Made")

# Texts that go through the model at once; more gained nothing on two cores, and a question waits for one batch.
BATCH = 32
# Vectors that are remembered, some 4 MB: a question is compared with results, passages and the library.
MAX_VECTORS_REMEMBERED = 2000


class Embedder(Protocol):
    """Makes unit vectors; raises `EmbedderUnavailable`."""

    @property
    def fingerprint(self) -> str:
        """Names the model and its weights: vectors of different fingerprints cannot be compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text, shape (len(texts), dimensions), float32; loads the model the first time.

        A model may read only the beginning of a long text.
        """
        ...

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """The same of texts that passages are to be found by, with what the model wants before a question."""
        ...

    async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text, as a passage, one unit vector a piece that the model can read whole, (pieces, dimensions)."""
        ...

    async def make_counter(self) -> Callable[[str], int]:
        """What counts the model's tokens of a text, in any thread."""
        ...

    async def reads_language(self, text: str) -> bool:
        """Whether the model's vocabulary was made for the language of a text."""
        ...


class LibraryEmbedder(Embedder, Protocol):
    """One that makes the vectors of a library."""

    @property
    def batch(self) -> int:
        """Texts that are best given to it at once."""
        ...

    @property
    def served(self) -> bool:
        """Whether a server embeds: it may be down for a while, and its model may become another one."""
        ...

    @property
    def host(self) -> str:
        """Where the texts go that do not stay on this machine; empty where they stay."""
        ...

    def take_tokens(self) -> int:
        """What a server read since this was asked last, by its own count; 0 of a model on this machine."""
        ...

    def forget_answers(self) -> None:
        """Remember nothing of what was embedded: the model of a server may have become another."""
        ...


@dataclass(frozen=True)
class EmbeddedTexts:
    """Vectors that were made for one purpose and serve another: they are of one model, given by its fingerprint."""

    fingerprint: str
    vectors: Mapping[bytes, Vectors]
    """Shape (pieces, dimensions), by the SHA-256 of what was embedded."""

    def of(self, fingerprint: str, wanted: Set[bytes]) -> dict[bytes, Vectors]:
        """Those of the texts that are wanted, none where another model made them."""
        if fingerprint != self.fingerprint:
            return {}
        return {key: rows for key, rows in self.vectors.items() if key in wanted}


def cosine_similarities(query: Vectors, vectors: Vectors) -> NDArray[Any]:
    """Cosine of one unit vector, shape (d,), with each of several, shape (n, d); nan or inf where one is damaged."""
    with np.errstate(invalid="ignore", over="ignore"):
        return vectors @ query


def passage_mark(traits: ModelTraits) -> str:
    """What ends the fingerprint of a model that is given passages with something before them; empty for others."""
    return f" {hashlib.sha256(traits.passage.encode()).hexdigest()[:8]}" if traits.passage else ""


def model_name(fingerprint: str) -> str:
    """A model as it is told to the user: without the digest of its weights and the mark of its prefix."""
    name, _, _ = fingerprint.partition(" ")
    return name if "@" in name else name.partition(":")[0]


ESTIMATED_TOKENS = "an estimate"
"""In the place of a tokenizer's name: what counts the tokens of models behind servers."""


def tokenizer_name(fingerprint: str) -> str:
    """Whose tokens a model counts; of models behind servers they are estimated, for all alike."""
    name = model_name(fingerprint)
    return ESTIMATED_TOKENS if "@" in name else name


def whole(text: str) -> str:
    """The text with lone surrogates, which no tokenizer and no UTF-8 takes, replaced."""
    return text.encode("utf-8", "replace").decode()


class MachineEmbedder:
    """What a library asks of an embedder beside vectors, of one on this machine."""

    batch = BATCH
    served = False
    host = ""

    def take_tokens(self) -> int:
        """0: what is read on this machine is nobody's to be paid."""
        return 0

    def forget_answers(self) -> None:
        """Nothing is to be forgotten: weights on this disk stay what they were when they were loaded."""


class PieceEmbedder(MachineEmbedder, ABC):
    """What the embedders share: a thread that everything heavy runs in, recent vectors, and the cutting of long texts.

    A subclass reads texts: its methods run in that thread only.
    """

    def __init__(self, traits: ModelTraits = ModelTraits()) -> None:
        self._traits = traits
        self._pool = ThreadPoolExecutor(1, "embedder")
        self._known: dict[str, Vectors] = {}

    async def load(self) -> None:
        """Load the model if it is not loaded; raises `EmbedderUnavailable`."""
        await self._run_in_thread(self._piece_limit)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a text, shape (len(texts), dimensions); what the model cannot read of a text is left out."""
        texts = [whole(text) for text in texts]
        # Texts of one length go through the model together, so that little of a batch is padding.
        order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
        blocks = [[texts[i] for i in order[start : start + BATCH]] for start in range(0, len(texts), BATCH)]
        vectors = [await self._run_in_thread(partial(self._remembered_vectors, block)) for block in blocks]
        return np.concatenate(vectors)[np.argsort(order)] if vectors else np.zeros((0, 0), np.float32)

    async def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """One unit vector a question, with what the model wants before it."""
        return await self.embed([self._traits.question + text for text in texts])

    async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text the unit vectors of its pieces, each within the model's reach."""
        pieces = await self._run_in_thread(partial(self._cut_texts, [whole(text) for text in texts]))
        flat = await self.embed([self._traits.passage + piece for group in pieces for piece in group])
        ends = np.cumsum([len(group) for group in pieces])
        return np.split(flat, ends[:-1]) if texts else []

    async def make_counter(self) -> Callable[[str], int]:
        """What counts the model's word pieces of a text, those that it puts around every text left out."""
        return await self._run_in_thread(self._piece_counter)

    async def reads_language(self, text: str) -> bool:
        """Whether the model's vocabulary was made for the language of a text."""
        # English every vocabulary was made for; of a short question with names in it hardly half the letters look so.
        return language_of(text) == "en" or await self._run_in_thread(lambda: self._spell_text(whole(text)).is_fluent)

    @abstractmethod
    def _encode_texts(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors of the beginnings of different texts, one each; loads the model if it is not loaded."""

    @abstractmethod
    def _piece_offsets(self, text: str) -> Sequence[tuple[int, int]]:
        """Where each word piece of a text begins and ends, the model's own two left out."""

    @abstractmethod
    def _piece_limit(self) -> int:
        """Word pieces of a text that the model reads; loads the model if it is not loaded."""

    @abstractmethod
    def _piece_counter(self) -> Callable[[str], int]:
        """What counts the word pieces of a text in any thread; loads the model if it is not loaded."""

    @abstractmethod
    def _spell_text(self, text: str) -> Spelling:
        """A text as the model's vocabulary has it; loads the model if it is not loaded."""

    async def _run_in_thread(self, work: Callable[[], Made]) -> Made:
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def _remembered_vectors(self, texts: Sequence[str]) -> Vectors:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        if new:
            self._known.update(zip(new, self._encode_texts(new), strict=True))
        found = np.stack([self._known[text] for text in texts])
        for oldest in list(self._known)[: max(0, len(self._known) - MAX_VECTORS_REMEMBERED)]:
            del self._known[oldest]
        return found

    def _cut_texts(self, texts: Sequence[str]) -> list[list[str]]:
        reach = self._piece_limit()
        if self._traits.passage:
            reach = max(1, reach - len(self._piece_offsets(self._traits.passage)))
        return [halve_text(text, self._piece_offsets, reach) for text in texts]


def halve_text(text: str, find: Callable[[str], Sequence[tuple[int, int]]], reach: int) -> list[str]:
    """The text, or its halves and their halves until each has at most `reach` word pieces, which `find` finds."""
    offsets = find(text)
    if len(offsets) <= reach:
        return [text]
    middle = offsets[len(offsets) // 2][0]
    # Rather between words, where there is a space in the last quarter before the middle.
    space = text.rfind(" ", middle - middle // 4, middle)
    cut = space if space > 0 else middle
    return halve_text(text[:cut], find, reach) + halve_text(text[cut:], find, reach)
