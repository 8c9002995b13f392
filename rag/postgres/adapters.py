"""How values travel to PostgreSQL and back: text with what its text cannot hold, and vectors."""

from collections.abc import Sequence

import numpy as np
import psycopg
from psycopg.abc import Buffer
from psycopg.adapt import AdaptersMap
from psycopg.types.string import StrBinaryDumper, StrDumperUnknown, TextBinaryLoader, TextLoader

from rag.embedding.base import Vectors, whole
from rag.stored import damaged_library

# PostgreSQL's text has no NUL; a file's may. Two characters stand for it, and two for the first of those, which is one
# that Unicode gives to nobody.
_MARK, _NUL = "\U0010ffff", "\0"


def storable(text: str) -> str:
    """The text as PostgreSQL can hold it; half a character, which UTF-8 cannot hold, is replaced."""
    if _NUL in text or _MARK in text:
        text = text.replace(_MARK, f"{_MARK}1").replace(_NUL, f"{_MARK}0")
    return whole(text)


def as_it_was(text: str) -> str:
    """The text that `storable` was given."""
    if _MARK in text:
        return text.replace(f"{_MARK}0", _NUL).replace(f"{_MARK}1", _MARK)
    return text


class _Dumper(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(storable(obj))


class _BinaryDumper(StrBinaryDumper):
    def dump(self, obj: str) -> Buffer | None:
        return super().dump(storable(obj))


class _Loader(TextLoader):
    def load(self, data: Buffer) -> str | bytes:
        text = super().load(data)
        return as_it_was(text) if isinstance(text, str) else text


class _BinaryLoader(TextBinaryLoader):
    def load(self, data: Buffer) -> str | bytes:
        text = super().load(data)
        return as_it_was(text) if isinstance(text, str) else text


def make_adapters() -> AdaptersMap:
    """What connections are given, so that every text comes back as it was put in."""
    adapters = AdaptersMap(psycopg.adapters)
    # The last is the one that is used where none is asked for.
    adapters.register_dumper(str, _BinaryDumper)
    adapters.register_dumper(str, _Dumper)
    adapters.register_loader("text", _Loader)
    adapters.register_loader("text", _BinaryLoader)
    return adapters


def pack_vector(vector: Vectors) -> bytes:
    """A vector of shape (dimensions,) as pgvector takes and gives it in binary."""
    return len(vector).to_bytes(2, "big") + b"\0\0" + vector.astype(">f4").tobytes()


def unpack_vectors(packed: Sequence[bytes]) -> Vectors:
    """Vectors as pgvector gives them, at least one, a row each; raises `LibraryError` where their lengths differ."""
    width = len(packed[0])
    if any(len(one) != width for one in packed) or width < 8 or width % 4:
        raise damaged_library("a vector has not the length that it was kept with")
    return np.frombuffer(b"".join(packed), ">f4").reshape(len(packed), -1)[:, 1:].astype("<f4")
