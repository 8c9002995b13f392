"""Markdown as a terminal shows it: in named colours that any background bears, with nothing hidden."""

import re
from collections.abc import Iterable
from typing import ClassVar

from markdown_it.token import Token
from pygments.token import Comment, Generic, Keyword, Name, Number, String
from pygments.token import Token as AnyToken
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import (
    BlockQuote,
    CodeBlock,
    Heading,
    HorizontalRule,
    ListElement,
    ListItem,
    Markdown,
    MarkdownElement,
    TableElement,
)
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment
from rich.style import Style
from rich.syntax import ANSISyntaxTheme, Syntax
from rich.table import Table
from rich.text import Text

from chatbot.frontends.links import shown_source
from chatbot.frontends.markdown.markup import answer_parser
from utils.text import clean, one_line

_PARSER = answer_parser()
_CODE_THEME = ANSISyntaxTheme(
    {
        AnyToken: Style(),
        Comment: Style(dim=True),
        Keyword: Style(color="magenta"),
        Name.Builtin: Style(color="cyan"),
        Name.Function: Style(color="blue"),
        Name.Class: Style(color="blue", bold=True),
        Name.Decorator: Style(color="cyan"),
        Name.Tag: Style(color="blue"),
        String: Style(color="green"),
        Number: Style(color="cyan"),
        Generic.Deleted: Style(color="red"),
        Generic.Inserted: Style(color="green"),
        Generic.Heading: Style(bold=True),
    }
)
# All that a fence usually says of its code; anything more is shown above it.
_LANGUAGE = re.compile(r"[\w+#.-]*")
_STRUCK = re.compile(r"~~(\[\d+\])~~")
# A nested list or quote keeps at least this many columns.
_NARROWEST = 12
_TAB_COLUMNS = 4
# Characters of an address; one longer carries data rather than naming a page.
_MAX_ADDRESS_CHARS = 2000


def _narrow_options(options: ConsoleOptions, margin: int) -> ConsoleOptions:
    return options.update(width=max(_NARROWEST, options.max_width - margin))


class _LeftHeading(Heading):
    LEVEL_ALIGN = dict.fromkeys(Heading.LEVEL_ALIGN, "left")


class _PlainCodeBlock(CodeBlock):
    """Code without a background and indented by two, so that it can be copied line by line."""

    info = ""

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> "_PlainCodeBlock":
        """A block, and what its fence says beside the language."""
        block = cls(token.info.partition(" ")[0] or "text", markdown.code_theme)
        block.info = "" if _LANGUAGE.fullmatch(token.info.strip()) else clean(token.info.strip())
        return block

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.info:
            yield Padding(Text(self.info, "dim", overflow="fold"), (0, 0, 0, 2), expand=False)
        # Rich takes a run of tabs apart again and again.
        code = str(self.text).rstrip().expandtabs(_TAB_COLUMNS)
        syntax = Syntax(code, self.lexer_name, theme=_CODE_THEME, word_wrap=True, background_color="default")
        yield Padding(syntax, (0, 0, 0, 2), expand=False)


class _Quote(BlockQuote):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(self.elements, _narrow_options(options, 2), style=self.style) or [[]]:
            yield Segment("│ ", Style(dim=True))
            yield from line
            yield Segment.line()


class _Line(HorizontalRule):
    new_line = True

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Rule(style="markdown.hr")


class _Item(ListItem):
    number = delimiter = ""

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> "_Item":
        """An item with the number that was written."""
        item = cls()
        item.number, item.delimiter = token.info, token.markup
        return item

    def render_marked(self, console: Console, options: ConsoleOptions, marker: str, style: str) -> RenderResult:
        """The item behind its marker."""
        lines = console.render_lines(self.elements, _narrow_options(options, len(marker)), style=self.style) or [[]]
        for index, line in enumerate(lines):
            yield Segment(" " * len(marker) if index else marker, console.get_style(style))
            yield from line
            yield Segment.line()


class _List(ListElement):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        items = [item for item in self.items if isinstance(item, _Item)]
        if self.list_type == "bullet_list_open":
            for item in items:
                yield from item.render_marked(console, options, "• ", "markdown.item.bullet")
            return
        numbers = [item.number for item in items]
        if len(set(numbers)) == 1:
            # 1. 1. 1. is how a list is written that is to be counted.
            numbers = [numbers[0], *(str(int(numbers[0]) + index) for index in range(1, len(items)))]
        width = max(map(len, numbers), default=0)
        for number, item in zip(numbers, items, strict=True):
            marker = f"{number:>{width}}{item.delimiter} "
            yield from item.render_marked(console, options, marker, "markdown.item.number")


class _Table(TableElement):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        header = self.header.row.cells if self.header and self.header.row else []
        if 2 * len(header) > options.max_width:
            # There is no room for a letter of each column, and to find that out takes seconds.
            rows = [header, *(row.cells for row in (self.body.rows if self.body else []))]
            yield Text("\n".join(" | ".join(cell.content.plain for cell in cells) for cells in rows), overflow="fold")
            return
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="markdown.table.header")
        for cell in header:
            table.add_column(cell.content, justify=cell.justify, overflow="fold")
        for row in self.body.rows if self.body else []:
            table.add_row(*[cell.content for cell in row.cells])
        yield table


class AnswerMarkdown(Markdown):
    """A text of a model or a page."""

    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "fence": _PlainCodeBlock,
        "code_block": _PlainCodeBlock,
        "blockquote_open": _Quote,
        "hr": _Line,
        "bullet_list_open": _List,
        "ordered_list_open": _List,
        "list_item_open": _Item,
        "table_open": _Table,
    }

    def __init__(self, text: str) -> None:
        super().__init__("", hyperlinks=False)
        self.parsed = list(_clean_tokens(_PARSER.parse(text)))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The text; whoever shows it decides what stands between blocks."""
        blank = True
        for part in super().__rich_console__(console, options):
            blank = blank and isinstance(part, Segment) and part.text == "\n"
            if not blank:
                yield part


def _clean_tokens(tokens: Iterable[Token]) -> Iterable[Token]:
    """The tokens, cleaned again, as they are shown: a line of a poem or an address ends where it was ended."""
    marks = ""
    for token in tokens:
        token.content = clean(token.content)
        if token.type == "image":
            yield _text_token(f"[image: {token.content}] ({_shown_target(token, 'src')})")
            continue
        if token.type == "text" and _STRUCK.search(token.content):
            yield from _strike_citations(token.content)
            continue
        if token.type == "softbreak":
            token.type = "hardbreak"
        if "href" in token.attrs:
            token.attrs["href"] = _shown_target(token, "href")
        token.children = list(_clean_tokens(token.children)) if token.children is not None else None
        if token.type == "inline" and not token.content:
            # A heading without words.
            token.children = [_text_token(marks)]
        marks = token.markup if token.type == "heading_open" else ""
        yield token


def _shown_target(token: Token, name: str) -> str:
    """Where a link or a picture leads, as the reader can judge it: it stands behind the text, whatever that says."""
    address = shown_source(str(token.attrs.get(name, "")), _MAX_ADDRESS_CHARS)
    title = one_line(str(token.attrs.get("title", "")), _MAX_ADDRESS_CHARS)
    return f'{address} "{title}"' if title else address


def _strike_citations(text: str) -> Iterable[Token]:
    """A citation struck right behind a word, where Markdown's own rule sees no strike."""
    for index, part in enumerate(_STRUCK.split(text)):
        yield from (
            [Token("s_open", "s", 1), _text_token(part), Token("s_close", "s", -1)]
            if index % 2
            else [_text_token(part)]
        )


def _text_token(content: str) -> Token:
    return Token("text", "", 0, content=clean(content))
