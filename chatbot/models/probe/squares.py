"""A picture that any eye can tell, made without a library: a square of one colour."""

import struct
import zlib

from rag.documents import Picture

GREEN = (0, 160, 0)
_SIDE = 224
"""Pixels, as many as most models look at."""


def plain_square(colour: tuple[int, int, int]) -> Picture:
    """A square of one colour (red, green and blue, 0 to 255) as PNG."""
    head = struct.pack(">IIBBBBB", _SIDE, _SIDE, 8, 2, 0, 0, 0)
    # Each row begins with the number of its filter, 0 for none.
    rows = (b"\0" + bytes(colour) * _SIDE) * _SIDE
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    data = b"\x89PNG\r\n\x1a\n" + b"".join(_pack_chunk(kind, content) for kind, content in chunks)
    return Picture("square.png", "image/png", _SIDE, _SIDE, data)


def _pack_chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
