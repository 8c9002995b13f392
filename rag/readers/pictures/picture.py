"""Pictures: decoded by Pillow, made no larger than models look at, and encoded anew without what cameras write."""

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rag.documents import MAX_SIDE_SENT, Picture, PictureType
from rag.readers.damage import translate_damage
from rag.readers.pictures.ocr import MAX_SIDE_READ, NO_TEXT_READ, can_read, read_lines
from rag.readers.text import kind_of, name_of
from utils.errors import DocumentError
from utils.text import one_line

if TYPE_CHECKING:
    from PIL import Image

MAX_PIXELS = 100_000_000
"""Of a picture that is decoded: 400 MB of memory."""
MAX_PNG_BYTES = 2_000_000
"""What is larger without loss, a photograph mostly, is sent as JPEG."""
JPEG_QUALITY = 88
MAX_REASON = 300
"""Characters of a sentence that says why a picture's text was not read."""

_FORMATS = ("AVIF", "BMP", "GIF", "JPEG", "PNG", "TIFF", "WEBP")
_PICTURE_BEGINNINGS = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
)
PICTURE_TYPES = frozenset(
    {"image/avif", "image/bmp", "image/gif", "image/jpeg", "image/png", "image/tiff", "image/webp"}
)
BYTES_TOLD_APART = 32
"""Of a file's beginning, by which a picture is known."""


def picture_type(data: bytes) -> str:
    """The media type of a picture by its first bytes; empty for what is none that can be decoded here."""
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:8] == b"ftyp" and data[8:12] in (b"avif", b"avis"):
        return "image/avif"
    # "BM" begins words as well; the four bytes behind a bitmap's size are zero.
    if data.startswith(b"BM") and data[6:10] == bytes(4):
        return "image/bmp"
    return next((kind for beginning, kind in _PICTURE_BEGINNINGS if data.startswith(beginning)), "")


def read_picture(data: bytes, source: str) -> Picture:
    """The picture as models are sent it, with the text in it where that can be read; raises `DocumentError`."""
    name = name_of(source)
    image, several = decode_picture(data, name, max(MAX_SIDE_READ, MAX_SIDE_SENT))
    text, unread = _text_in(image)
    image.thumbnail((MAX_SIDE_SENT, MAX_SIDE_SENT))
    media_type, encoded = encode_picture(image, lossy=picture_type(data) == "image/jpeg")
    return Picture(one_line(name), media_type, image.width, image.height, encoded, text, several, unread)


def _text_in(image: "Image.Image") -> tuple[str, str]:
    """What is written in a picture that is attached, and why that was not read: models that see it need no text."""
    try:
        return "\n".join(read_lines(image)) if can_read() else "", ""
    except DocumentError as error:
        return "", one_line(str(error), MAX_REASON)


def read_picture_text(data: bytes, source: str, _: str = "") -> tuple[str, str]:
    """Title and the text that is written in a picture; raises `DocumentError`."""
    name = name_of(source)
    if not can_read():
        raise DocumentError(f"{name} is {kind_of(data, name)}.", NO_TEXT_READ)
    image, _several = decode_picture(data, name, MAX_SIDE_READ)
    return name, "\n".join(read_lines(image))


def decode_picture(data: bytes, name: str, side: int) -> tuple["Image.Image", bool]:
    """The first picture in some bytes: upright, in red, green and blue on white, with no side longer than `side`.

    And whether there are several. Raises `DocumentError` for what is damaged or too large.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    # Pillow counts before it is told to decode a JPEG at a part of its size.
    Image.MAX_IMAGE_PIXELS = None
    with translate_damage(name, "a picture"):
        try:
            opened = Image.open(io.BytesIO(data), formats=_FORMATS)
        except UnidentifiedImageError as error:
            raise DocumentError(f"{name} is a picture that cannot be read: its beginning is damaged.") from error
        with opened:
            several = opened.format != "MPO" and bool(getattr(opened, "is_animated", False))
            opened.seek(0)
            opened.draft("RGB", (side, side))
            check_pixels(opened.size, name)
            image = as_colours(opened)
            image.thumbnail((side, side))
            upright = ImageOps.exif_transpose(image)
            return on_white(upright), several


def check_pixels(size: Sequence[int], name: str) -> None:
    """Raises `DocumentError` for a picture that would take too much memory."""
    width, height = size
    if width * height > MAX_PIXELS:
        raise DocumentError(
            f"{name} has {width:,}×{height:,} pixels; the limit is {MAX_PIXELS // 1_000_000} million.",
            "Make it smaller.",
        )


def as_colours(image: "Image.Image") -> "Image.Image":
    """A picture in colours that can be made smaller, whatever it was stored in: a palette, ink, 16 bits of grey."""
    if image.mode.startswith("I"):
        brightest = image.getextrema()[1]
        assert isinstance(brightest, int | float)
        # Sensors and scanners use all 16 bits; what is brighter than 255 would all be white.
        return image.point(lambda value: value * (255 / max(brightest, 255))).convert("L")
    if image.mode in ("RGB", "RGBA", "L"):
        return image if image.mode == "RGBA" or "transparency" not in image.info else image.convert("RGBA")
    return image.convert("RGBA" if image.has_transparency_data else "RGB")


def on_white(image: "Image.Image") -> "Image.Image":
    """The pixels alone, on white where they let something through: what else a file holds stays behind."""
    from PIL import Image

    plain = Image.new("RGB", image.size, "white")
    plain.paste(image, mask=image.getchannel("A") if image.mode == "RGBA" else None)
    return plain


def encode_picture(image: "Image.Image", *, lossy: bool) -> tuple[PictureType, bytes]:
    """Media type and bytes: as PNG what has sharp edges, as JPEG what came as one or would be large otherwise."""
    if not lossy:
        packed = io.BytesIO()
        image.save(packed, "PNG")
        if packed.tell() <= MAX_PNG_BYTES:
            return "image/png", packed.getvalue()
    packed = io.BytesIO()
    image.save(packed, "JPEG", quality=JPEG_QUALITY)
    return "image/jpeg", packed.getvalue()
