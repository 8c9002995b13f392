"""Org: headings, lists, tables and code blocks of Emacs' Org mode as Markdown."""

import re
from collections.abc import Iterator

from rag.readers.markup import fence_code, table_of
from rag.readers.text import decode_text, name_of

_STARS = re.compile(r"(\*{1,12})[ \t]+(\S.*)$")
_KEYWORD = re.compile(r"[ \t]*#\+(\w{1,40}):[ \t]*(.*)$", re.ASCII)
_BLOCK_BEGIN = re.compile(r"[ \t]*#\+begin_(\w{1,40})[ \t]*(\S{0,40})", re.IGNORECASE | re.ASCII)
_DRAWER = re.compile(r"[ \t]*:(\w{1,40}):[ \t]*$", re.ASCII)
_DRAWER_NAMES = frozenset({"properties", "logbook", "results"})
_ORG_LINK = re.compile(r"\[\[([^\[\]\n]{1,1000})\](?:\[([^\[\]\n]{1,1000})\])?\]")
_ITEM = re.compile(r"([ \t]{0,40})(?:[-+]|\d{1,9}[.)])[ \t]+(?:\[@\d{1,9}\][ \t]+)?(.*)$")
_TABLE_RULE = re.compile(r"[ \t]*\|[-+|]+[ \t]*$")
_TAGS = re.compile(r"[ \t]:[\w@#%:]{1,200}:$")
_TITLE_WORDS = frozenset({"title", "subtitle", "author", "date", "description", "caption"})
_LITERAL_BLOCKS = frozenset({"src", "example", "export"})


def read_org(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title, as the file says or its first heading, and Markdown."""
    lines = decode_text(data, name_of(source), charset).replace("\r\n", "\n").split("\n")
    blocks = list(_OrgLines(lines))
    named = (match[2] for line in lines if (match := _KEYWORD.match(line)) and match[1].lower() == "title")
    heading = next((block.lstrip("# ") for block in blocks if block.startswith("#")), "")
    return next(named, "").strip() or heading or name_of(source), _joined_blocks(blocks)


def _joined_blocks(blocks: list[str]) -> str:
    """Lines below each other, headings, tables and code with an empty line around them."""
    return re.sub(r"\n{3,}", "\n\n", "\n".join(blocks)).strip("\n")


class _OrgLines:
    """Goes through the lines once and hands out Markdown."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def __iter__(self) -> Iterator[str]:
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            yield from self._line_blocks(line)

    def _line_blocks(self, line: str) -> Iterator[str]:
        if begin := _BLOCK_BEGIN.match(line):
            yield from self._block(begin[1].lower(), begin[2])
        elif (drawer := _DRAWER.match(line)) and drawer[1].lower() in _DRAWER_NAMES:
            self._take_until(":end:")
        elif keyword := _KEYWORD.match(line):
            if keyword[1].lower() in _TITLE_WORDS and keyword[2].strip():
                yield f"{keyword[1].capitalize()}: {_plain_links(keyword[2])}"
        elif line.lstrip().startswith("|"):
            yield from ("", table_of(self._table_rows(line)), "")
        elif line.startswith(("# ", "#\t")) or line == "#":
            return
        else:
            yield from _text_line(line)

    def _block(self, kind: str, language: str) -> Iterator[str]:
        lines = self._take_until(f"#+end_{kind}")
        if kind == "comment":
            return
        if kind in _LITERAL_BLOCKS:
            # A comma keeps lines from being read as Org's own.
            code = "\n".join(re.sub(r"^([ \t]*),(?=\*|#\+)", r"\1", line) for line in lines)
            yield from ("", fence_code(code, language if kind == "src" else ""), "")
        else:
            mark = "> " if kind == "quote" else ""
            yield from ("", *(mark + _plain_links(line.strip()) for line in lines), "")

    def _take_until(self, end: str) -> list[str]:
        """The lines up to the one that ends a block; without one the block goes to the end."""
        taken: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if line.strip().lower() == end:
                break
            taken.append(line)
        return taken

    def _table_rows(self, first: str) -> Iterator[list[str]]:
        yield _cells(first)
        while self._at < len(self._lines) and self._lines[self._at].lstrip().startswith("|"):
            line = self._lines[self._at]
            self._at += 1
            if not _TABLE_RULE.match(line):
                yield _cells(line)


def _text_line(line: str) -> Iterator[str]:
    if stars := _STARS.match(line):
        yield from ("", "#" * min(len(stars[1]), 6) + " " + _plain_links(_TAGS.sub("", stars[2].rstrip()).rstrip()), "")
    elif item := _ITEM.match(line):
        yield f"{item[1]}- {_plain_links(item[2])}"
    else:
        yield _plain_links(line)


def _cells(line: str) -> list[str]:
    if _TABLE_RULE.match(line):
        return []
    return [_plain_links(cell.strip()) for cell in line.strip().strip("|").split("|")]


def _plain_links(text: str) -> str:
    return _ORG_LINK.sub(lambda link: f"{link[2]} ({link[1]})" if link[2] else link[1], text)
