"""Authors, dates and tags of documents come out of their files, and what is damaged of them is left out."""

import io
import json
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pypdf
import pytest

from rag.documents import Document, Properties
from rag.library import Library
from rag.readers import read_bytes, read_documents
from rag.readers.archive import DOCX
from rag.readers.properties.finding import find_properties
from rag.readers.properties.xml import MAX_XML_BYTES
from rag.search.filters import parse_filters
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from rag.stored import Filters
from tests.fakes.embedder import WordEmbedder
from tests.fakes.office_files import NAMESPACES, open_document
from tests.fakes.site import pdf_file

MOMENT = datetime(2026, 3, 4, 5, 6, 7)
WANTED = Properties("Ann Bird, Bob", "2026-03-04T05:06:07", ("herons", "water"))
META = 'xmlns:meta="urn:oasis:names:tc:opendocument:xmlns:meta:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'


def saved(file: Any) -> bytes:
    """What python-docx, openpyxl or python-pptx writes, with properties."""
    told = file.properties if isinstance(file, openpyxl.Workbook) else file.core_properties
    setattr(told, "creator" if isinstance(file, openpyxl.Workbook) else "author", "Ann Bird; Bob")
    told.created, told.keywords = MOMENT, "herons; water, herons"
    if not isinstance(file, openpyxl.Workbook):
        told.comments = ""
    written = io.BytesIO()
    file.save(written)
    return written.getvalue()


def docx_file() -> bytes:
    made = docx.Document()
    made.add_paragraph("Herons wait for fish.")
    return saved(made)


def xlsx_file() -> bytes:
    made = openpyxl.Workbook()
    made.active.append(["Herons", "wait"])
    return saved(made)


def pptx_file() -> bytes:
    made = pptx.Presentation()
    made.slides.add_slide(made.slide_layouts[5]).shapes.title.text = "Herons wait."
    return saved(made)


def zipped(members: dict[str, str]) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return written.getvalue()


def odt_file(told: str) -> bytes:
    body = "<office:text><text:p>Herons wait for fish.</text:p></office:text>"
    meta = f"<office:document-meta {NAMESPACES} {META}><office:meta>{told}</office:meta></office:document-meta>"
    return zipped(open_document(body) | {"meta.xml": meta})


ODT_TOLD = (
    "<meta:initial-creator>Ann Bird; Bob</meta:initial-creator><dc:creator>Carl</dc:creator>"
    "<meta:creation-date>2026-03-04T05:06:07</meta:creation-date><dc:date>2026-05-05T00:00:00</dc:date>"
    "<meta:keyword>herons</meta:keyword><meta:keyword>water</meta:keyword>"
)


def pdf_told(info: dict[str, str], xmp: str = "") -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf_file((("Herons wait for fish.",),))))
    writer.metadata = None
    writer.add_metadata(info)
    if xmp:
        stream = pypdf.generic.DecodedStreamObject()
        stream.set_data(xmp.encode())
        writer.root_object[pypdf.generic.NameObject("/Metadata")] = writer._add_object(stream)
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


INFO = {"/Author": "Ann Bird; Bob", "/CreationDate": "D:20260304050607", "/Keywords": "herons, water"}
XMP = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    '<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"'
    ' xmp:CreateDate="2026-03-04T05:06:07">'
    "<dc:creator><rdf:Seq><rdf:li>Ann Bird</rdf:li><rdf:li>Bob</rdf:li></rdf:Seq></dc:creator>"
    "<dc:subject><rdf:Bag><rdf:li>herons</rdf:li><rdf:li>water</rdf:li></rdf:Bag></dc:subject>"
    "</rdf:Description></rdf:RDF></x:xmpmeta>"
)


def page(head: str) -> bytes:
    text = "Herons stand still in shallow water for hours and wait for fish. " * 5
    return f"<html lang=en><head><title>Herons</title>{head}</head><body><p>{text}</p></body></html>".encode()


METAS = (
    '<meta name="Author" content="Ann Bird; Bob"><meta property="article:published_time" content="2026-03-04T05:06:07">'
    '<meta name="keywords" content="herons, water"><meta property="article:tag" content="water">'
)
LINKED = {
    "@context": "https://schema.org",
    "@graph": [
        {"@type": "Organization", "author": "Nobody", "keywords": "none"},
        {
            "@type": ["NewsArticle"],
            "author": [{"@type": "Person", "name": "Ann Bird"}, {"name": "Bob"}],
            "datePublished": "2026-03-04T05:06:07",
            "keywords": ["herons", "water"],
        },
    ],
}
JSON_LD = f'<script type="application/ld+json">{json.dumps(LINKED)}</script>'


async def read(folder: Path, name: str, data: bytes) -> Document:
    (folder / name).write_bytes(data)
    [document] = [each async for each in read_documents(folder / name)]
    return document


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("a.docx", docx_file),
        ("a.xlsx", xlsx_file),
        ("a.pptx", pptx_file),
        ("a.odt", lambda: odt_file(ODT_TOLD)),
        ("a.pdf", lambda: pdf_told(INFO)),
        ("b.pdf", lambda: pdf_told({}, XMP)),
        ("a.html", lambda: page(METAS)),
        ("b.html", lambda: page(JSON_LD)),
        (
            "c.html",
            lambda: page(f'<meta property="article:author" content="https://x.example/ann">{JSON_LD}'),
        ),
    ],
)
async def test_a_document_says_who_wrote_it_when_and_what_it_is_about(tmp_path, name, make):
    found = (await read(tmp_path, name, make())).properties
    assert Properties(found.author, found.published.removesuffix("+00:00"), found.tags, found.language) == WANTED


async def test_a_search_is_kept_to_what_documents_say_of_themselves(tmp_path):
    library = await Library.open(tmp_path / "library", RagSettings(), WordEmbedder())
    await library.add(await read(tmp_path, "a.docx", docx_file()))
    await library.add(await read(tmp_path, "b.txt", b"Herons wait for fish."))
    for filters in (["author=ann"], ["tag=Water"], ["date=2026-03"]):
        options = SearchOptions(filters=parse_filters(filters, Filters()))
        assert [one.title for one in await library.search("herons wait for fish", 5, options)] == ["a.docx"]
    await library.close()


async def test_a_page_that_was_fetched_says_it_too(tmp_path):
    found = await read_bytes(page(METAS), "text/html; charset=utf-8", "https://x.example/herons")
    assert found.properties == WANTED


def with_core(data: bytes, told: str) -> bytes:
    """The file with these properties in the place of its own."""
    core = "http://schemas.openxmlformats.org/package/2006/metadata/core-properties"
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(written, "w") as new:
        for name in old.namelist():
            made = f'<cp:coreProperties xmlns:cp="{core}" xmlns:dcterms="http://purl.org/dc/terms/">{told}'
            new.writestr(name, f"{made}</cp:coreProperties>" if name == "docProps/core.xml" else old.read(name))
    return written.getvalue()


BROKEN_LD = '<script type="application/ld+json">{"@type": "Article", </script>'
DEEP_LD = f'<script type="application/ld+json">{"[" * 100_000}</script>'


@pytest.mark.parametrize(
    ("name", "data", "left"),
    [
        (
            "a.odt",
            odt_file("<meta:creation-date>soon</meta:creation-date><meta:keyword>x</meta:keyword>"),
            ("", "", ("x",)),
        ),
        ("b.odt", odt_file("</office:meta>"), ("", "", ())),
        ("a.pdf", pdf_told({"/CreationDate": "D:99999999", "/Author": "Ann"}, "<x"), ("Ann", "", ())),
        ("a.html", page(f'<meta name="date" content="yesterday">{BROKEN_LD}{DEEP_LD}{METAS}'), None),
        ("b.html", page('<meta name="author" content=""><meta name=date><meta content="x">'), ("", "", ())),
    ],
)
async def test_damaged_values_are_left_out_and_the_document_is_read(tmp_path, name, data, left):
    document = await read(tmp_path, name, data)
    assert "erons" in document.text
    found = document.properties
    assert (found.author, found.published, found.tags) == (left or ("Ann Bird, Bob", WANTED.published, WANTED.tags))


def test_properties_that_grow_are_not_unpacked_and_entities_not_followed():
    bomb = zipped({"docProps/core.xml": "<a>" + " " * (2 * MAX_XML_BYTES) + "</a>"})
    assert find_properties(bomb, "", DOCX, "") == Properties()
    laughs = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
    core = (
        f'<!DOCTYPE a [<!ENTITY a0 "ha">{laughs}]><a xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<dc:creator>&a11;</dc:creator></a>"
    )
    assert find_properties(zipped({"docProps/core.xml": core}), "", DOCX, "") == Properties()


def test_what_programs_write_in_the_place_of_an_author_is_none():
    made = docx.Document()
    written = io.BytesIO()
    made.save(written)
    assert find_properties(written.getvalue(), "", DOCX, "") == Properties()
