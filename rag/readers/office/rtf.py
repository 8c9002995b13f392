"""RTF: its text by striprtf; headings, lists and tables as Markdown."""

import re
from collections.abc import Iterator

from rag.readers.damage import translate_damage
from rag.readers.markup import join_blocks, table_of
from rag.readers.text import name_of

_OUTLINE_LEVEL = re.compile(r"\\outlinelevel([0-8])(?!\d) ?")
_LIST_MARK = re.compile(r"\{\\(?:listtext|pntext)\b[^{}]{0,500}\}")
_TITLE_GROUP = re.compile(r"\{\\title ((?:[^{}\\]|\\[^{}]){1,500})\}")
# Signs that no text has: striprtf hands them on as it does letters.
_HEADING_SIGN, _LIST_SIGN = "\x02", "\x03"


def read_rtf(data: bytes, source: str, _: str = "") -> tuple[str, str]:
    """Title, from the properties or the first heading, and Markdown; raises `DocumentError`."""
    from striprtf.striprtf import rtf_to_text

    name = name_of(source)
    with translate_damage(name, "an RTF"):
        if not data.lstrip().startswith(b"{\\rtf"):
            raise ValueError("it does not begin as one")
        code = data.decode("latin-1").replace(_HEADING_SIGN, "").replace(_LIST_SIGN, "")
        titled = _TITLE_GROUP.search(code)
        title = rtf_to_text(f"{{\\rtf1 {titled[1]}}}", errors="replace").strip() if titled else ""
        code = _OUTLINE_LEVEL.sub(lambda level: f"{level[0].rstrip()} {_HEADING_SIGN * (int(level[1]) + 1)} ", code)
        text = rtf_to_text(_LIST_MARK.sub(f"{_LIST_SIGN} ", code), errors="replace")
    blocks = list(_iter_blocks(text))
    heading = next((block for block in blocks if block.startswith("#")), "").lstrip("# ")
    return title or heading or name, join_blocks(blocks)


def _iter_blocks(text: str) -> Iterator[str]:
    rows: list[list[str]] = []
    for line in text.split("\n"):
        if line.rstrip().endswith("|"):
            rows.append([cell.strip(f"{_HEADING_SIGN}{_LIST_SIGN} \t") for cell in line.rstrip()[:-1].split("|")])
            continue
        if rows:
            yield table_of(rows)
            rows = []
        yield _line_markdown(line)
    yield table_of(rows)


def _line_markdown(line: str) -> str:
    words = " ".join(line.replace(_HEADING_SIGN, " ").replace(_LIST_SIGN, " ").split())
    if not words:
        return ""
    if level := line.count(_HEADING_SIGN):
        return "#" * min(level, 6) + " " + words
    return f"- {words}" if _LIST_SIGN in line else words
