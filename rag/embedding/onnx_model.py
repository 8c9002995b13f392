"""MiniLM through ONNX Runtime, without PyTorch: reads an export that was verified, and says when there is none."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from rag.embedding.base import PieceEmbedder, Vectors, whole
from rag.embedding.model_traits import ModelTraits
from rag.embedding.spelling import Spelling
from utils.errors import FileUnreadable
from utils.files import read_json
from utils.network.telemetry import switch_off
from utils.paths import private_dir, write_private

MARKER = "verified.json"
MODEL = "model.onnx"
TOKENIZER = "tokenizer.json"
# What stands for a word of which not even the letters are in the vocabulary.
UNKNOWN_TOKEN = "[UNK]"
# Raised when exports are made in another way: older ones are then made anew.
MAKER = 2
# Texts that go through the graph at once. In bytes, those of one batch share one scale: that cost short ones a cosine
# of 0.990 instead of 0.994 and made vectors depend on their company; alone, texts of 500 characters are read as fast.
TEXTS_AT_ONCE = {"int8": 1, "uint8": 1, "fp32": 8}

# Without this rewriting of the graph a text was read in 8 % less time.
SLOWER = ["SkipLayerNormFusion"]


class OnnxBroken(Exception):
    """An export that cannot be used."""


@dataclass(frozen=True)
class Marker:
    """What an export is, written when it was verified against the reference."""

    fingerprint: str
    made_by: str
    """What made it, `maker()`: after an update it is made anew."""
    precision: str
    """`int8`, `uint8`, `fp32`, or `none` where the attempt failed: there is no model, and no use in trying again."""
    cosine: float
    """The smallest over the texts of the check."""
    reach: int
    """Word pieces that the model reads, its own two included."""
    files: dict[str, str]
    """SHA-256 of each file beside the marker."""


@cache
def export_maker() -> str:
    """What an export depends on besides the weights."""
    return f"{MAKER}, onnxruntime {version('onnxruntime')}, torch {version('torch')}"


def export_folder(root: Path, fingerprint: str) -> Path:
    """Where the export of a model is, in the folder of all exports."""
    return root / fingerprint.replace(":", "-").replace("/", "-")


def read_marker(folder: Path) -> Marker | None:
    """The marker in a folder, if there is one and this version of Magpie and its libraries wrote it."""
    try:
        marker = Marker(**read_json(folder / MARKER))
    except (FileUnreadable, TypeError):
        return None
    return marker if marker.made_by == export_maker() else None


def write_marker(folder: Path, marker: Marker) -> None:
    """Write the marker, after all other files."""
    write_private(folder / MARKER, json.dumps(asdict(marker), indent=2))


def remember_failure(folder: Path, fingerprint: str) -> None:
    """Leave a marker that keeps others from trying what failed."""
    shutil.rmtree(folder, ignore_errors=True)
    write_marker(private_dir(folder), Marker(fingerprint, export_maker(), "none", 0.0, 0, {}))


def file_digest(path: Path) -> str:
    """SHA-256 of a file; raises OSError."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class OnnxEmbedder(PieceEmbedder):
    """The export in a folder; its methods raise `OnnxBroken` where that cannot be used.

    Several texts are read at once, each in one thread; `threads` 0: as many as the machine has cores.
    """

    def __init__(self, folder: Path, fingerprint: str, threads: int = 0, traits: ModelTraits = ModelTraits()) -> None:
        super().__init__(traits)
        self.fingerprint = fingerprint
        self._folder = folder
        self._readers = ThreadPoolExecutor(threads or os.cpu_count() or 1, "onnx")
        self._marker: Marker | None = None
        self._session: Any = None
        self._tokenizer: Any = None

    def _loaded_marker(self) -> Marker:
        if self._marker is None:
            marker = self._checked_marker()
            self._session, self._tokenizer = _open_session(self._folder)
            self._marker = marker
        return self._marker

    def _checked_marker(self) -> Marker:
        marker = read_marker(self._folder)
        try:
            if marker is None or marker.fingerprint != self.fingerprint:
                raise OnnxBroken("there is no export of this model")
            if not {MODEL, TOKENIZER} <= {
                name for name, sum_ in marker.files.items() if file_digest(self._folder / name) == sum_
            }:
                raise OnnxBroken("its files are not those that were verified")
        except OSError as error:
            raise OnnxBroken(str(error)) from error
        return marker

    def _encode_texts(self, texts: Sequence[str]) -> Vectors:
        marker = self._loaded_marker()
        last = marker.reach - 1
        read = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        # The model's own last piece ends a text that is cut, too.
        read = [ids if len(ids) <= last + 1 else [*ids[:last], ids[-1]] for ids in read]
        order = sorted(range(len(read)), key=lambda i: len(read[i]))
        size = TEXTS_AT_ONCE[marker.precision]
        blocks = [[read[i] for i in order[start : start + size]] for start in range(0, len(order), size)]
        # A single question needs no other thread.
        each = map if len(blocks) == 1 else self._readers.map
        return np.concatenate(list(each(self._run_graph, blocks)))[np.argsort(order)]

    def _run_graph(self, texts: Sequence[Sequence[int]]) -> Vectors:
        tokens = np.zeros((len(texts), max(map(len, texts))), np.int64)
        mask = np.zeros_like(tokens)
        for row, ids in enumerate(texts):
            tokens[row, : len(ids)] = ids
            mask[row, : len(ids)] = 1
        vectors: Vectors = self._session.run(None, {"tokens": tokens, "mask": mask})[0]
        return vectors

    def _piece_offsets(self, text: str) -> Sequence[tuple[int, int]]:
        self._loaded_marker()
        offsets: Sequence[tuple[int, int]] = self._tokenizer.encode(text, add_special_tokens=False).offsets
        return offsets

    def _piece_counter(self) -> Callable[[str], int]:
        self._loaded_marker()
        tokenizer = self._tokenizer
        return lambda text: len(tokenizer.encode(whole(text), add_special_tokens=False).ids)

    def _spell_text(self, text: str) -> Spelling:
        self._loaded_marker()
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        known = [piece != UNKNOWN_TOKEN for piece in encoding.tokens]
        return Spelling(text, encoding.offsets, known, self._tokenizer.get_vocab_size())

    def _piece_limit(self) -> int:
        return self._loaded_marker().reach - 2


def _open_session(folder: Path) -> tuple[Any, Any]:
    """A session and a tokenizer that neither cuts nor pads; raises `OnnxBroken`."""
    # It asks at its import whether it may report.
    switch_off()
    # ONNX Runtime and tokenizers: a quarter of a second.
    try:
        import onnxruntime
        import tokenizers

        tokenizer = tokenizers.Tokenizer.from_file(str(folder / TOKENIZER))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        onnxruntime.set_default_logger_severity(4)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            str(folder / MODEL), options, providers=["CPUExecutionProvider"], disabled_optimizers=SLOWER
        )
        return session, tokenizer
    except Exception as error:
        # Both libraries raise bare exceptions, and the reference can answer.
        raise OnnxBroken(f"{type(error).__name__}: {error}") from error
