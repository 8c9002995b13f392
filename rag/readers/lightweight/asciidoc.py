"""AsciiDoc: headings, lists, tables and code blocks as Markdown; includes are named, not followed."""

import re
from collections.abc import Iterator

from rag.readers.markup import fence_code, table_of
from rag.readers.text import decode_text, name_of

_SECTION = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)$")
_ATTRIBUTE = re.compile(r":!?([\w-]{1,60})!?:(?:[ \t]+(.*))?$")
_BLOCK_ATTRIBUTES = re.compile(r"\[([^\[\]\n]{0,500})\]$")
_BLOCK_TITLE = re.compile(r"\.(?![. \t])(\S.*)$")
_ADOC_ITEM = re.compile(r"[ \t]{0,20}(\*{1,5}|-|\.{1,5}|\d{1,9}\.)[ \t]+(\S.*)$")
_LITERAL_FENCE = re.compile(r"(-{4,}|\.{4,}|`{3,})([\w+-]{0,40})$")
_OTHER_FENCE = re.compile(r"(?:={4,}|\*{4,}|_{4,}|--)$")
_TABLE_FENCE = re.compile(r"[|,:!]={3,}$")
_CELL_SPEC = re.compile(r"[ \t](?:\d{0,4}(?:\.\d{1,4})?[+*])?[<^>]?(?:\.[<^>])?[adehlmsv]?$")
_MACRO = re.compile(
    r"(?<!\w)(?:(?:link|xref):([^\s\[\]<>\"]{1,300})|((?:https?://|mailto:)[^\s\[\]<>\"]{1,300}))\[([^\[\]\n]{0,500})\]"
)
_CROSS_REFERENCE = re.compile(r"<<([^<>,\n]{1,500})(?:,([^<>\n]{1,500}))?>>")
_REFERENCE = re.compile(r"\{([\w-]{1,60})\}")
_SAID_ATTRIBUTES = frozenset({"author", "date", "revdate", "description"})


def read_asciidoc(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title, the first heading, and Markdown."""
    lines = decode_text(data, name_of(source), charset).replace("\r\n", "\n").split("\n")
    blocks = list(_AsciiDocLines(lines))
    heading = next((block.lstrip("# ") for block in blocks if block.startswith("#")), "")
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(blocks)).strip("\n")
    return heading or name_of(source), text


class _AsciiDocLines:
    """Goes through the lines once and hands out Markdown."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0
        self._language = ""
        self._attributes: dict[str, str] = {}

    def __iter__(self) -> Iterator[str]:
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            yield from self._fenced(line) if self._is_fence(line) else self._line_blocks(line)

    @staticmethod
    def _is_fence(line: str) -> bool:
        return bool(_LITERAL_FENCE.match(line) or _TABLE_FENCE.match(line)) or line.startswith("////")

    def _fenced(self, line: str) -> Iterator[str]:
        inner = self._take_until(line)
        if literal := _LITERAL_FENCE.match(line):
            yield from ("", fence_code("\n".join(inner), literal[2] or self._language), "")
        elif _TABLE_FENCE.match(line):
            yield from ("", table_of(self._table_rows(inner)), "")
        self._language = ""

    def _line_blocks(self, line: str) -> Iterator[str]:
        if line.startswith(("//", "[[")) or line == "+" or _OTHER_FENCE.match(line):
            return
        if attribute := _ATTRIBUTE.match(line):
            self._attributes[attribute[1].lower()] = attribute[2] or ""
            if attribute[1].lower() in _SAID_ATTRIBUTES and attribute[2]:
                yield f"{attribute[1].capitalize()}: {attribute[2]}"
        elif attributes := _BLOCK_ATTRIBUTES.match(line):
            self._language = _source_language(attributes[1])
        else:
            yield from self._text_line(line)

    def _text_line(self, line: str) -> Iterator[str]:
        if section := _SECTION.match(line):
            yield from ("", "#" * len(section[1]) + " " + self._plain(section[2].rstrip("= ")), "")
        elif item := _ADOC_ITEM.match(line):
            depth = len(item[1]) - 1 if item[1][0] in "*." else 0
            yield "  " * depth + "- " + self._plain(item[2])
        elif title := _BLOCK_TITLE.match(line):
            yield from ("", self._plain(title[1]), "")
        else:
            yield self._plain(line.strip())

    def _take_until(self, end: str) -> list[str]:
        fence = _LITERAL_FENCE.match(end)
        end = fence[1] if fence else end
        taken: list[str] = []
        while self._at < len(self._lines):
            line = self._lines[self._at].rstrip()
            self._at += 1
            if line == end:
                break
            taken.append(line)
        return taken

    def _table_rows(self, lines: list[str]) -> Iterator[list[str]]:
        """The cells in rows as wide as the first line that has some."""
        cells: list[str] = []
        width = 0
        for line in lines:
            if line.startswith("|"):
                found = line.split("|")[1:]
                cells += [self._plain(_CELL_SPEC.sub("", cell).strip()) for cell in found]
                width = width or len(found)
            elif line.strip() and cells:
                cells[-1] += " " + self._plain(line.strip())
        for start in range(0, len(cells), width or 1):
            yield cells[start : start + width]

    def _plain(self, text: str) -> str:
        """A line without the marks of links and references."""
        text = _REFERENCE.sub(lambda name: self._attributes.get(name[1].lower(), name[0]), text)
        text = _CROSS_REFERENCE.sub(lambda found: (found[2] or "").strip() or found[1], text)
        return _MACRO.sub(_plain_macro, text) if "[" in text else text


def _plain_macro(macro: re.Match[str]) -> str:
    address, said = macro[1] or macro[2], macro[3].split(",")[0].rstrip("^")
    return f"{said} ({address})" if said else address


def _source_language(attributes: str) -> str:
    style, _, rest = attributes.partition(",")
    return rest.split(",")[0].strip() if style.strip() in {"source", ""} and "=" not in rest.split(",")[0] else ""
