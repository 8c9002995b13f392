"""EPUB: its chapters in reading order as Markdown; read by hand, for the one library for it is under the AGPL."""

from collections.abc import Iterator
from posixpath import dirname, join, normpath
from typing import Any
from urllib.parse import unquote

from rag.readers.archive import Archive
from rag.readers.damage import translate_damage
from rag.readers.markup import markdown_of
from rag.readers.text import decode_text, name_of
from utils.errors import DocumentError

_PACKAGE = "{http://www.idpf.org/2007/opf}"
_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"
_TITLE_TAG = "{http://purl.org/dc/elements/1.1/}title"


def read_epub(data: bytes, source: str, _: str = "") -> tuple[str, str]:
    """Title and text; raises `DocumentError` when it is damaged or locked."""
    name = name_of(source)
    with translate_damage(name, "an EPUB"):
        archive = Archive(data, source)
        if "META-INF/rights.xml" in archive:
            raise DocumentError(f"{name} is locked by its seller.", "Magpie reads EPUB without copy protection.")
        place = _parse_xml(archive.read("META-INF/container.xml")).find(f".//{_CONTAINER}rootfile").get("full-path")
        package = _parse_xml(archive.read(place))
        chapters = [
            _chapter_markdown(archive.read(member))
            for member in _spine_members(package, dirname(place))
            if member in archive
        ]
    title = " ".join((package.findtext(f".//{_TITLE_TAG}") or "").split())
    return title or name, "\n\n".join(filter(None, chapters))


def _spine_members(package: Any, folder: str) -> Iterator[str]:
    """The members that hold the text, in reading order; a table of contents is none of them."""
    items = {item.get("id"): item for item in package.iter(_PACKAGE + "item")}
    for reference in package.iter(_PACKAGE + "itemref"):
        item = items.get(reference.get("idref"))
        if item is not None and "nav" not in item.get("properties", "").split():
            yield normpath(join(folder, unquote(item.get("href", ""))))


def _chapter_markdown(data: bytes) -> str:
    from lxml import html

    text = decode_text(data, "a chapter")
    root = html.document_fromstring(text.encode("utf-8", "replace"), parser=html.HTMLParser(encoding="utf-8"))
    return markdown_of(root)


def _parse_xml(data: bytes) -> Any:
    from lxml import etree

    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
