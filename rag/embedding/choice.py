"""Which embedding model is meant, as plain values: it can be written down, and opened again later."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from utils.network.access import NetworkAccess


@dataclass(frozen=True)
class EmbeddingChoice:
    """A model and what it is asked by."""

    backend: str
    model: str
    base_url: str = ""
    """Empty: the backend's own."""
    key_file: str = ""
    query_prefix: str | None = None
    """None: as models of its name want it; so is the next."""
    passage_prefix: str | None = None


@dataclass(frozen=True)
class EmbedderSurroundings:
    """What an embedder is handed from outside."""

    data_folder: Path
    reach: NetworkAccess
    tell: Callable[[str], None] = lambda said: None
    """Shows the user a sentence: that a server is waited for."""
