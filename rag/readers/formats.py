"""Which reader reads what: by the type that a name or a server tells, and by the bytes where neither does."""

import io
from collections.abc import Callable, Iterator
from email.message import Message
from pathlib import PurePosixPath
from typing import BinaryIO

from rag.readers.archive import DOCX, EPUB, ODP, ODS, ODT, OPEN_DOCUMENTS, PPTX, XLSX, zip_kind
from rag.readers.csv import read_csv
from rag.readers.epub import read_epub
from rag.readers.html import read_html
from rag.readers.json import read_json
from rag.readers.jsonl import Record, joined_records, read_beir, read_records
from rag.readers.lightweight.asciidoc import read_asciidoc
from rag.readers.lightweight.org import read_org
from rag.readers.lightweight.restructuredtext import read_restructuredtext
from rag.readers.lightweight.subtitles import read_subtitles
from rag.readers.mail.mbox import joined_mails, read_mbox
from rag.readers.mail.message import read_mail
from rag.readers.markdown import read_markdown
from rag.readers.notebook import read_notebook
from rag.readers.office.docx import read_docx
from rag.readers.office.opendocument import read_opendocument
from rag.readers.office.pptx import read_pptx
from rag.readers.office.rtf import read_rtf
from rag.readers.office.xlsx import read_xlsx
from rag.readers.pdf import PAGE_BREAK, read_pdf
from rag.readers.pictures.picture import PICTURE_TYPES, picture_type, read_picture_text
from rag.readers.plain import read_plain
from rag.readers.text import name_of, read_text
from rag.zim.values import ZIM
from utils.errors import DocumentError
from utils.text import clean, well_formed

Reader = Callable[[bytes, str, str], tuple[str, str]]

# Ten thousand pages of text; more is hardly a document, and would take an hour to embed.
MAX_DOCUMENT_BYTES = 50_000_000

JSONL = "application/jsonl"
BEIR = "application/x-beir"
"""A corpus.jsonl beside a queries.jsonl; a type of ours, for no one else tells it from other JSON lines."""
_MBOX = "application/mbox"
_EML = "message/rfc822"

_NOTEBOOK = "application/x-ipynb+json"
_ASCIIDOC = "text/asciidoc"
_ORG = "text/org"
_RST = "text/x-rst"
_RTF = "application/rtf"
_SRT = "application/x-subrip"
_VTT = "text/vtt"


def _read_attachment(data: bytes, name: str, content_type: str) -> tuple[str, str]:
    """Title and text of what is attached to a mail; raises `DocumentError`."""
    kind, charset = sent_type(content_type, name)
    kind = _detect_type(data, kind)
    if kind in PICTURE_TYPES:
        # Reading its text takes longer than a mail has.
        raise DocumentError(f"{name or 'It'} is a picture.")
    return _READERS_BY_TYPE.get(kind, read_text)(data, name, charset)


_READERS_BY_TYPE: dict[str, Reader] = {
    "application/json": read_json,
    "application/pdf": read_pdf,
    "application/xhtml+xml": read_html,
    "text/csv": read_csv,
    "text/html": read_html,
    "text/markdown": read_markdown,
    "text/plain": read_plain,
    "text/tab-separated-values": read_csv,
    JSONL: lambda data, source, _: joined_records(data, source),
    DOCX: read_docx,
    EPUB: read_epub,
    PPTX: read_pptx,
    XLSX: read_xlsx,
    _ASCIIDOC: read_asciidoc,
    _EML: lambda data, source, _: read_mail(data, source, _read_attachment),
    _MBOX: lambda data, source, _: joined_mails(io.BytesIO(data), source, _read_attachment),
    _NOTEBOOK: read_notebook,
    _ORG: read_org,
    _RST: read_restructuredtext,
    _RTF: read_rtf,
    **dict.fromkeys(OPEN_DOCUMENTS, read_opendocument),
    **dict.fromkeys((_SRT, _VTT), read_subtitles),
    **dict.fromkeys(PICTURE_TYPES, read_picture_text),
}
STREAMS: dict[str, Callable[[BinaryIO, str], Iterator[Record]]] = {
    JSONL: read_records,
    BEIR: read_beir,
    _MBOX: lambda file, source: read_mbox(file, source, _read_attachment),
}
"""Types whose files hold many documents."""
RECORD_TYPES = {JSONL: JSONL, BEIR: JSONL, _MBOX: _EML}
"""The media type of a document in such a file."""

_OTHER_NAMES = {
    "application/csv": "text/csv",
    "application/json-lines": JSONL,
    "application/jsonlines": JSONL,
    "application/ndjson": JSONL,
    "application/x-jsonlines": JSONL,
    "application/x-ndjson": JSONL,
    "application/rst": _RST,
    "application/srt": _SRT,
    "text/prs.fallenstein.rst": _RST,
    "text/restructuredtext": _RST,
    "text/rst": _RST,
    "text/rtf": _RTF,
    "text/srt": _SRT,
    "text/x-asciidoc": _ASCIIDOC,
    "text/x-markdown": "text/markdown",
    "text/x-org": _ORG,
}
_SUFFIXES = {
    suffix: kind
    for kind, suffixes in {
        "application/json": ".json .geojson",
        "application/pdf": ".pdf",
        "application/x-php": ".php",
        "application/xhtml+xml": ".xhtml",
        "text/csv": ".csv",
        "text/html": ".htm .html",
        "text/javascript": ".js .mjs .cjs .jsx",
        "text/markdown": ".md .markdown .mdown",
        "text/plain": ".txt .text .log .tex .toml .yaml .yml .ini .css .sql .xml",
        "text/tab-separated-values": ".tsv .tab",
        "text/typescript": ".ts .tsx .mts .cts",
        "text/x-c": ".c .h",
        "text/x-c++": ".cc .cpp .cxx .hh .hpp .hxx",
        "text/x-csharp": ".cs",
        "text/x-go": ".go",
        "text/x-haskell": ".hs",
        "text/x-java": ".java",
        "text/x-kotlin": ".kt .kts",
        "text/x-lua": ".lua",
        "text/x-perl": ".pl .pm",
        "text/x-python": ".py .pyi .pyw",
        "text/x-ruby": ".rb",
        "text/x-rust": ".rs",
        "text/x-scala": ".scala .sc",
        "text/x-sh": ".sh .bash .zsh",
        "text/x-swift": ".swift",
        "image/avif": ".avif",
        "image/bmp": ".bmp",
        "image/gif": ".gif",
        "image/jpeg": ".jpg .jpeg",
        "image/png": ".png",
        "image/tiff": ".tif .tiff",
        "image/webp": ".webp",
        JSONL: ".jsonl .ndjson",
        DOCX: ".docx",
        EPUB: ".epub",
        ODP: ".odp",
        ODS: ".ods",
        ODT: ".odt",
        PPTX: ".pptx .pptm",
        XLSX: ".xlsx .xlsm",
        _ASCIIDOC: ".adoc .asciidoc",
        _EML: ".eml .mht .mhtml",
        _MBOX: ".mbox",
        _NOTEBOOK: ".ipynb",
        _ORG: ".org",
        _RST: ".rst",
        _RTF: ".rtf",
        _SRT: ".srt",
        _VTT: ".vtt",
        ZIM: ".zim",
    }.items()
    for suffix in suffixes.split()
}
_UNTOLD = frozenset({"", "application/octet-stream", "binary/octet-stream", "application/zip"})
# Endings of types under which servers send text, beside text/*.
_TEXTUAL = ("json", "xml", "yaml", "toml", "javascript", "ecmascript", "x-sh", "x-python", "x-php", "sql")
# Servers send these by the same type as prose.
_SOURCES = frozenset(_SUFFIXES.values()) - {"text/html", "application/xhtml+xml"}


def named_type(name: str) -> str:
    """The media type that a file's name tells; empty when it tells none."""
    return _SUFFIXES.get(PurePosixPath(name).suffix.lower(), "")


def sent_type(content_type: str, source: str) -> tuple[str, str]:
    """Media type and charset, from a Content-Type and, where that says little, from the end of the address."""
    header = Message()
    header["content-type"] = well_formed(content_type).replace("\0", "") or "application/octet-stream"
    kind = header.get_content_type()
    kind = _OTHER_NAMES.get(kind, kind)
    named = named_type(name_of(source))
    if kind in _UNTOLD or (kind == "text/plain" and named in _SOURCES):
        kind = named
    return kind, header.get_content_charset("")


def can_be_sent(content_type: str, url: str) -> bool:
    """Whether it is worth loading what a server announces under this type."""
    kind, _ = sent_type(content_type, url)
    if kind in PICTURE_TYPES:
        # A page's pictures are of no use to whoever asked for its text.
        return False
    return not content_type.strip() or kind.startswith("text/") or kind in _READERS_BY_TYPE or kind.endswith(_TEXTUAL)


def check_size(size: int, name: str, kind: str = "") -> None:
    """Raises `DocumentError` for what is too large to be one document, and for whole archives of them."""
    if named_type(name) == ZIM:
        raise DocumentError(
            f"{name} is a ZIM archive, and its articles are not taken into the library one and all.",
            "Name it in search.zim_files: it is searched where it lies, and what is read of it is kept.",
        )
    if size > MAX_DOCUMENT_BYTES:
        raise DocumentError(
            f"{name} has {size / 1e6:.0f} MB; the limit is {MAX_DOCUMENT_BYTES // 1_000_000} MB.",
            "Make it smaller." if (kind or named_type(name)) in PICTURE_TYPES else "Split it into parts.",
        )


def read_records_of(file: BinaryIO, kind: str, source: str) -> Iterator[Record]:
    """Source, title and text of each document in a file of many, cleaned; raises `DocumentError`."""
    found = False
    for name, title, text in STREAMS[kind](file, source):
        found = True
        yield name, one_line_title(title), clean(text)
    if not found:
        raise DocumentError(f"{name_of(source)} holds no text.")


def read_one(data: bytes, kind: str, source: str, charset: str) -> tuple[str, str, str]:
    """Title, text, cleaned of what a terminal would obey, and the media type as it turned out."""
    name = name_of(source)
    check_size(len(data), name)
    if not data.strip():
        raise DocumentError(f"{name} is empty.")
    kind = _detect_type(data, kind)
    title, text = _READERS_BY_TYPE.get(kind, read_text)(data, source, charset)
    if len(text) > MAX_DOCUMENT_BYTES:
        raise DocumentError(f"{name} holds more than {MAX_DOCUMENT_BYTES // 1_000_000} million characters.")
    text = PAGE_BREAK.join(clean(page) for page in text.split(PAGE_BREAK))
    if not text.strip():
        raise DocumentError(f"{name} holds no text.")
    return one_line_title(title) or name, text, kind


def one_line_title(title: str) -> str:
    """A title on one line, of a length that can be shown."""
    return " ".join(clean(title).split())[:500]


def _detect_type(data: bytes, kind: str) -> str:
    if data.startswith(b"%PDF-"):
        return "application/pdf"
    if data.startswith(b"{\\rtf"):
        return _RTF
    if data.startswith(b"PK\x03\x04"):
        return zip_kind(data) or kind or "text/plain"
    if picture := picture_type(data):
        return picture
    if kind in PICTURE_TYPES:
        # By its bytes it is none.
        return "text/plain"
    if not kind and data[:1000].lstrip().lower().startswith((b"<!doctype html", b"<html")):
        return "text/html"
    return kind or "text/plain"
