"""The index that finds the chunks nearest to a vector without looking at all: Chroma; its only importer."""

import logging
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from rag.embedding.base import Vectors
from rag.indexes.exact import PIECES, Hits, best_pieces
from rag.indexes.index_sync import Index, IndexBroken
from rag.stored import Removal, StoredChunk, VectorEntry
from utils.files import open_regular

# Chroma's graph links a node to so many others, twice as many at its bottom. Where more have the very same vector they
# know each other only, and a chunk unlike them is out of reach. So each is moved a little before Chroma gets it, and in
# one plane: there a node has few neighbours that are not behind another, so that none has to drop its link to what lies
# far off. Of 400 libraries of 300 copies and one other chunk, added at once, none lost that one; of 200 whose chunks
# were each moved in a direction of its own, 8.
NEIGHBOURS = 32
SPREAD = 5e-3
# Nodes that a search looks at before it ends: of the 100 nearest of 10,000 it finds 99.5 %, with Chroma's own 100 nodes
# 93 %, in 5 ms and 3 ms.
SEARCHED = 400
# One more piece is asked for with so many chunks: few have several, and each that is asked for takes Chroma 20 us.
SPARE = 5
METADATA = "index_metadata.pickle"
VECTORS_VERSION = 4
"""Grows when the same vectors give another index: it is then made anew."""

_IMPORTING = threading.Lock()


class VectorIndex(Index[Any], Protocol):
    """Knows the vectors of chunks; what it takes in is its own affair."""

    def query(self, vector: Vectors, limit: int) -> Hits:
        """At most `limit` chunk ids with the cosine of their best piece, best first."""
        ...


def load_chroma() -> Any:
    """Chroma, which takes its settings from us alone.

    By itself it reads them from the environment and from a file `.env` in the working directory as well: that could
    name a server, to which everything indexed would go, and a line meant for another program keeps it from starting.
    """
    from pydantic_settings import BaseSettings

    def sources(_: type[Any], /, settings_cls: Any, init_settings: Any, **others: Any) -> tuple[Any, ...]:
        return (init_settings,)

    base: Any = BaseSettings
    with _IMPORTING:
        kept = base.__dict__["settings_customise_sources"]
        # It makes settings of its own while it is imported.
        base.settings_customise_sources = classmethod(sources)
        try:
            import chromadb
        finally:
            base.settings_customise_sources = kept
        settings: Any = chromadb.config.Settings
        settings.settings_customise_sources = classmethod(sources)
    return chromadb


class ChromaIndex:
    """A collection in a Chroma folder; only the process that owns the folder may make one."""

    def __init__(self, folder: Path, collection: str) -> None:
        chromadb = load_chroma()
        # What it reports of its own accord goes to its loggers, and from there would reach the terminal.
        logging.getLogger("chromadb").setLevel(logging.ERROR)
        self._folder = folder
        with translate_chroma_errors():
            settings = chromadb.config.Settings(anonymized_telemetry=False)
            try:
                self._client = chromadb.PersistentClient(str(folder), settings=settings)
            except BaseException:
                # Chroma remembers one that could not be begun as well, and would hand it out for the next one here.
                chromadb.api.shared_system_client.SharedSystemClient._identifier_to_system.pop(str(folder), None)
                raise
            try:
                self._batch = self._client.get_max_batch_size()
                self._collection = self._client.get_or_create_collection(
                    collection,
                    configuration={"hnsw": {"space": "cosine", "max_neighbors": NEIGHBOURS, "ef_search": SEARCHED}},
                    embedding_function=None,
                )
                self._warm_graph()
                blank_new_graphs(folder)
            except BaseException:
                # One that is left open would be handed out again for the folder that takes the place of this one.
                self._client.close()
                raise

    def _warm_graph(self) -> None:
        """Have the graph read from the disk now, and not by the first question: 0.7 s with 100,000 chunks."""
        kept: Any = self._collection.get(limit=1, include=["embeddings"])
        if kept["ids"]:
            self._collection.query(query_embeddings=kept["embeddings"], n_results=1, include=[])

    def add(self, entries: Sequence[VectorEntry]) -> None:
        """Take in chunks that have vectors, each piece under `chunk:piece`."""
        pieces = [
            (entry.chunk, i, row)
            for entry in entries
            if entry.vectors is not None
            for i, row in enumerate(entry.vectors)
        ]
        for start in range(0, len(pieces), self._batch):
            self._upsert_pieces(pieces[start : start + self._batch])

    def _upsert_pieces(self, pieces: Sequence[tuple[StoredChunk, int, Vectors]]) -> None:
        with translate_chroma_errors():
            self._collection.upsert(
                ids=[f"{chunk.id}:{i}" for chunk, i, _ in pieces],
                embeddings=np.stack([move_apart(chunk.id, i, row) for chunk, i, row in pieces]),
                documents=[chunk.text for chunk, _, _ in pieces],
                metadatas=[
                    {
                        "source": chunk.source,
                        "title": chunk.title,
                        "chunk_index": chunk.index,
                        "total_chunks": chunk.total,
                        "type": chunk.origin,
                    }
                    for chunk, _, _ in pieces
                ],
            )
            blank_new_graphs(self._folder)

    def delete(self, removals: Sequence[Removal]) -> None:
        """Forget chunks."""
        keys = [f"{removal.chunk}:{i}" for removal in removals for i in range(removal.pieces)]
        for start in range(0, len(keys), self._batch):
            with translate_chroma_errors():
                self._collection.delete(ids=keys[start : start + self._batch])

    def query(self, vector: Vectors, limit: int) -> Hits:
        """At most `limit` chunk ids with the cosine of their best piece, best first."""
        wanted = limit + limit // SPARE
        while True:
            with translate_chroma_errors():
                found: Any = self._collection.query(query_embeddings=[vector], n_results=wanted, include=["distances"])
            ids, distances = found["ids"][0], found["distances"][0]
            hits = best_pieces(
                zip((int(key.partition(":")[0]) for key in ids), (1 - d for d in distances), strict=True), limit
            )
            if len(hits) == limit or len(ids) < wanted or wanted >= PIECES * limit:
                return hits
            # Many of the chunks are in pieces.
            wanted = PIECES * limit

    def settle(self) -> None:
        """What was added is found at once."""

    def ids(self) -> set[int]:
        """The chunks that it knows."""
        with translate_chroma_errors():
            return {int(key.partition(":")[0]) for key in self._collection.get(include=[])["ids"]}

    def close(self) -> None:
        """Write everything and let go of the folder."""
        with translate_chroma_errors():
            self._client.close()
            blank_new_graphs(self._folder)


def blank_new_graphs(folder: Path) -> None:
    """Take out of the files of new graphs what stood in the memory that they were made in.

    Chroma writes a graph's memory before anything is in it, with whatever the process had there: pieces of the talk, of
    pages, of the environment. What it writes later, with `METADATA` beside it, is only what it has put there itself.
    """
    for header in folder.glob("*/header.bin"):
        if not header.with_name(METADATA).exists():
            for name in ("data_level0.bin", "length.bin"):
                with os.fdopen(open_regular(header.with_name(name), os.O_RDWR), "r+b") as file:
                    file.write(bytes(os.fstat(file.fileno()).st_size))


def move_apart(chunk: int, piece: int, vector: Vectors) -> Vectors:
    """The vector, moved by at most `SPREAD` to a place of its own in the plane that all are moved in."""
    angle, radius = np.random.default_rng([chunk, piece]).random(2)
    place = SPREAD * np.sqrt(radius) * np.array([np.cos(2 * np.pi * angle), np.sin(2 * np.pi * angle)])
    moved: Vectors = (vector + place @ directions(len(vector))).astype(np.float32)
    return moved


@lru_cache
def directions(dimensions: int) -> Vectors:
    """Two unit vectors, a row each, at right angles."""
    random = np.random.default_rng(dimensions).standard_normal((dimensions, 2))
    across: Vectors = np.linalg.qr(random)[0].T.astype(np.float32)
    return across


@contextmanager
def translate_chroma_errors() -> Iterator[None]:
    """Turn every failure of Chroma into `IndexBroken`."""
    import chromadb.errors

    try:
        yield
    except (chromadb.errors.ChromaError, OSError, ValueError, RuntimeError, AttributeError) as error:
        raise IndexBroken(str(error)) from error
