"""Markdown: its sections by headings, and its code blocks, tables and lists; read as CommonMark, but line by line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from rag.chunking.outline import Outline, Section
from rag.chunking.rulers import Ruler

# A line that begins something else than a paragraph. re finds the newline before it fast, so the text gets one in
# front: a match then begins where, in the text itself, its line begins.
_BLOCK_START = re.compile(
    r"""\n[ ]{0,3}(?=[`~\#|:=\-*+<0-9])(?:
        (?P<fence>`{3,}(?=[^`\n]*(?:\n|\Z))|~{3,})
      | (?P<heading>\#{1,6})(?=[ \t\r\n]|\Z)
      | (?P<table>\||:?-+:?[ \t]*\|[-:|\ \t\r]*(?=\n|\Z))
      | (?P<underline>=+|-+)[ \t\r]*(?=\n|\Z)
      | (?P<list>[-*+]|1[.)])[ \t]
      | (?P<number>[0-9]{1,9}[.)])[ \t]
      | (?P<raw><(?:!--|(?:pre|script|style|textarea)\b))
    )""",
    re.VERBOSE,
)
# Of lines between two rules, none of them empty: what comes after a rule is mostly a paragraph.
_FRONT_MATTER = re.compile(r"---[ \t\r]*\n(?:(?![ \t\r]*\n)[^\n]*\n)+?(?:---|\.\.\.)[ \t\r]*(?:\n|\Z)")
# With the empty lines after it.
_HEADING_END = re.compile(r"(?:\n|\Z)(?:[ \t\r]*\n)*")
_OTHER_BLOCK = r"[ ]?(?:\#{1,6}[ \t\r\n]|```|~~~)"
_TABLE_END = re.compile(rf"\n(?=[ \t\r]*(?:\n|\Z)|{_OTHER_BLOCK})")
# Empty lines and what goes on with the list after them, or the beginning of something else.
_LIST_GAP = re.compile(rf"\n(?:(?:[ \t\r]*\n)++(?P<more>[ \t]|[-*+][ \t]|\d{{1,9}}[.)][ \t])?|(?={_OTHER_BLOCK}))")
_NEXT_ITEM = re.compile(r"\n(?=[ ]?(?:[-*+]|\d{1,9}[.)])[ \t])")


@dataclass(frozen=True)
class Block:
    """What is no paragraph: a heading, a list, or what is made of lines, as code and tables."""

    kind: Literal["heading", "list", "lines"]
    start: int
    end: int
    level: int = 0
    """Of a heading, 1 to 6; nothing else has a level or a title."""
    title: str = ""


def outline_markdown(text: str, ruler: Ruler, size: int) -> Outline:
    """The outline of a Markdown text; code, tables and lists up to twice the size stay whole."""
    outline = Outline()
    for section, blocks in find_sections(text):
        outline.sections.append(section)
        # What makes a single chunk need not be looked into.
        if ruler.measure_length(section.start, section.end) > size:
            after = section.start
            for block in blocks:
                outline.add_prose(text, after, block.start)
                _add_block(block, text, outline, whole=ruler.measure_length(block.start, block.end) <= 2 * size)
                after = block.end
            outline.add_prose(text, after, section.end)
    return outline


def _add_block(block: Block, text: str, outline: Outline, whole: bool) -> None:
    if block.kind == "heading":
        # No paragraph begins after it: rather than a heading alone, a chunk has some sentences of what follows.
        outline.sentences.append(block.end)
    elif whole:
        outline.add_solid(block.start, block.end)
    else:
        items = [match.end() for match in _NEXT_ITEM.finditer(text, block.start, block.end)]
        outline.add_lines(text, block.start, block.end, items if block.kind == "list" else ())


def find_sections(text: str) -> Iterator[tuple[Section, list[Block]]]:
    """Sections with their blocks; headings without a text of their own begin the section of the next one."""
    path: list[Block] = []
    blocks: list[Block] = []
    start = after = 0
    filled = False
    for block in find_blocks(text):
        filled = filled or text[after : block.start].strip() != ""
        if block.kind != "heading":
            filled = True
        else:
            if filled:
                yield Section(start, block.start, _heading_titles(path)), blocks
                start, blocks, filled = block.start, [], False
            path = [*(above for above in path if above.level < block.level), block]
        blocks.append(block)
        after = block.end
    yield Section(start, len(text), _heading_titles(path)), blocks


def find_blocks(text: str) -> Iterator[Block]:
    """The blocks of a Markdown text, in order; paragraphs are what stands between them."""
    lines = "\n" + text
    at = after = 0
    if front := _FRONT_MATTER.match(text):
        at = after = front.end()
        yield Block("lines", 0, after)
    while mark := _BLOCK_START.search(lines, at):
        block = _FINDERS[mark.lastgroup or ""](text, mark, after)
        # Without a block the mark was a part of a paragraph; its line's end may begin the next one.
        at = block.end if block else mark.end()
        if block:
            after = block.end
            yield block


def _heading_titles(path: list[Block]) -> tuple[str, ...]:
    return tuple(heading.title for heading in path if heading.title)


def _find_heading(text: str, mark: re.Match[str], after: int) -> Block | None:
    end = _find_end(_HEADING_END, text, mark)
    title = text[mark.end() - 1 : end].strip()
    without_marks = title.rstrip("#")
    if without_marks[-1:] in {"", " ", "\t"}:
        title = without_marks.rstrip()
    return Block("heading", mark.start(), end, len(mark["heading"]), title)


def _find_underlined(text: str, mark: re.Match[str], after: int) -> Block | None:
    """A heading with a line under it, if a paragraph of one line stands above; else that is a rule."""
    above = _line_above(text, mark.start())
    title = text[above : mark.start()].strip()
    if above < after or not title or (above > after and text[_line_above(text, above) : above].strip()):
        return None
    level = 1 if mark["underline"][0] == "=" else 2
    return Block("heading", above, _find_end(_HEADING_END, text, mark), level, title)


def _find_fenced(text: str, mark: re.Match[str], after: int) -> Block | None:
    """Code up to a line of as many of the same marks, else up to the end."""
    fence = mark["fence"]
    closing = re.compile(rf"\n {{0,3}}{fence[0]}{{{len(fence)},}}[ \t\r]*(?:\n|\Z)")
    return Block("lines", mark.start(), _find_end(closing, text, mark))


def _find_table(text: str, mark: re.Match[str], after: int) -> Block | None:
    """A table; its first line may be the one above the mark."""
    above = _line_above(text, mark.start())
    headed = above >= after and "|" in text[above : mark.start()]
    if not headed and mark["table"][0] != "|":
        return None
    return Block("lines", above if headed else mark.start(), _find_end(_TABLE_END, text, mark))


def _find_list(text: str, mark: re.Match[str], after: int) -> Block | None:
    gaps = _LIST_GAP.finditer(text, mark.end() - 1)
    end = next((gap.end() for gap in gaps if not gap["more"]), len(text))
    return Block("list", mark.start(), end)


def _find_numbered(text: str, mark: re.Match[str], after: int) -> Block | None:
    """A list that begins with another number than 1: not within a paragraph, where a line may begin with a year."""
    above = text[_line_above(text, mark.start()) : mark.start()]
    return None if above.strip() and mark.start() > after else _find_list(text, mark, after)


def _find_raw(text: str, mark: re.Match[str], after: int) -> Block | None:
    """A comment or an element of HTML whose text is no Markdown; it too goes up to the end if nothing closes it."""
    name = mark["raw"][1:]
    closing = text.find("-->" if name == "!--" else f"</{name}>", mark.end() - 1)
    line_end = text.find("\n", closing) if closing >= 0 else -1
    return Block("lines", mark.start(), line_end + 1 or len(text))


_FINDERS = {
    "fence": _find_fenced,
    "heading": _find_heading,
    "list": _find_list,
    "number": _find_numbered,
    "raw": _find_raw,
    "table": _find_table,
    "underline": _find_underlined,
}


def _line_above(text: str, line: int) -> int:
    """Where the line begins that stands above the one that begins there."""
    return text.rfind("\n", 0, max(0, line - 1)) + 1


def _find_end(pattern: re.Pattern[str], text: str, mark: re.Match[str]) -> int:
    found = pattern.search(text, mark.end() - 1)
    return found.end() if found else len(text)
