"""Pictures as cameras, scanners and hostile programs write them, made by Pillow."""

import io
import struct
import zlib
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from rag.documents import Picture

PLACE = "Halden, 59.12 N"
"""What a camera wrote into a photograph."""


def encoded(image: Image.Image, form: str, **more: Any) -> bytes:
    """The bytes of a picture's file."""
    file = io.BytesIO()
    image.save(file, form, **more)
    return file.getvalue()


def photograph(width: int = 2400, height: int = 1600, orientation: int = 1) -> bytes:
    """A JPEG with where and by what it was taken, a comment, and a profile of its colours; its left half is red."""
    image = Image.new("RGB", (width, height), "blue")
    image.paste("red", (0, 0, width // 2, height))
    exif = Image.Exif()
    exif[0x010E], exif[0x0112] = PLACE, orientation
    exif.get_ifd(0x8825)[1] = "N"
    exif.get_ifd(0x8825)[2] = (59.0, 7.0, 12.0)
    return encoded(image, "JPEG", exif=exif, comment=PLACE.encode(), icc_profile=PLACE.encode())


def written(*lines: str, size: int = 36) -> Image.Image:
    """A page with lines on it, black on white."""
    image = Image.new("RGB", (900, 80 + 80 * len(lines)), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(size)
    for place, line in enumerate(lines):
        draw.text((40, 40 + 80 * place), line, fill="black", font=font)
    return image


def declared_png(width: int, height: int) -> bytes:
    """A few bytes that say they are a picture of any size."""
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + png_chunk(b"IDAT", zlib.compress(bytes(100)))


def png_chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG with its checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def attached(name: str = "photo.png", text: str = "", width: int = 300, height: int = 200) -> Picture:
    """A picture as it goes with a question."""
    return Picture(name, "image/png", width, height, encoded(Image.new("RGB", (2, 2), "red"), "PNG"), text)
