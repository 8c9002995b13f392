import io
import os
import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pypdf
import pytest

from rag.documents import Document
from rag.readers import MAX_DOCUMENT_BYTES, read_bytes, read_documents
from rag.readers.markdown import heading_of
from tests.fakes.site import pdf_file
from utils.errors import DocumentError

PAGE = """<html><head><title>Herons &amp; co | Birds</title></head><body><nav><a href="/">Start</a></nav>
<article><h1>Herons</h1><p>Herons stand still in shallow water, often for minutes on end, and wait for fish.</p>
<h2>Nests</h2><p>They breed in colonies high up in trees and return to them every year in early spring.</p>
<ul><li>grey heron</li><li>purple heron</li></ul></article><footer>Imprint</footer></body></html>"""


@pytest.fixture
def unprivileged() -> Iterator[Path]:
    """A folder, and no right of root to read everything."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        yield Path(folder)
        os.seteuid(user)


async def read_file(path: Path) -> Document:
    """The one document of a file."""
    [document] = [document async for document in read_documents(path)]
    return document


async def refusal(path: Path) -> str:
    with pytest.raises(DocumentError) as caught:
        await read_file(path)
    return caught.value.problem


def locked(pages: tuple[tuple[str, ...], ...], password: str) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf_file(pages)))
    writer.encrypt(password, "owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


async def test_markdown_is_kept_and_named_after_its_heading(tmp_path):
    path = tmp_path / "birds.md"
    path.write_text("```sh\n# no heading\n```\n\n# Birds of *Europe* #\n\nText.\n")
    os.utime(path, (0, 0))
    assert await read_file(path) == Document(
        str(path), "Birds of *Europe*", path.read_text(), "file", "text/markdown", "1970-01-01T00:00:00+00:00"
    )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# C#\n", "C#"),
        ("#   Nests  ##  \n", "Nests"),
        ("```sh\n# in code that nothing closes\n", ""),
        ("```ls``` is a command\n\n# Commands\n", "Commands"),
    ],
)
def test_the_signs_around_a_heading_are_no_part_of_it(text, title):
    assert heading_of(text) == title


async def test_an_underlined_heading_is_a_title_too(tmp_path):
    path = tmp_path / "birds.md"
    path.write_text("Birds\n=====\n\nText.\n")
    assert (await read_file(path)).title == "Birds"


@pytest.mark.parametrize("name", ["notes.txt", "main.py", "Makefile"])
async def test_text_and_source_code_are_read_as_they_are(tmp_path, name):
    path = tmp_path / name
    path.write_text("def f():\n\treturn 'ä'\r\n", newline="")
    document = await read_file(path)
    assert (document.title, document.text) == (name, "def f():\n\treturn 'ä'\n")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "latin-1", "cp1251"])
async def test_other_encodings_than_utf_8_are_found_out(tmp_path, encoding):
    text = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 5
    if encoding == "latin-1":
        text = "Größere Vögel müssen für längere Flüge häufig Pausen einlegen. " * 5
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert (await read_file(tmp_path / "a.txt")).text == text


async def test_the_charset_that_a_server_names_is_used():
    document = await read_bytes("Größe".encode("cp850"), "text/plain; charset=cp850", "https://a.example/")
    assert document.text == "Größe"


async def test_a_page_becomes_its_main_text():
    document = await read_bytes(PAGE.encode(), "text/html; charset=utf-8", "https://a.example/heron", "2026-11-22")
    assert (document.title, document.origin, document.media_type, document.fetched) == (
        "Herons",
        "web",
        "text/html",
        "2026-11-22",
    )
    assert document.text.startswith("# Herons\n\nHerons stand still") and "\n\n- grey heron\n" in document.text
    assert "Imprint" not in document.text and "Start" not in document.text


async def test_a_scrap_of_html_is_read_too():
    assert (await read_bytes(b"<p>Only this.", "text/html", "https://a.example/x.html")).text == "Only this."


async def test_a_pdf_keeps_its_page_breaks():
    data = pdf_file((("First page", "goes on"), ("Second page",)))
    document = await read_bytes(data, "application/octet-stream", "https://a.example/guide.pdf")
    assert [page.split() for page in document.text.split("\f")] == [["First", "page", "goes", "on"], ["Second", "page"]]


async def test_a_pdf_that_only_its_owner_may_change_is_read():
    document = await read_bytes(locked((("Readable",),), ""), "application/pdf", "https://a.example/a.pdf")
    assert document.text == "Readable"


async def test_control_sequences_are_taken_out(tmp_path):
    (tmp_path / "a.txt").write_text("red \x1b[31malert\x1b[0m\x07 and \u202eevil")
    assert (await read_file(tmp_path / "a.txt")).text == "red alert and evil"


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("empty.txt", b"", "empty.txt is empty."),
        ("blank.md", b" \n\t\n", "blank.md is empty."),
        ("escapes.txt", b"\x1b[0m\x07", "escapes.txt holds no text."),
        ("a.bin", bytes(range(256)) * 20, "a.bin is a binary file."),
        ("a.mp4", b"\0\0\0\x18ftypmp42" + bytes(90), "a.mp4 is an MP4 video."),
        ("nothing.html", b"<html><script>1</script></html>", "nothing.html holds no text."),
        ("locked.pdf", locked((("Secret",),), "key"), "locked.pdf is protected by a password."),
        ("scan.pdf", pdf_file(((),)), "scan.pdf is a PDF without text, perhaps a scan."),
        ("cut.pdf", pdf_file((("Text",),))[:60], "cut.pdf is a PDF that cannot be read: "),
    ],
)
async def test_what_cannot_be_read_is_said_in_one_sentence(tmp_path, name, data, problem):
    (tmp_path / name).write_bytes(data)
    assert problem in await refusal(tmp_path / name)


async def test_a_text_with_a_few_broken_bytes_is_still_a_text(tmp_path):
    (tmp_path / "a.md").write_bytes(b"# Birds\xc3\n\nHerons \xff wait.")
    document = await read_file(tmp_path / "a.md")
    assert "Herons" in document.text and "wait." in document.text


@pytest.mark.parametrize("kind", ["application/pdf", "text/html", "text/markdown"])
async def test_changed_bytes_lead_to_a_document_or_to_a_sentence(kind):
    seeds = {
        "application/pdf": pdf_file((("First", "page"), ("Second",))),
        "text/html": PAGE.encode(),
        "text/markdown": b"# Title\n\n```sh\ntext",
    }
    chance = random.Random(1)
    for _ in range(150):
        data = bytearray(seeds[kind])
        for _ in range(chance.choice([1, 5, 30])):
            at = chance.randrange(len(data))
            data[at : at + chance.choice([0, 1, 9])] = bytes(chance.choices(b"09<>/[]()F\0\xff", k=2))
        try:
            assert (await read_bytes(bytes(data), kind, "https://a.example/a")).text.strip()
        except DocumentError as error:
            assert error.problem.startswith("a ")


async def test_other_types_from_the_web_are_refused_by_name():
    with pytest.raises(DocumentError, match=r"a\.mp3 is an MPEG recording\."):
        await read_bytes(b"ID3" + bytes(90), "audio/mpeg", "https://a.example/a.mp3")


async def test_a_file_that_is_too_large_is_refused_without_being_read(tmp_path):
    with (tmp_path / "a.txt").open("wb") as file:
        file.truncate(200_000_000)
    assert await refusal(tmp_path / "a.txt") == "a.txt has 200 MB; the limit is 50 MB."
    with pytest.raises(DocumentError, match="the limit is 50 MB"):
        await read_bytes(b"a" * (MAX_DOCUMENT_BYTES + 1), "text/plain", "https://a.example/a")


async def test_what_is_no_file_is_refused(tmp_path):
    assert await refusal(tmp_path / "none.txt") == f"{tmp_path}/none.txt does not exist."
    assert await refusal(tmp_path) == f"{tmp_path} is a folder."
    assert await refusal(Path("/dev/null")) == "/dev/null is neither a file nor a folder."


async def test_a_file_that_may_not_be_read_is_said(unprivileged):
    (unprivileged / "a.txt").write_text("secret")
    (unprivileged / "a.txt").chmod(0)
    assert await refusal(unprivileged / "a.txt") == f"{unprivileged}/a.txt may not be read: permission denied."


async def test_a_files_type_is_told_by_its_name_or_its_bytes(tmp_path):
    contents = {
        "a.py": (b"x = 1", "text/x-python"),
        "a.H": (b"int x;", "text/x-c"),
        "a.kt": (b"val x = 1", "text/x-kotlin"),
        "Makefile": (b"all:", "text/plain"),
        "page": (PAGE.encode(), "text/html"),
        "guide": (pdf_file((("Guide",),)), "application/pdf"),
    }
    for name, (data, _) in contents.items():
        (tmp_path / name).write_bytes(data)
    kinds = {name: (await read_file(tmp_path / name)).media_type for name in contents}
    assert kinds == {name: kind for name, (_, kind) in contents.items()}


FORBIDDEN = [*(f"&#{code};" for code in (1, 8, 11, 12, 14, *range(28, 32), 0xFFFE, 0xFFFF)), "\x0b", "\x1f", "\ufffe"]


@pytest.mark.parametrize("sign", FORBIDDEN, ids=ascii)
async def test_a_page_with_characters_that_xml_forbids_is_read(sign):
    parted = "<p>Open from nine%s in the morning</p><h2 id='a%s'>Her%sons</h2>".replace("%s", sign)
    page = f"<html><head><title>Times{sign}</title></head><body><article>{parted}</article></body></html>"
    for content in (f"<p>nine{sign} in the morning</p>", page):
        document = await read_bytes(content.encode(), "text/html", "https://a.example/x")
        assert "nine in the morning" in " ".join(document.text.split())


@pytest.mark.parametrize("charset", ["punycode", "undefined", "idna", "hex", "a\0b", "utf-8\ud800", "ü", "x" * 10_000])
@pytest.mark.parametrize("kind", ["text/html", "text/plain"])
async def test_a_charset_that_is_none_of_text_is_passed_over(charset, kind):
    document = await read_bytes("<p>Größe of nine".encode(), f"{kind}; charset={charset}", "https://a.example/x")
    assert "Größe of nine" in document.text


async def test_an_address_that_is_none_names_itself():
    assert (await read_bytes(b"herons", "text/plain", "http://[x")).title == "http://[x"


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="needs a file that cannot be read to its end")
async def test_a_file_whose_reading_fails_is_said_with_the_reason():
    assert await refusal(Path("/proc/self/mem")) == "mem cannot be read: Input/output error."


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="most disks keep no time beyond the year 2446")
async def test_a_file_from_a_time_that_no_calendar_has_is_read():
    with TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder) / "a.md"
        path.write_text("# Herons")
        os.utime(path, (1e13, 1e13))
        assert ((document := await read_file(path)).title, document.fetched) == ("Herons", "")
