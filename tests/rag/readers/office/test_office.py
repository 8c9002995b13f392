"""Office files become what a person sees in them; bombs and damaged ones end in a sentence."""

import io
import re
import zipfile
from pathlib import Path

import pytest

from rag.documents import Document
from rag.readers import SHARED_POOL, ReaderPool, ReadingLimits, read_documents
from tests.fakes.documents import zipped
from tests.fakes.office_files import NAMESPACES, ODP_BODY, ODS_BODY, ODT_BODY, RTF, open_document, pptx_file, xlsx_file
from utils.errors import DocumentError

LAUGHS = """<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a0 "ha">{}]>""".format(
    "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12))
)
"""Ten entities, each ten times the one before."""
OFFICE_FILES = {
    "a.xlsx": xlsx_file(),
    "a.pptx": pptx_file(),
    "a.odt": zipped(**open_document(ODT_BODY)),
    "a.ods": zipped(**open_document(ODS_BODY)),
    "a.odp": zipped(**open_document(ODP_BODY)),
}
SHEETS = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
PARTS = {"a.xlsx": "xl/worksheets/sheet1.xml", "a.pptx": "ppt/slides/slide1.xml"}
NARROW = ReadingLimits(seconds=1.0, per_mb=0.0, per_mb_packed=0.0, memory=200 << 20)


async def read(folder: Path, name: str, content: bytes, pool: ReaderPool = SHARED_POOL) -> Document:
    """The one document of a file with this content."""
    (folder / name).write_bytes(content)
    [document] = [each async for each in read_documents(folder / name, pool)]
    return document


def changed(data: bytes, member: str, text: bytes | str) -> bytes:
    """A zip file with another text in a member."""
    out, old = io.BytesIO(), zipfile.ZipFile(io.BytesIO(data))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for each in {*old.namelist(), member}:
            archive.writestr(each, text if each == member else old.read(each))
    return out.getvalue()


async def test_sheets_become_headings_with_their_tables_and_hidden_ones_are_left_out(tmp_path):
    document = await read(tmp_path, "birds.xlsx", xlsx_file())
    assert document.title == "birds.xlsx"
    assert document.text == (
        "## Birds\n\nBirds of the shore\n\n| bird | eggs \\| year | found |\n| --- | --- | --- |\n"
        "| heron | 0.3 | 2026-11-25 |\n| gull | 3 | TRUE |\n\n| place | share |\n| --- | --- |\n| lake | 25% |\n\n"
        "## Nests\n\nhigh up"
    )


async def test_slides_become_headings_with_lists_tables_charts_and_notes(tmp_path):
    document = await read(tmp_path, "birds.pptx", pptx_file())
    assert document.title == "Herons"
    assert document.text == (
        "## Herons\n\nA talk\n\n## Kinds\n\n- grey\n  - young\n- purple\n\n### Notes\n\nSpeak slowly.\n\n## Slide 3\n\n"
        "| bird | eggs \\| year |\n| --- | --- |\n| heron | 3 |\n\n"
        "|  | chicks |\n| --- | --- |\n| May | 1 |\n| June | 2.5 |"
    )


async def test_an_odt_keeps_its_headings_lists_tables_and_notes_and_no_deleted_text(tmp_path):
    document = await read(tmp_path, "a.odt", OFFICE_FILES["a.odt"])
    assert document.title == "Birds of the Shore"
    assert document.text == (
        "# Herons\n\nThey wait for fish (Mostly.).\n\n- grey\n  - young\n- purple\n\n## Nests\n\n"
        "| bird | eggs \\| year |\n| --- | --- |\n| heron | 3 |\n\nIn a frame."
    )


async def test_an_ods_and_an_odp_are_read_as_their_siblings_are(tmp_path):
    table = "## Birds\n\n| bird | eggs |\n| --- | --- |\n| heron | 3 |\n| heron | 3 |"
    assert (await read(tmp_path, "a.ods", OFFICE_FILES["a.ods"])).text == table
    slides = "## Herons\n\n- grey\n- purple\n\n### Notes\n\nSpeak slowly.\n\n## Slide 2\n\nThe end."
    assert (await read(tmp_path, "a.odp", OFFICE_FILES["a.odp"])).text == slides


async def test_an_rtf_keeps_its_headings_lists_tables_and_letters(tmp_path):
    document = await read(tmp_path, "a.rtf", RTF)
    assert (document.title, document.media_type) == ("Birds of the Shore", "application/rtf")
    assert document.text == (
        "# Herons\n\nMöwen and 鹭: they wait for fish.\n\n- grey\n- purple\n\n## Nests\n\n"
        "| bird | eggs |\n| --- | --- |\n| heron | 3 |\n\nEnd."
    )


@pytest.mark.parametrize(("name", "data"), [*OFFICE_FILES.items(), ("a.rtf", RTF)])
async def test_an_office_file_is_found_out_without_its_name(tmp_path, name, data):
    named = await read(tmp_path, name, data)
    assert (await read(tmp_path, "upload", data)).media_type == named.media_type
    assert named.media_type.startswith("application/")


@pytest.mark.parametrize(("name", "data"), OFFICE_FILES.items())
async def test_an_office_file_that_unpacks_to_too_much_is_refused(tmp_path, name, data):
    if name.startswith("a.od"):
        bomb = changed(data, "content.xml", b"<a>" + bytes(201_000_000))
    else:
        bomb = changed(data, "media/image1.png", bytes(201_000_000))
    assert len(bomb) < 1_000_000
    with pytest.raises(DocumentError, match=rf"{re.escape(name)} unpacks to more than 200 MB\."):
        await read(tmp_path, name, bomb)


@pytest.mark.parametrize(("name", "data"), OFFICE_FILES.items())
async def test_entities_that_grow_are_not_followed(tmp_path, name, data):
    member = PARTS.get(name, "content.xml")
    part = zipfile.ZipFile(io.BytesIO(data)).read(member).decode().partition("?>\n")
    text = re.sub(r"<(text:p|a:t|v)>[^<]*<", r"<\1>&a11;<", part[2] or part[0])
    assert "&a11;" in text
    try:
        document = await read(tmp_path, name, changed(data, member, LAUGHS + text))
    except DocumentError as error:
        assert re.fullmatch(r"a\.\w+ is an? [\w ]+ that cannot be read: .+\.", error.problem)
    else:
        assert "haha" not in document.text


@pytest.mark.parametrize(("name", "data"), [*OFFICE_FILES.items(), ("a.rtf", RTF)])
async def test_a_damaged_office_file_is_said(tmp_path, name, data):
    with pytest.raises(DocumentError, match=r"a\.\w+ is an? [\w ]+ that cannot be read: .+\."):
        await read(tmp_path, name, data[: len(data) // 2] if name != "a.rtf" else b"words")


async def test_a_sheet_that_says_it_has_a_million_rows_is_read_for_those_it_has(tmp_path):
    member = "xl/worksheets/sheet1.xml"
    sheet = zipfile.ZipFile(io.BytesIO(xlsx_file())).read(member).decode()
    sheet = re.sub(r'<dimension ref="[^"]*"', '<dimension ref="A1:XFD1048576"', sheet)
    last = '<row r="1048576"><c r="XFD1048576" t="inlineStr"><is><t>the end</t></is></c></row></sheetData>'
    document = await read(tmp_path, "a.xlsx", changed(xlsx_file(), member, sheet.replace("</sheetData>", last)))
    assert "| gull | 3 | TRUE |" in document.text and "\n\nthe end\n\n" in document.text


async def test_cells_that_say_they_are_repeated_are_not_repeated_for_ever(tmp_path):
    cell = '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="1048576">{cell}</table:table-row>'
    body = f'<office:spreadsheet><table:table table:name="X">{row}</table:table></office:spreadsheet>'
    document = await read(tmp_path, "a.ods", zipped(**open_document(body)))
    assert document.text.count("x") == 100 * 100


async def test_what_is_nested_too_deeply_is_said(tmp_path):
    body = f"<office:text>{'<text:section>' * 100_000}x{'</text:section>' * 100_000}</office:text>"
    with pytest.raises(DocumentError, match=r"a\.odt is an OpenDocument file that cannot be read: .+"):
        await read(tmp_path, "a.odt", zipped(**open_document(body)))


async def test_an_office_file_that_takes_too_long_is_given_up(tmp_path):
    rows = f"<row>{'<c><v>7</v></c>' * 20}</row>" * 60_000
    large = changed(xlsx_file(), PARTS["a.xlsx"], f"<worksheet {SHEETS}><sheetData>{rows}</sheetData></worksheet>")
    with pytest.raises(DocumentError, match=r"a\.xlsx was given up after 1 s of reading\."):
        await read(tmp_path, "a.xlsx", large, ReaderPool(NARROW))


async def test_a_locked_open_document_is_said(tmp_path):
    entry = "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"
    manifest = f"<manifest:manifest {NAMESPACES}>{entry}</manifest:manifest>"
    locked = open_document(ODT_BODY, **{"META-INF/manifest.xml": manifest})
    with pytest.raises(DocumentError, match=r"a\.odt is protected by a password\."):
        await read(tmp_path, "a.odt", zipped(**locked))


@pytest.mark.parametrize(
    ("code", "beginning", "length"),
    [
        (b"{" * 2_000_000, "Herons", 6),
        (b"{" * 1_000_000 + b"}" * 1_000_000 + b" End.", "Herons End.", 11),
        (rb"{\pict\bin99999999999 x} End.", "Herons", 6),
        (rb"{\pict\bin9}" * 150_000 + b" End.", "Herons End.", 11),
        (rb"\par " + rb"\trowd x\cell y\cell\row " * 80_000, "Herons\n\n| x | y |\n| --- | --- |\n| x | y |", 800_021),
    ],
    ids=["braces", "groups", "missing bytes", "pictures", "rows"],
)
async def test_an_rtf_that_is_made_to_be_much_is_read_for_its_words(tmp_path, code, beginning, length):
    text = (await read(tmp_path, "a.rtf", rb"{\rtf1 Herons " + code + b"}")).text
    assert (text[: len(beginning)], len(text)) == (beginning, length)


TOO_MUCH = r"(?:was given up after 1 s of reading|needs more than 0\.2 GB to be read)"
"""Which limit is met first turns on how fast the machine is."""


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (rb"{\pict\bin" + b"9" * 5000 + b" x}", r"is an RTF that cannot be read: .+"),
        (rb"{\pict\bin" + b"9" * 2_000_000 + b" x}", TOO_MUCH),
        (rb"{\fonttbl" + rb"\f1 " * 500_000 + b"}", TOO_MUCH),
        (rb"{\field{\*\fldinst{HYPERLINK " * 60_000, TOO_MUCH),
        (rb"x\cell " * 40_000 + rb"\row " + rb"x\cell\row " * 40_000, TOO_MUCH),
    ],
    ids=["digits", "many digits", "fonts", "fields", "cells"],
)
async def test_an_rtf_that_is_too_much_to_be_read_is_said(tmp_path, code, problem):
    with pytest.raises(DocumentError, match=rf"^a\.rtf {problem}\.(?!\n)"):
        await read(tmp_path, "a.rtf", rb"{\rtf1 Herons " + code + b"}", ReaderPool(NARROW))
