"""Markdown as Telegram can show it: its blocks become runs of text in the few elements that there are."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from markdown_it.token import Token

from chatbot.frontends.links import web_address
from chatbot.frontends.markdown.markup import answer_parser
from chatbot.frontends.telegram.messages.runs import StyledRun, Tag
from utils.text import clean

BOLD, ITALIC, STRUCK, INLINE_CODE, QUOTE = Tag("b"), Tag("i"), Tag("s"), Tag("code"), Tag("blockquote")
_ALONE = frozenset({"code", "pre"})
"""Elements that stand in no other, and no other in them (Bot API, formatting options)."""
MAX_MARKUP_LINES, MAX_MARKUP_COLUMNS = 2000, 4000
"""Of a text past which its Markdown is not looked at, which would take seconds."""
_LANGUAGE_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789+#.-_")
_RULE_LINE = "———"


def render_markdown(markdown: str) -> list[StyledRun]:
    """The runs of an answer, cleaned of what is not to be seen."""
    text = clean(markdown)
    lines = text.split("\n")
    if len(lines) > MAX_MARKUP_LINES or max(map(len, lines)) > MAX_MARKUP_COLUMNS:
        return [StyledRun(text)]
    runs = RunWriter().make_runs(answer_parser().parse(text))
    # Of what is nested too deeply, and of definitions of links alone, nothing would be left.
    return runs if any(run.text.strip() for run in runs) else [StyledRun(text)]


class RunWriter:
    """Writes the tokens of one text as runs."""

    def __init__(self) -> None:
        self._runs: list[StyledRun] = []
        self._tags: list[Tag] = []
        self._numbers: list[int | None] = []
        """Of the lists that are open, the number of the next item; None where it has none."""
        self._gap = ""
        """What stands between what was written and what comes next."""
        self._rows: list[list[str]] = []
        self._cell: list[StyledRun] | None = None

    def make_runs(self, tokens: Sequence[Token]) -> list[StyledRun]:
        """The runs of a whole text."""
        for token in tokens:
            self._write_token(token)
        return self._runs

    def _write_token(self, token: Token) -> None:
        if token.type in self._STYLES:
            self._switch_style(self._STYLES[token.type], token.nesting)
        elif token.type in self._WRITERS:
            self._WRITERS[token.type](self, token)

    def _switch_style(self, tag: Tag, nesting: int) -> None:
        if nesting > 0:
            self._tags.append(tag)
        elif tag in self._tags:
            self._tags.remove(tag)

    def _put(self, text: str, *tags: Tag) -> None:
        """Write some text in the elements that are open, and in these."""
        inside = tuple(dict.fromkeys((*self._tags, *tags)))
        alone = next((tag for tag in inside if tag.name in _ALONE), None)
        run = StyledRun(text, (alone,) if alone else inside)
        if self._cell is not None:
            self._cell.append(run)
            return
        if self._gap and self._runs:
            self._runs.append(StyledRun(self._gap, tuple(tag for tag in self._tags if tag == QUOTE)))
        self._gap = ""
        self._runs.append(run)

    def _end_block(self, _: Token) -> None:
        self._gap = "\n" if self._numbers else "\n\n"

    def _open_quote(self, _: Token) -> None:
        # The line before it is no part of it.
        if self._gap and self._runs:
            self._runs.append(StyledRun(self._gap))
        self._gap = ""
        self._switch_style(QUOTE, 1)

    def _close_quote(self, _: Token) -> None:
        self._switch_style(QUOTE, -1)
        self._gap = "\n\n"

    def _open_list(self, token: Token) -> None:
        start = token.attrGet("start")
        self._numbers.append(None if token.type.startswith("bullet") else int(start) if start is not None else 1)

    def _close_list(self, token: Token) -> None:
        self._numbers.pop()
        self._end_block(token)

    def _open_item(self, _: Token) -> None:
        number = self._numbers[-1]
        if number is not None:
            self._numbers[-1] = number + 1
        self._put("  " * (len(self._numbers) - 1) + ("• " if number is None else f"{number}. "))

    def _write_inline(self, token: Token) -> None:
        opened = list(self._tags)
        for child in token.children or ():
            self._write_token(child)
        self._tags = opened

    def _write_code(self, token: Token) -> None:
        words = token.info.split() if token.type == "fence" else []
        language = words[0].lower() if words and _LANGUAGE_CHARS.issuperset(words[0].lower()) else ""
        if token.content.strip():
            self._put(token.content.rstrip("\n"), Tag("pre", language))
        self._gap = "\n\n"

    def _open_link(self, token: Token) -> None:
        address = web_address(str(token.attrGet("href") or ""))
        if address:
            self._tags.append(Tag("a", address))

    def _close_link(self, _: Token) -> None:
        self._tags = [tag for tag in self._tags if tag.name != "a"]

    def _write_image(self, token: Token) -> None:
        """A picture is not loaded: its words lead to it."""
        address = web_address(str(token.attrGet("src") or ""))
        self._put(token.content or address or "picture", *([Tag("a", address)] if address else []))

    def _open_cell(self, _: Token) -> None:
        self._cell = []

    def _close_cell(self, _: Token) -> None:
        self._rows[-1].append(" ".join("".join(run.text for run in self._cell or ()).split()))
        self._cell = None

    def _close_table(self, _: Token) -> None:
        rows, self._rows = self._rows, []
        self._put(align_table(rows), Tag("pre"))
        self._gap = "\n\n"

    def _close_heading(self, _: Token) -> None:
        self._switch_style(BOLD, -1)
        self._gap = "\n\n"

    def _write_rule(self, _: Token) -> None:
        self._put(_RULE_LINE)
        self._gap = "\n\n"

    _STYLES: ClassVar[dict[str, Tag]] = {
        "strong_open": BOLD,
        "strong_close": BOLD,
        "em_open": ITALIC,
        "em_close": ITALIC,
        "s_open": STRUCK,
        "s_close": STRUCK,
        "heading_open": BOLD,
    }
    _WRITERS: ClassVar[dict[str, Callable[["RunWriter", Token], None]]] = {
        "inline": _write_inline,
        "text": lambda self, token: self._put(token.content) if token.content else None,
        "softbreak": lambda self, _: self._put("\n"),
        "hardbreak": lambda self, _: self._put("\n"),
        "code_inline": lambda self, token: self._put(token.content, INLINE_CODE),
        "paragraph_close": _end_block,
        "heading_close": _close_heading,
        "hr": _write_rule,
        "blockquote_open": _open_quote,
        "blockquote_close": _close_quote,
        "bullet_list_open": _open_list,
        "ordered_list_open": _open_list,
        "bullet_list_close": _close_list,
        "ordered_list_close": _close_list,
        "list_item_open": _open_item,
        "fence": _write_code,
        "code_block": _write_code,
        "link_open": _open_link,
        "link_close": _close_link,
        "image": _write_image,
        "tr_open": lambda self, _: self._rows.append([]),
        "th_open": _open_cell,
        "td_open": _open_cell,
        "th_close": _close_cell,
        "td_close": _close_cell,
        "table_close": _close_table,
    }


def align_table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as lines of equal columns."""
    columns = max(map(len, rows), default=0)
    full = [[*row, *[""] * (columns - len(row))] for row in rows]
    widths = [max(len(row[at]) for row in full) for at in range(columns)]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in full]
    return "\n".join(lines)
