"""Pages and files made to break their readers: how reading each one ends, and after how long.

ends = await run_bombs(10.0)      # all of them with the real clock: a few minutes
"""

import io
import json
import time
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.readers import ReaderPool, ReadingLimits, read_bytes
from tests.fakes.attacks import html_bombs
from utils.errors import DocumentError

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
EPUB = "application/epub+zip"
_BILLION = "".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise("abcdefghi"))
_LAUGHS = f'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaaaaaaaa">{_BILLION}]>'
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


@dataclass(frozen=True)
class End:
    """How it ended: `text`, the sentence that was said, or that a file was let out; seconds on the wall."""

    said: str
    seconds: float


def bombs() -> dict[str, tuple[str, Callable[[], bytes]]]:
    """Media type and maker of each, by name."""
    pages = {
        name: ("text/html", lambda make=make: make().encode("utf-8", "surrogatepass"))  # type: ignore[misc]
        for name, make in html_bombs().items()
    }
    return pages | {
        "docx-zeros": (DOCX, lambda: _docx(b"\x00" * 500_000_000)),
        "docx-spaces": (DOCX, lambda: _docx(_body(b" " * 500_000_000))),
        "docx-laughs": (DOCX, lambda: _docx(f'{_LAUGHS}<w:document xmlns:w="{_WORD}">&i;</w:document>'.encode())),
        "docx-deep": (DOCX, lambda: _docx(_body(b"<w:r>" * 500_000 + b"</w:r>" * 500_000))),
        "docx-cells": (DOCX, lambda: _docx(_body(b"<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>" * 300_000))),
        "epub-zeros": (EPUB, lambda: _epub([b"<html><body>" + b"<p>" * 100_000_000])),
        "epub-laughs": (EPUB, lambda: _epub([f"{_LAUGHS}<html><body>&i;</body></html>".encode()])),
        "epub-chapters": (EPUB, lambda: _epub([b"<p>x</p>"] * 20_000)),
        "epub-deep": (EPUB, lambda: _epub([b"<html><body>" + b"<div>" * 200_000])),
        "zip-files": (DOCX, lambda: _zip({f"{number}.xml": b"" for number in range(60_000)})),
        "pdf-zeros": ("application/pdf", lambda: _pdf(b"\x00" * 500_000_000)),
        "pdf-text": ("application/pdf", lambda: _pdf(b"BT /F1 9 Tf " + b"(x) Tj 1 0 Td " * 3_000_000 + b"ET")),
        "pdf-pages-in-a-ring": ("application/pdf", _ring),
        "pdf-header-only": ("application/pdf", lambda: b"%PDF-1.7\n" + b"<<" * 500_000),
        "json-deep": ("application/json", lambda: b"[" * 1_000_000),
        "json-wide": ("application/json", lambda: json.dumps([{"a": 1}] * 1_000_000).encode()),
        "csv-wide": ("text/csv", lambda: b"a," * 5_000_000),
        "csv-quote": ("text/csv", lambda: b'"' + b"a,\n" * 3_000_000),
        "notebook-deep": ("application/x-ipynb+json", lambda: b'{"cells":' * 200_000),
        "markdown-deep": ("text/markdown", lambda: b">" * 1_000_000),
    }


async def run_bombs(seconds: float, names: Sequence[str] = ()) -> dict[str, End]:
    """Read these, or all, one after the other with so much processor time for each; after each an honest page."""
    pool = ReaderPool(ReadingLimits(seconds))
    ends: dict[str, End] = {}
    for name, (kind, make) in bombs().items():
        if not names or name in names:
            data = make()
            began = time.monotonic()
            said = await _read(pool, data, kind, name)
            ends[name] = End(said, time.monotonic() - began)
            assert await _read(pool, b"# Herons", "text/markdown", "honest.md") == "text"
    return ends


async def _read(pool: ReaderPool, data: bytes, kind: str, name: str) -> str:
    try:
        document = await read_bytes(data, kind, f"https://a.example/{name}", pool=pool)
    except DocumentError as error:
        return str(error)
    return "A file of this machine!" if "root:" in document.text else "text"


def _zip(files: dict[str, bytes]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return written.getvalue()


def _body(inside: bytes) -> bytes:
    return f'<w:document xmlns:w="{_WORD}"><w:body>'.encode() + inside + b"</w:body></w:document>"


def _docx(document: bytes) -> bytes:
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    package = "http://schemas.openxmlformats.org/package/2006"
    links = f'<Relationship Id="r" Type="{office}" Target="word/document.xml"/>'
    types = f'<Override PartName="/word/document.xml" ContentType="{DOCX}.main+xml"/>'
    return _zip(
        {
            "[Content_Types].xml": f'<Types xmlns="{package}/content-types">{types}</Types>'.encode(),
            "_rels/.rels": f'<Relationships xmlns="{package}/relationships">{links}</Relationships>'.encode(),
            "word/document.xml": document,
        }
    )


def _epub(chapters: Sequence[bytes]) -> bytes:
    names = [f"c{number}" for number in range(len(chapters))]
    items = "".join(f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in names)
    spine = "".join(f'<itemref idref="{name}"/>' for name in names)
    rootfile = '<rootfiles><rootfile full-path="p.opf"/></rootfiles>'
    container = f'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container">{rootfile}</container>'
    package = '<package xmlns="http://www.idpf.org/2007/opf">'
    files = {
        "mimetype": EPUB.encode(),
        "META-INF/container.xml": container.encode(),
        "p.opf": f"{package}<manifest>{items}</manifest><spine>{spine}</spine></package>".encode(),
    }
    return _zip(files | {f"{name}.xhtml": chapter for name, chapter in zip(names, chapters, strict=True)})


def _pdf(content: bytes, pages: bytes = b"<</Type/Pages/Kids[3 0 R]/Count 1>>") -> bytes:
    """One page whose content is packed twice."""
    packed = zlib.compress(zlib.compress(content, 9), 9)
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        pages,
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Filter[/FlateDecode/FlateDecode]/Length %d>>stream\n%s\nendstream" % (len(packed), packed),
        font,
    ]
    body, places = b"%PDF-1.7\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj%s endobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(objects) + 1, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table + end


def _ring() -> bytes:
    return _pdf(b"BT ET", b"<</Type/Pages/Kids[2 0 R 2 0 R]/Count 1000000000>>")
