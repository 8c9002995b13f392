"""What servers that embed have in common: what is asked, what is read, and in what words a failure is told."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rag.embedding.base import Vectors

MAX_DIMENSIONS = 65_536
"""Numbers of a vector; the largest models of today have 4,096."""


@dataclass(frozen=True)
class EmbeddingWire:
    """How one kind of server is asked for vectors."""

    name: str
    """As the setting `rag.embedding_backend` has it."""
    base_url: str
    """Where such a server is unless it is said."""
    path: str
    """Behind the base URL."""
    root: str
    """What a base URL ends in where people leave it out; empty for nothing."""
    model: str
    """What is asked for where no model is named."""
    key_variable: str
    """Of the environment: it holds the key of the maker's servers."""
    key_urls: tuple[str, ...]
    """Those servers; an address in the next is one of them."""
    url_variable: str
    """Of the environment: it names the server that the key beside it is for."""
    make_body: Callable[[str, Sequence[str]], dict[str, Any]]
    """What is sent for a model and texts."""
    read_rows: Callable[[dict[str, Any]], Sequence[object]]
    """The vectors of an answer, in the order of the texts; raises KeyError, TypeError, ValueError for what is none."""
    count_tokens: Callable[[dict[str, Any]], object]
    """What the answer says that the texts had."""


def complete_base_url(wire: EmbeddingWire, url: str) -> str:
    """A base URL with the scheme and the root that people leave out; the wire's own where there is none."""
    if not url.strip():
        return wire.base_url
    scheme, _, rest = url.strip().rstrip("/").rpartition("://")
    return f"{scheme or 'http'}://{rest}" + ("" if "/" in rest else wire.root)


class UnusableVectors(Exception):
    """An answer that holds no vectors of the texts; its text ends a sentence that begins with the server."""


def read_vectors(wire: EmbeddingWire, answer: object, count: int) -> tuple[Vectors, int]:
    """Unit vectors, shape (count, dimensions), and the tokens that the texts had; raises `UnusableVectors`."""
    if not isinstance(answer, dict):
        raise UnusableVectors("answers with what is no JSON object")
    try:
        rows = wire.read_rows(answer)
        if len(rows) != count:
            raise UnusableVectors(f"gave {len(rows):,} vectors for {count:,} texts")
        widths = {len(row) if isinstance(row, list) else 0 for row in rows}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise UnusableVectors("answers with no vectors") from error
    if len(widths) > 1:
        raise UnusableVectors("gave vectors of different lengths")
    if not 0 < (width := widths.pop()) <= MAX_DIMENSIONS:
        raise UnusableVectors(f"gave vectors of {width:,} numbers" if width else "answers with no vectors")
    tokens = wire.count_tokens(answer)
    known = isinstance(tokens, int | float) and math.isfinite(tokens) and tokens > 0
    return unit_vectors(rows), int(tokens) if known and isinstance(tokens, int | float) else 0


def unit_vectors(rows: Sequence[object]) -> Vectors:
    """Lists of numbers as vectors of length 1; raises `UnusableVectors`."""
    try:
        vectors = np.asarray(rows, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise UnusableVectors("gave a vector of what are no numbers") from error
    if vectors.ndim != 2:
        raise UnusableVectors("gave a vector of what are no numbers")
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise UnusableVectors("gave a vector of what are no numbers")
    if not (lengths > 0).all():
        raise UnusableVectors("gave a vector of zeros")
    return np.asarray(vectors / lengths, np.float32)
