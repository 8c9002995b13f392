"""Files of every format that is read, sound ones and, by chance, spoilt ones."""

import io
import json
import random
import zipfile
from collections.abc import Callable

import docx
from docx.enum.style import WD_STYLE_TYPE

from tests.fakes.office_files import ODP_BODY, ODS_BODY, ODT_BODY, office_seeds, open_document
from tests.fakes.site import pdf_file

CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>"""
PACKAGE = """<?xml version="1.0" encoding="utf-8"?><package xmlns="http://www.idpf.org/2007/opf">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Birds of
 the Shore</dc:title></metadata>
<manifest><item id="n" href="nav.xhtml" properties="nav"/><item id="a" href="text/ch%201.xhtml"/>
<item id="b" href="text/ch2.xhtml"/><item id="gone" href="none.xhtml"/></manifest>
<spine><itemref idref="n"/><itemref idref="b"/><itemref idref="a"/><itemref idref="gone"/></spine></package>"""
FIRST = """<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>1</title>
<style>p { color: red }</style></head><body><h1>Möwen</h1><p>They <b>cry</b> all<br/>day.</p><!-- no -->
<ul><li><p>herring gull</p></li><li>common gull</li></ul><pre>a  b\n c</pre>
<table><tr><th>bird</th><th>eggs</th></tr><tr><td>gull | tern</td><td>3</td></tr></table></body></html>"""


def zipped(**members: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return out.getvalue()


def epub_file(**more: str) -> bytes:
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": PACKAGE,
        "OEBPS/nav.xhtml": "<html><body><h1>Contents</h1></body></html>",
        "OEBPS/text/ch 1.xhtml": FIRST,
        "OEBPS/text/ch2.xhtml": "<html><body><h2>Preface</h2>Herons &amp; gulls.</body></html>",
    }
    return zipped(**members | more)


def docx_file(title: str = "") -> bytes:
    document = docx.Document()
    document.core_properties.title = title
    document.add_heading("Report", 0)
    document.add_heading("Herons", 1)
    document.add_paragraph("They wait\nfor fish.")
    document.add_paragraph("grey", style="List Bullet")
    document.add_paragraph("purple", style="List Number")
    own = document.styles.add_style("Own", WD_STYLE_TYPE.PARAGRAPH)
    own.base_style = document.styles["Heading 2"]
    document.add_paragraph("Nests", style="Own")
    table = document.add_table(2, 2)
    for cell, text in zip(table._cells, ("bird", "eggs | year", "heron", ""), strict=True):
        cell.text = text
    document.add_paragraph("End.")
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


BOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Nests\n", "of herons"]},
        {"cell_type": "code", "source": "print(1)", "outputs": [{"output_type": "stream", "text": ["1\n"]}]},
        {"cell_type": "code", "source": ["x"], "outputs": [{"data": {"text/plain": "y"}}]},
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
}
PAGE = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Herons &amp; co | Birds</title>
<meta name="author" content="A. Bird"><meta property="og:title" content="Herons"><link rel="canonical" href="/heron">
<script type="application/ld+json">{"@type": "Article", "headline": "Herons", "datePublished": "2026-11-22"}</script>
<style>p { color: red }</style></head><body><nav><a href="/">Start</a></nav><article><h1 id="a">Herons</h1>
<p>Herons stand still in <b>shallow</b> water,<br>often for minutes on end, and wait for fish.</p><h2>Nests</h2>
<p>They breed in colonies high up in trees and return to them every year in early spring. Möwen, 鹭.</p>
<ul><li>grey heron</li><li>purple <i>heron</i></li></ul><table><tr><th>bird</th><td colspan="2">3</td></tr></table>
<pre>a  b</pre><blockquote>Quoted.</blockquote><img src="x.png" alt="a heron"><time datetime="2026-11-22">then</time>
</article><div class="comments"><p>First!</p></div><footer>Imprint</footer></body></html>"""
RECORDS = [{"_id": f"{n}", "title": f"Heron {n}", "text": "They wait for fish. " * n, "more": [n]} for n in range(1, 6)]
_LINES = "\n".join(map(json.dumps, RECORDS))


def seeds() -> dict[str, bytes]:
    """A small sound file of each format, by a name that tells which."""
    xhtml = f'<?xml version="1.0"?>{PAGE}'.replace("<!DOCTYPE html>", "").replace("<br>", "<br/>")
    return {
        "a.txt": "Größere Vögel müssen für längere Flüge Pausen einlegen.\r\n".encode() * 3,
        "a.py": b'"""Herons."""\n\n\ndef wait(minutes: int = 9) -> None:\n\tprint("fish" * minutes)\n',
        "a.md": b"# Herons\n\nThey *wait*.\n\n```sh\n# no heading\n```\n\n- grey\n\nNests\n=====\n\n| a | b |\n",
        "a.html": PAGE.encode(),
        "a.xhtml": xhtml.encode(),
        "a.pdf": pdf_file((("1", "A guide to herons", "They wait."), ("2", "Nests are high up."))),
        "a.docx": docx_file("Herons, a report"),
        "a.epub": epub_file(),
        "a.csv": b'name,town,"a note"\nAnn,Ulm,"x; ""y"""\nBob,,"two\nlines"\n',
        "a.tsv": b"name\tplaces\nheron\tlake, river, sea\n",
        "a.json": json.dumps({"title": "Herons", "nests": {"trees": ["oak"], "found": RECORDS}, "n": 1e9}).encode(),
        "a.ipynb": json.dumps(BOOK).encode(),
        "a.jsonl": _LINES.encode(),
        "corpus.jsonl": _LINES.encode(),
        "a.odt": zipped(**open_document(ODT_BODY)),
        "a.ods": zipped(**open_document(ODS_BODY)),
        "a.odp": zipped(**open_document(ODP_BODY)),
    } | office_seeds()


_SPICES = (
    *(f"&#{code};".encode() for code in (0, 1, 11, 12, 28, 31, 127, 128, 0xD800, 0xFFFE, 0x10FFFF, 10**9)),
    *(
        "\x0b\x1c\ufffe\uffff\u2028\u202e\ufeff\x85é鹭👩‍👩‍👧".encode(),
        b"\xff\xfe",
        b"\xfe\xff",
        b"\0",
        b"\xed\xa0\x80",
        b"\xc3",
    ),
    *(
        b"<",
        b">",
        b"</",
        b"<!--",
        b"<![CDATA[",
        b"&amp",
        b"]]>",
        b'"',
        b"'",
        b"{",
        b"}",
        b"[",
        b"]",
        b"\\ud800",
        b"\\",
        b",",
    ),
    *(
        b"\n",
        b"\r",
        b"\t",
        b"\x1b[31m",
        b"-1",
        b"99999999999999999999",
        b"1e999",
        b"NaN",
        b"null",
        b"%PDF-",
        b"PK\x03\x04",
    ),
    *(b"<p", b"<table>", b"<svg>", b"<math>", b"<template>", b"<base href='//['>", b"xmlns:a='b'", b"<a:b>", b"<9>"),
    *(b"charset=undefined", b"encoding='punycode'", b"<?xml version='1.0' encoding='utf-16'?>", b"/Length", b"/Kids"),
    *(b"<" * 300, b"[" * 3000, b"<div>" * 400, b" " * 2000, b"obj", b"endstream", b"/FlateDecode/LZWDecode", b"0 R"),
)
CHARSETS = (
    "",
    "utf-8",
    "latin-1",
    "utf-16",
    "punycode",
    "undefined",
    "idna",
    "hex",
    "unicode_escape",
    "cp037",
    "x",
    "\0",
)
_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)


def spoilt(data: bytes, chance: random.Random) -> bytes:
    """The file with some of it changed; of a zip file what it holds, how that is packed, or the packed bytes."""
    if data.startswith(b"PK") and chance.random() < 0.7:
        data = _packed_anew(data, chance)
        if chance.random() < 0.5:
            return data
    return _changed(data, chance)


def _packed_anew(data: bytes, chance: random.Random) -> bytes:
    out, packing = io.BytesIO(), chance.choice(_PACKINGS)
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", packing) as new:
        names = old.namelist()
        chosen = set(chance.sample(names, chance.randint(0, 2)))
        for name in names:
            new.writestr(name, _changed(old.read(name), chance) if name in chosen else old.read(name))
    return out.getvalue()


def _changed(data: bytes, chance: random.Random) -> bytes:
    made = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5, 30])):
        at = chance.randrange(len(made) + 1)
        chance.choice(_CHANGES)(made, at, chance)
    return bytes(made)


def _flip(made: bytearray, at: int, chance: random.Random) -> None:
    if at < len(made):
        made[at] ^= 1 << chance.randrange(8)


def _spice(made: bytearray, at: int, chance: random.Random) -> None:
    made[at : at + chance.choice([0, 0, 1, 9])] = chance.choice(_SPICES)


def _cut(made: bytearray, at: int, chance: random.Random) -> None:
    del made[at : at + chance.choice([1, 3, 20, 200])]


def _double(made: bytearray, at: int, chance: random.Random) -> None:
    made[at:at] = made[max(0, at - chance.choice([1, 10, 100])) : at] * chance.choice([1, 2, 50])


def _noise(made: bytearray, at: int, chance: random.Random) -> None:
    made[at : at + 4] = chance.randbytes(chance.choice([1, 4, 16]))


def _end(made: bytearray, at: int, chance: random.Random) -> None:
    if chance.random() < 0.2:
        del made[at:]


_CHANGES: tuple[Callable[[bytearray, int, random.Random], None], ...] = (
    _flip,
    _flip,
    _spice,
    _spice,
    _spice,
    _cut,
    _double,
    _noise,
    _end,
)
