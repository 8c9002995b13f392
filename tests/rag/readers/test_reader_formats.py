import io
import json
import random
import zipfile
from pathlib import Path

import pypdf
import pytest

from rag.chunking import split_text
from rag.documents import Document
from rag.readers import read_bytes, read_documents, read_text_of
from rag.readers.pictures.ocr import can_read
from tests.fakes.documents import docx_file, epub_file, seeds, zipped
from tests.fakes.places import SHARED
from tests.fakes.site import pdf_file
from utils.errors import DocumentError

SUITE = SHARED / "attacks/text/jsontestsuite"


async def documents_of(path: Path) -> list[Document]:
    return [document async for document in read_documents(path)]


async def read(folder: Path, name: str, content: bytes | str) -> Document:
    """The one document of a file with this content."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    [document] = await documents_of(path)
    return document


async def test_a_docx_becomes_markdown_in_the_order_of_its_parts(tmp_path):
    document = await read(tmp_path, "a.docx", docx_file())
    assert document.title == "Report"
    assert document.text == (
        "# Report\n\n# Herons\n\nThey wait for fish.\n\n- grey\n- purple\n\n## Nests\n\n"
        "| bird | eggs \\| year |\n| --- | --- |\n| heron |  |\n\nEnd."
    )


async def test_a_docx_is_called_as_its_properties_say_and_found_out_without_its_name(tmp_path):
    document = await read(tmp_path, "upload", docx_file("Herons, a report"))
    assert (document.title, document.media_type.endswith("wordprocessingml.document")) == ("Herons, a report", True)


async def test_an_epub_becomes_markdown_in_reading_order(tmp_path):
    document = await read(tmp_path, "a.epub", epub_file())
    assert (document.title, document.media_type) == ("Birds of the Shore", "application/epub+zip")
    assert document.text == (
        "## Preface\n\nHerons & gulls.\n\n# Möwen\n\nThey cry all day.\n\n- herring gull\n- common gull\n\n"
        "```\na  b\n c\n```\n\n| bird | eggs |\n| --- | --- |\n| gull \\| tern | 3 |"
    )


@pytest.mark.parametrize("name", ["a.docx", "a.epub", "a.html"])
async def test_chunks_know_the_headings_of_every_format_that_has_some(tmp_path, name):
    page = b"<html><body><article><h1>Report</h1><p>Herons wait for fish in the shallows.</p></article></body></html>"
    document = await read(tmp_path, name, {"a.docx": docx_file(), "a.epub": epub_file()}.get(name, page))
    headings = {heading for chunk in split_text(document.text, document.media_type) for heading in chunk.heading}
    assert headings & {"Report", "Herons", "Preface"}


@pytest.mark.parametrize("tag", ["math", "svg", "label", "object", "noscript", "article", "p"])
async def test_a_page_that_is_all_within_an_element_is_read(tmp_path, tag):
    page = f'<{tag}><html lang="en"><head><title>Birds</title></head><body><p>Herons wait for fish.</p></body></html>'
    document = await read(tmp_path, "a.html", page)
    assert "Herons wait for fish." in document.text


async def test_an_epub_that_its_seller_locked_is_said(tmp_path):
    with pytest.raises(DocumentError, match=r"a\.epub is locked by its seller\."):
        await read(tmp_path, "a.epub", epub_file(**{"META-INF/rights.xml": "<rights/>"}))


async def test_a_zip_bomb_is_refused_by_what_it_unpacks_to(tmp_path):
    bomb = io.BytesIO(docx_file())
    with zipfile.ZipFile(bomb, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/media/image1.png", bytes(201_000_000))
    assert len(bomb.getvalue()) < 1_000_000
    with pytest.raises(DocumentError, match=r"bomb\.docx unpacks to more than 200 MB\."):
        await read(tmp_path, "bomb.docx", bomb.getvalue())


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("name,town\nAnn,Ulm\nBob,\n", "name: Ann; town: Ulm\nname: Bob"),
        ('name;note\nAnn;"a;b\nc"\n', "name: Ann; note: a;b c"),
        ("name\ttown\nAnn\tUlm\n", "name: Ann; town: Ulm"),
        ("1,2\n3,4\n", "1; 2\n3; 4"),
        ("name,town\nAnn,Ulm,more\n", "name: Ann; town: Ulm; more"),
        ("birds\nheron\ngull\n", "birds: heron\nbirds: gull"),
        ("name,town\n", "name; town"),
    ],
)
async def test_each_row_of_a_table_names_its_columns(tmp_path, content, text):
    document = await read(tmp_path, "birds.csv", content)
    assert (document.title, document.text, document.media_type) == ("birds.csv", text, "text/csv")


async def test_a_tsv_may_have_commas_in_its_cells(tmp_path):
    document = await read(tmp_path, "a.tsv", "name\tplaces\nheron\tlake, river, sea\n")
    assert document.text == "name: heron; places: lake, river, sea"


async def test_json_becomes_its_values_with_their_paths(tmp_path):
    value = {"title": "Herons", "nests": {"trees": ["oak", "elm"], "found": [{"eggs": 3}, {"eggs": None}]}, "old": True}
    document = await read(tmp_path, "a.json", json.dumps(value))
    assert (document.title, document.media_type) == ("Herons", "application/json")
    assert document.text == "title: Herons\nnests.trees: oak; elm\nnests.found[0].eggs: 3\nold: true"


@pytest.mark.parametrize("content", ['// my settings\n{"a": 1}', "[" * 100_000])
async def test_what_is_no_json_after_all_is_read_as_text(tmp_path, content):
    document = await read(tmp_path, "settings.json", content)
    assert (document.title, document.text) == ("settings.json", content)


async def test_each_record_of_json_lines_is_a_document(tmp_path):
    path = tmp_path / "a.jsonl"
    lines = ['{"title": "T", "text": "one"}', "", '{"name": "N", "x": "two", "y": {"z": ["three"]}}', '"four"', "{}"]
    path.write_text("\n".join([*lines, '{"id": 5}', '{"body": "six", "other": "no"}']))
    assert [(d.source, d.title, d.text) for d in await documents_of(path)] == [
        (f"{path}#1", "T", "one"),
        (f"{path}#3", "N", "N\ntwo\nthree"),
        (f"{path}#4", "a.jsonl#4", "four"),
        (f"{path}#6", "a.jsonl#6", "id: 5"),
        (f"{path}#7", "a.jsonl#7", "six"),
    ]
    assert await read_text_of(path) == "one\n\nN\ntwo\nthree\n\nfour\n\nid: 5\n\nsix"


async def test_bad_lines_do_not_keep_the_others_from_being_read(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(
        b'{"text": "one"}\nnot json\n"\xff"\n' + b"x" * 10_000_001 + b'\n{"text": "two"}\n{"text": "cut of'
    )
    read = []
    with pytest.raises(DocumentError, match=r"a\.jsonl: 4 of 6 lines cannot be read as JSON records: 2, 3, 4, 6\."):
        async for document in read_documents(path):
            read.append(document.source.rpartition("#")[2])
    assert read == ["1", "5"]


async def test_of_a_beir_collection_the_corpus_is_read_by_its_ids(tmp_path):
    (tmp_path / "queries.jsonl").write_text('{"_id": "q", "text": "?"}')
    path = tmp_path / "corpus.jsonl"
    records = [
        {"_id": "MED-10", "title": "Statins", "text": "They lower it.", "metadata": {"url": "no"}},
        {"_id": "MED-11", "title": "Only a title", "text": ""},
        {"_id": "12", "title": "", "text": "No title."},
        {"_id": "13", "title": "", "text": " "},
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    assert [(d.source, d.title, d.text, d.origin, d.media_type) for d in await documents_of(path)] == [
        ("MED-10", "Statins", "They lower it.", "file", "application/jsonl"),
        ("MED-11", "Only a title", "Only a title", "file", "application/jsonl"),
        ("12", "", "No title.", "file", "application/jsonl"),
    ]


async def test_a_corpus_without_queries_is_json_lines_like_any_other(tmp_path):
    document = await read(tmp_path, "corpus.jsonl", '{"_id": "MED-10", "title": "Statins", "text": "They lower it."}')
    assert document.source == f"{tmp_path}/corpus.jsonl#1"


async def test_a_record_of_a_beir_collection_without_id_is_told(tmp_path):
    (tmp_path / "queries.jsonl").write_text("")
    (tmp_path / "corpus.jsonl").write_text('{"title": "T", "text": "x"}')
    with pytest.raises(DocumentError, match="1 of 1 lines cannot be read"):
        await documents_of(tmp_path / "corpus.jsonl")


async def test_a_notebook_keeps_its_text_its_code_and_what_is_short(tmp_path):
    outputs = [
        {"output_type": "stream", "text": ["1\n", "2\n"]},
        {"output_type": "execute_result", "data": {"text/plain": "x" * 2001, "image/png": "AAAA"}},
        {"output_type": "error", "traceback": []},
    ]
    cells = [
        {"cell_type": "markdown", "source": ["# Nests\n", "of herons"]},
        {"cell_type": "code", "source": "print(```)", "outputs": outputs},
        {"cell_type": "code", "source": ""},
        {"cell_type": "raw", "source": "raw"},
    ]
    book = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4}
    document = await read(tmp_path, "a.ipynb", json.dumps(book))
    assert document.title == "Nests"
    assert document.text == "# Nests\nof herons\n\n````python\nprint(```)\n````\n\n```\n1\n2\n```\n\nraw"


async def test_a_notebook_of_the_old_form_is_read(tmp_path):
    cells = [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": "1 + 1"}]
    document = await read(tmp_path, "a.ipynb", json.dumps({"worksheets": [{"cells": cells}], "metadata": {}}))
    assert document.text == "## Old\n\n```\n1 + 1\n```"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Guide to Herons", "Guide to Herons"),
        ("Microsoft Word - draft3", "A guide to herons"),
        ("herons_guide.indd", "A guide to herons"),
        ("untitled", "A guide to herons"),
        ("", "A guide to herons"),
    ],
)
async def test_a_pdf_is_called_what_it_says_itself(title, expected):
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf_file((("1", "A guide to herons", "They wait."),))))
    writer.add_metadata({"/Title": title})
    out = io.BytesIO()
    writer.write(out)
    document = await read_bytes(out.getvalue(), "application/pdf", "https://a.example/x.pdf")
    assert document.title == expected


# Where Tesseract is installed pictures are read.
NO_PICTURE = "photo.jpg is a picture that cannot be read: " if can_read() else "photo.jpg is a JPEG image."


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        (
            "photo.jpg",
            b"\xff\xd8\xff\xe0\0\x10JFIF\0\1" + bytes(90),
            NO_PICTURE,
        ),
        ("clip.mp4", b"\0\0\0\x18ftypmp42" + bytes(90), "clip.mp4 is an MP4 video."),
        ("data", b"SQLite format 3\0" + bytes(90), "data is a binary file (SQLite database file)."),
        (
            "a.xlsx",
            zipped(**{"xl/workbook.xml": "<a/>"}),
            "a.xlsx is an XLSX that cannot be read: ",
        ),
        ("a.docx", b"not a zip", "a.docx is a DOCX that cannot be read: File is not a zip file."),
        ("a.epub", zipped(mimetype="x"), "a.epub is an EPUB that cannot be read: "),
        ("a.ipynb", b"[]", "a.ipynb is a notebook that cannot be read: "),
        ("a.jsonl", b"\n\n", "a.jsonl holds no text."),
    ],
)
async def test_what_cannot_be_read_is_refused_by_name(tmp_path, name, data, problem):
    with pytest.raises(DocumentError) as caught:
        await read(tmp_path, name, data)
    assert caught.value.problem.startswith(problem)


@pytest.mark.parametrize("name", ["a.docx", "a.epub", "a.csv", "a.ipynb"])
async def test_changed_bytes_lead_to_a_document_or_to_a_sentence(tmp_path, name):
    book = {"cells": [{"cell_type": "code", "source": ["x"], "outputs": [{"text": "y"}]}], "metadata": {}}
    seeds = {
        "a.docx": docx_file(),
        "a.epub": epub_file(),
        "a.csv": b'a,"b"\n1,2\n',
        "a.ipynb": json.dumps(book).encode(),
    }
    chance = random.Random(1)
    for _ in range(60):
        data = bytearray(seeds[name])
        for _ in range(chance.choice([1, 5, 30])):
            at = chance.randrange(len(data))
            data[at : at + chance.choice([0, 1, 9])] = bytes(chance.choices(b'09<>/[]{}",\0\xff', k=2))
        try:
            assert (await read(tmp_path, name, bytes(data))).text.strip()
        except DocumentError as error:
            assert error.problem.startswith("a.")


@pytest.mark.parametrize(
    ("content_type", "address", "data", "kind", "text"),
    [
        ("text/csv; header=present", "/a", b"n,t\nA,U\n", "text/csv", "n: A; t: U"),
        ("application/json; charset=utf-8", "/a", b'{"a": 1}', "application/json", "a: 1"),
        ("application/x-ndjson", "/a", b'{"text": "x"}\n{"text": "y"}', "application/jsonl", "x\n\ny"),
        ("application/octet-stream", "/a.md?raw=1", b"# x", "text/markdown", "# x"),
        ("text/plain", "/a.py", b"x = 1", "text/x-python", "x = 1"),
        ("text/plain", "/a.html", b"<p>x", "text/plain", "<p>x"),
        ("", "/a", b"<!DOCTYPE html><p>x</p>", "text/html", "x"),
        ("application/x-unheard-of", "/a", b"words", "application/x-unheard-of", "words"),
    ],
)
async def test_what_a_server_sends_is_told_by_its_type_or_its_address(content_type, address, data, kind, text):
    document = await read_bytes(data, content_type, f"https://a.example{address}")
    assert (document.media_type, document.text) == (kind, text)


@pytest.mark.skipif(not SUITE.is_dir(), reason=f"the JSON test suite is not in {SUITE}")
@pytest.mark.parametrize("kind", ["application/json", "application/jsonl", "application/x-ipynb+json"])
async def test_every_json_of_the_test_suite_leads_to_a_document_or_to_a_sentence(kind):
    for path in sorted(SUITE.rglob("*.json")):
        try:
            assert (await read_bytes(path.read_bytes(), kind, "https://a.example/a")).text.strip()
        except DocumentError as error:
            assert error.problem.startswith("a ") or error.problem.startswith("a:")


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize(("name", "member"), [("a.docx", "word/document.xml"), ("a.epub", "META-INF/container.xml")])
async def test_a_damaged_member_of_any_packing_is_said(tmp_path, name, member, packing):
    out, old = io.BytesIO(), zipfile.ZipFile(io.BytesIO(seeds()[name]))
    with zipfile.ZipFile(out, "w", packing) as archive:
        for each in old.namelist():
            archive.writestr(each, old.read(each))
        begin = archive.getinfo(member).header_offset + 30 + len(member)
    data = bytearray(out.getvalue())
    assert (await read(tmp_path, name, bytes(data))).text
    data[begin + 6 : begin + 40] = bytes(34)
    with pytest.raises(DocumentError, match=rf"{name} is an? (DOCX|EPUB) that cannot be read: .+\."):
        await read(tmp_path, name, bytes(data))


HOURS = b"""<html><head><title>Hours</title></head><body>
<nav><a href="/">Home</a> <a href="/visit">Visit</a></nav><main>
<h1>Opening hours</h1><table><tr><th>Day</th><th>Open</th></tr><tr><td>Monday</td><td>closed</td></tr>
<tr><td>Tuesday to Friday</td><td>10-17</td></tr></table><ul><li>Last entry at 16:30.</li></ul></main>
<footer>Imprint | Contact</footer></body></html>"""


async def test_a_page_of_few_words_keeps_its_headings_lists_and_tables_and_leaves_its_menu_out(tmp_path: Path) -> None:
    document = await read(tmp_path, "hours.html", HOURS)
    assert [line.rstrip(" |") for line in document.text.splitlines() if line] == [
        "# Opening hours",
        "| Day | Open",
        "| --- | ---",
        "| Monday | closed",
        "| Tuesday to Friday | 10-17",
        "- Last entry at 16:30.",
    ]


async def test_of_a_page_with_nothing_but_a_menu_all_words_are_read(tmp_path: Path) -> None:
    links = "".join(f'<a href="/{name}">{name}</a> ' for name in ("heron", "owl", "wren", "rook"))
    document = await read(tmp_path, "menu.html", f"<html><body><nav>{links}</nav></body></html>".encode())
    assert document.text.split() == ["heron", "owl", "wren", "rook"]
