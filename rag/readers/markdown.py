"""Markdown: kept as it is written; its first heading is the title."""

import re

from rag.readers.front_matter import split_front_matter
from rag.readers.text import decode_text, name_of

# Code that nothing closes goes to the end.
_FENCED_BLOCK = re.compile(r"^ {0,3}(`{3,}+(?=[^`\n]*$)|~{3,}+).*?(?:^ {0,3}\1|\Z)", re.MULTILINE | re.DOTALL)
_MARKDOWN_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S.*)$|^(?=\S)(.+)\n(?:=+|-{2,})[ \t]*$", re.MULTILINE)


def read_markdown(data: bytes, source: str, charset: str = "") -> tuple[str, str]:
    """Title and text."""
    text = decode_text(data, name_of(source), charset)
    values, below = split_front_matter(text)
    title = values.get("title")
    return (title if isinstance(title, str) else "").strip() or heading_of(below) or name_of(source), text


def heading_of(text: str) -> str:
    """The first heading of a Markdown text; empty when there is none."""
    # A comment in a shell example is no heading.
    heading = _MARKDOWN_HEADING.search(_FENCED_BLOCK.sub("", text[:100_000]))
    if not heading:
        return ""
    title = (heading[1] or heading[2]).strip()
    # Number signs may close a heading as they open it; those of a name stand right behind it.
    bare = title.rstrip("#")
    return bare.rstrip() if heading[1] and bare[-1:].isspace() else title
