"""The top-level blocks of a Markdown text."""

from itertools import pairwise

from chatbot.frontends.markdown.markup import answer_parser

_STRUCTURE = answer_parser().disable("inline")


def cut_markdown(text: str) -> int:
    """Where the last top-level block of whole lines begins: all before it is finished."""
    starts = block_starts(text)
    return _line_offset(text, starts[-1]) if len(starts) > 1 else 0


def split_markdown(text: str) -> list[str]:
    """The texts of the top-level blocks."""
    starts = [_line_offset(text, line) for line in block_starts(text)]
    if not starts:
        return [text] if text.strip() else []
    edges = [0, *starts[1:], len(text)]
    return [text[begin:end] for begin, end in pairwise(edges) if text[begin:end].strip()]


def block_starts(text: str) -> list[int]:
    """The first lines of the top-level blocks, counted from 0."""
    return [token.map[0] for token in _STRUCTURE.parse(text) if token.level == 0 and token.map and token.nesting >= 0]


def _line_offset(text: str, line: int) -> int:
    return sum(len(part) + 1 for part in text.split("\n")[:line])
