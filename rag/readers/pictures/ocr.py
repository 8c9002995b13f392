"""The text in pictures, read by RapidOCR with the models that its package brings along, or else by tesseract.

RapidOCR is the extra `ocr`; it comes first, as whoever installed it meant it.
"""

import importlib.util
from functools import cache
from typing import TYPE_CHECKING, Any

from rag.readers.pictures.tesseract import find_tesseract, read_by_tesseract

if TYPE_CHECKING:
    from PIL import Image

MAX_SIDE_READ = 2000
"""Pixels of the longer side of what is read: RapidOCR makes larger pictures so small itself."""
_EITHER = "pip install 'magpie-assistant[ocr]', or install the program tesseract"
NO_TEXT_READ = f"What reads text in pictures is not installed: {_EITHER}."
_LEAST_SIDE = 8
"""Pixels below which no line of writing fits."""
_LEAST_SURE = 0.6
"""The score (0 to 1) below which a line is left out: what is no writing is mostly read as some letters."""


def can_read() -> bool:
    """Whether text in pictures can be read here."""
    return has_rapidocr() or bool(find_tesseract())


@cache
def has_rapidocr() -> bool:
    """Whether the extra `ocr` is installed."""
    return importlib.util.find_spec("rapidocr") is not None


def read_lines(image: "Image.Image") -> list[str]:
    """The lines that are written in a picture (red, green, blue), from top to bottom.

    Raises `DocumentError` where tesseract breaks down.
    """
    if min(image.size) < _LEAST_SIDE:
        return []
    return _read_by_rapidocr(image) if has_rapidocr() else read_by_tesseract(image, find_tesseract())


def _read_by_rapidocr(image: "Image.Image") -> list[str]:
    import numpy as np

    # It takes arrays as OpenCV has them: blue, green, red.
    found = _engine()(np.ascontiguousarray(np.asarray(image)[:, :, ::-1]))
    scored = zip(found.txts or (), found.scores or (), strict=True)
    return [line for line, score in scored if score >= _LEAST_SURE and line.strip()]


@cache
def _engine() -> Any:
    from rapidocr import RapidOCR
    from rapidocr.utils import download_file

    # Its models lie in its package. Were one damaged it would fetch it, past the guard of all connections.
    download_file.DownloadFile._make_http_request = _refuse_download
    one_thread = {"EngineConfig.onnxruntime.intra_op_num_threads": 1}
    return RapidOCR(params={"Global.log_level": "critical", **one_thread})


def _refuse_download(*_: object) -> None:
    raise OSError("the models of rapidocr are not whole: install it anew")
