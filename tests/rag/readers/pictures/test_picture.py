"""Pictures are decoded in the readers' process: made smaller, without what cameras write, whatever their files hold."""

import io
from pathlib import Path

import pytest
from PIL import Image

from rag.documents import Picture
from rag.readers import PAGE_BREAK, find_picture, read_text_of
from rag.readers.pictures.ocr import can_read
from tests.fakes.pictures import PLACE, declared_png, encoded, photograph, png_chunk, written
from utils.errors import DocumentError

needs_ocr = pytest.mark.skipif(not can_read(), reason="nothing that reads text in pictures is installed")


async def read(folder: Path, data: bytes, name: str = "photo.png") -> Picture:
    (folder / name).write_bytes(data)
    picture = await find_picture(folder / name)
    assert picture is not None
    return picture


def pixels(picture: Picture) -> Image.Image:
    image = Image.open(io.BytesIO(picture.data))
    assert (image.size, Image.MIME[image.format or ""]) == ((picture.width, picture.height), picture.media_type)
    return image


async def refusal(folder: Path, data: bytes, name: str = "photo.png") -> str:
    with pytest.raises(DocumentError) as refused:
        await read(folder, data, name)
    return str(refused.value)


async def test_a_photograph_is_made_smaller_and_says_nothing_of_where_it_was_taken(tmp_path: Path) -> None:
    data = photograph()
    assert data.count(PLACE.encode()) >= 2
    picture = await read(tmp_path, data, "photo.jpg")
    assert (picture.name, picture.size, picture.media_type) == ("photo.jpg", "1,568×1,045", "image/jpeg")
    image = pixels(picture)
    assert PLACE.encode() not in picture.data
    assert not image.getexif() and not image.info.keys() & {"exif", "comment", "icc_profile"}


async def test_a_photograph_taken_sideways_is_turned_upright(tmp_path: Path) -> None:
    picture = await read(tmp_path, photograph(400, 200, orientation=6), "photo.jpg")
    assert (picture.width, picture.height) == (200, 400)
    red, _, blue = pixels(picture).convert("RGB").split()
    # The left half was red: turned clockwise, it is the upper one.
    assert min(red.crop((0, 0, 200, 190)).tobytes()) > 200 and min(blue.crop((0, 210, 200, 400)).tobytes()) > 200


async def test_what_is_small_is_sent_as_it_is_and_what_is_sharp_without_loss(tmp_path: Path) -> None:
    screen = written("Save as")
    picture = await read(tmp_path, encoded(screen, "PNG"))
    assert picture.media_type == "image/png" and pixels(picture).tobytes() == screen.tobytes()


async def test_a_large_picture_of_many_colours_is_sent_as_jpeg(tmp_path: Path) -> None:
    noise = Image.effect_noise((1500, 1500), 80).convert("RGB")
    assert (await read(tmp_path, encoded(noise, "PNG"))).media_type == "image/jpeg"


@pytest.mark.parametrize(
    ("form", "mode"), [("JPEG", "CMYK"), ("TIFF", "CMYK"), ("GIF", "P"), ("WEBP", "RGB"), ("BMP", "RGB"), ("PNG", "1")]
)
async def test_every_form_of_colours_becomes_one_that_models_take(tmp_path: Path, form: str, mode: str) -> None:
    picture = await read(tmp_path, encoded(Image.new("RGB", (40, 30), "white").convert(mode), form), "any.dat")
    image = pixels(picture)
    assert image.mode == "RGB" and min(image.convert("L").tobytes()) > 240


async def test_a_picture_of_sixteen_bits_keeps_its_greys(tmp_path: Path) -> None:
    scan = Image.new("I;16", (2, 1), 40_000)
    scan.putpixel((1, 0), 20_000)
    assert [*pixels(await read(tmp_path, encoded(scan, "PNG"))).convert("L").tobytes()] == [254, 127]


async def test_what_lets_something_through_stands_on_white(tmp_path: Path) -> None:
    clear = Image.new("RGBA", (10, 10), (0, 0, 0, 0))
    assert pixels(await read(tmp_path, encoded(clear, "PNG"))).getpixel((5, 5)) == (255, 255, 255)


async def test_of_an_animation_the_first_frame_is_taken_and_said_to_be_one(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (20, 20), colour) for colour in ("red", "green", "blue")]
    moving = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    picture = await read(tmp_path, moving, "cat.gif")
    assert picture.size == "20×20, the first of several"
    assert pixels(picture).getpixel((5, 5)) == (255, 0, 0)


async def test_a_picture_as_long_as_a_street_is_still_one_pixel_high(tmp_path: Path) -> None:
    assert (await read(tmp_path, encoded(Image.new("RGB", (60_000, 2)), "PNG"))).size == "1,568×1"


async def test_what_is_no_picture_by_its_bytes_is_none_whatever_its_name(tmp_path: Path) -> None:
    (tmp_path / "notes.png").write_text("BMW is a maker of cars.")
    assert await find_picture(tmp_path / "notes.png") is None
    assert await read_text_of(tmp_path / "notes.png") == "BMW is a maker of cars."


async def test_a_bomb_is_told_by_its_pixels_and_costs_nothing(tmp_path: Path) -> None:
    assert await refusal(tmp_path, declared_png(60_000, 60_000)) == (
        "photo.png has 60,000×60,000 pixels; the limit is 100 million. Make it smaller."
    )


async def test_a_picture_of_200_mb_is_refused_before_it_is_read(tmp_path: Path) -> None:
    large = tmp_path / "photo.jpg"
    with large.open("wb") as file:
        file.write(photograph(20, 20))
        file.truncate(200_000_000)
    with pytest.raises(DocumentError) as refused:
        await find_picture(large)
    assert str(refused.value) == "photo.jpg has 200 MB; the limit is 50 MB. Make it smaller."


@pytest.mark.parametrize(
    "data",
    [
        photograph(400, 400)[:2000],
        declared_png(300, 300),
        declared_png(0, 0),
        b"\x89PNG\r\n\x1a\n" + bytes(90),
        b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", b"short"),
        b"\xff\xd8\xff\xe0\0\x10JFIF\0\1" + bytes(90),
        b"GIF89a" + bytes(40),
        b"II*\0" + b"\xff" * 40,
        b"RIFF\x10\0\0\0WEBPVP8 " + bytes(8),
        b"\0\0\0\x18ftypavif" + bytes(60),
    ],
)
async def test_a_broken_picture_is_one_sentence_and_the_next_one_is_read(tmp_path: Path, data: bytes) -> None:
    said = await refusal(tmp_path, data)
    assert said.startswith("photo.png ") and said.count(". ") <= 1 and "<" not in said and "\n" not in said
    assert (await read(tmp_path, encoded(written("Well"), "PNG"))).width == 900


async def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match="does not exist"):
        await find_picture(tmp_path / "none.png")


@needs_ocr
async def test_what_is_written_in_a_picture_is_read(tmp_path: Path) -> None:
    picture = await read(tmp_path, encoded(written("Invoice 4711 of 12 March", "Total due 318.40 EUR"), "PNG"))
    assert picture.text == "Invoice 4711 of 12 March\nTotal due 318.40 EUR"
    assert await read_text_of(tmp_path / "photo.png") == picture.text


@needs_ocr
async def test_a_picture_without_writing_has_no_text(tmp_path: Path) -> None:
    assert (await read(tmp_path, photograph(300, 200), "photo.jpg")).text == ""


@needs_ocr
async def test_a_scan_is_read_page_by_page(tmp_path: Path) -> None:
    first, second = written("The ferry of Halden"), written("leaves at 7:45")
    (tmp_path / "scan.pdf").write_bytes(encoded(first, "PDF", save_all=True, append_images=[second]))
    assert await read_text_of(tmp_path / "scan.pdf") == f"The ferry of Halden{PAGE_BREAK}leaves at 7:45"
