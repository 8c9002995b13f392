"""The process that exports MiniLM for ONNX Runtime and checks it: `python -m rag.embedding.onnx_export FOLDER`."""

import asyncio
import json
import os
import shutil
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import filelock
import numpy as np

from rag.embedding.onnx_model import (
    MODEL,
    TOKENIZER,
    Marker,
    OnnxBroken,
    OnnxEmbedder,
    export_folder,
    export_maker,
    file_digest,
    read_marker,
    remember_failure,
    write_marker,
)
from rag.embedding.sentence_model import SentenceEmbedder
from utils.files import read_json
from utils.paths import private_dir
from utils.platform import die_with_parent

# Every vector of the check must be this near to the reference's; the reference's index is then as good with them.
MIN_COSINE = 0.99
# What the user is doing comes first.
NICENESS = 15
TEXTS_FILE = Path(__file__).with_name("onnx_texts.json")


def main() -> None:
    """Export unless a verified export, or a failure to make one, is there already; waits for another who is at it."""
    die_with_parent()
    threading.Thread(target=_exit_with_parent, daemon=True).start()
    os.nice(NICENESS)
    root = private_dir(Path(sys.argv[1]))
    reference = SentenceEmbedder()
    folder = export_folder(root, reference.fingerprint)
    with filelock.FileLock(folder.with_name(folder.name + ".lock")):
        if read_marker(folder) is None:
            export_model(reference, folder)


def export_model(reference: SentenceEmbedder, folder: Path) -> None:
    """Make the export in a folder beside this one and put it in its place; else leave word that there can be none."""
    draft = folder.with_name(folder.name + ".new")
    shutil.rmtree(draft, ignore_errors=True)
    private_dir(draft)
    texts = json.loads(TEXTS_FILE.read_text(encoding="utf-8"))
    graphs = make_graphs(reference, draft, texts["level"])
    if asyncio.run(choose_graph(reference, draft, graphs, texts["check"])):
        shutil.rmtree(folder, ignore_errors=True)
        draft.rename(folder)
    else:
        remember_failure(folder, reference.fingerprint)
        shutil.rmtree(draft)


async def choose_graph(
    reference: SentenceEmbedder, draft: Path, graphs: Mapping[str, str], texts: Sequence[str]
) -> bool:
    """Leave the first graph that is as good as the reference in the draft, with its marker; whether there is one.

    `graphs` are file names by precision.
    """
    for precision, name in graphs.items():
        (draft / name).replace(draft / MODEL)
        cosine = await verify_graph(reference, draft, precision, texts)
        sys.stderr.write(f"{precision}: smallest cosine {cosine:.5f}\n")
        if cosine >= MIN_COSINE:
            for other in graphs.values():
                (draft / other).unlink(missing_ok=True)
            write_marker(draft, _make_marker(reference, draft, precision, cosine))
            return True
    return False


def make_graphs(reference: SentenceEmbedder, draft: Path, level: Sequence[str]) -> dict[str, str]:
    """Write the tokenizer and a graph of each precision; their file names by precision, the fastest first."""
    import onnxruntime.quantization as quantization
    import tokenizers
    import torch
    from safetensors.torch import load_file

    from rag.embedding.onnx_graph import Encoder, write_graph

    weights = reference.folder
    if weights is None:
        raise FileNotFoundError("the weights are not on this disk")
    shutil.copyfile(weights / TOKENIZER, draft / TOKENIZER)
    tokenizer = tokenizers.Tokenizer.from_file(str(draft / TOKENIZER))
    tokenizer.no_padding()
    tokenizer.enable_truncation(_piece_limit(weights))
    config = read_json(weights / "config.json")
    # Threads that wait for a busy machine's cores took longer than one alone.
    torch.set_num_threads(1)
    with torch.no_grad():
        encoder = Encoder(load_file(weights / "model.safetensors"), config)
        read = [torch.tensor([encoding.ids]) for encoding in tokenizer.encode_batch(level)]
        encoder.level_columns([(tokens, torch.ones_like(tokens)) for tokens in read])
        write_graph(encoder, draft / "fp32.onnx")
    # Processors of x86 without VNNI add signed weights up in 16 bits, which is too little: the smallest cosine is 0.962
    # then. Unsigned ones need another multiplication, as fast there and sound: 0.997.
    kinds = {"int8": quantization.QuantType.QInt8, "uint8": quantization.QuantType.QUInt8}
    for precision, kind in kinds.items():
        quantization.quantize_dynamic(
            draft / "fp32.onnx",
            draft / f"{precision}.onnx",
            op_types_to_quantize=["MatMul"],
            per_channel=True,
            weight_type=kind,
        )
    return {precision: f"{precision}.onnx" for precision in (*kinds, "fp32")}


async def verify_graph(reference: SentenceEmbedder, draft: Path, precision: str, texts: Sequence[str]) -> float:
    """The smallest cosine between the two, each text alone and all in company; 0 where they cut texts differently."""
    write_marker(draft, _make_marker(reference, draft, precision, 0.0))
    alone, company = (OnnxEmbedder(draft, reference.fingerprint, threads=1) for _ in range(2))
    try:
        pieces = await company.embed_pieces(texts)
        single = np.concatenate([await alone.embed([text]) for text in texts])
    except OnnxBroken as error:
        sys.stderr.write(f"{precision}: {error}\n")
        return 0.0
    right = await reference.embed_pieces(texts)
    if [len(group) for group in pieces] != [len(group) for group in right]:
        return 0.0
    cosines = [
        _row_cosines(np.concatenate(right), np.concatenate(pieces)),
        _row_cosines(await reference.embed(texts), single),
    ]
    return float(np.concatenate(cosines).min())


def _row_cosines(one: Any, other: Any) -> Any:
    return np.sum(one * other, axis=1)


def _make_marker(reference: SentenceEmbedder, draft: Path, precision: str, cosine: float) -> Marker:
    files = {name: file_digest(draft / name) for name in (MODEL, TOKENIZER)}
    reach = _piece_limit(reference.folder or draft)
    return Marker(reference.fingerprint, export_maker(), precision, cosine, reach, files)


def _piece_limit(weights: Path) -> int:
    config = read_json(weights / "sentence_bert_config.json")
    return int(config["max_seq_length"])


def _exit_with_parent() -> None:
    os.read(0, 1)
    os._exit(1)


if __name__ == "__main__":
    main()
