"""Single lines of a chat: what it begins with, news, questions, what a passage says."""

import re
from collections.abc import Sequence

from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from chatbot.conversation.events import Quoted
from utils.text import clean, one_line

QUOTED = 300
"""Characters of a passage's sentence that are shown while the answer is being written."""
_WEB_ADDRESS = re.compile(r"https?://\S+")


def notice_line(text: str, style: str, *, links: bool) -> Text:
    """A piece of news; its web addresses can be clicked where they are cut by the end of a line."""
    line = Text(clean(text), style, overflow="fold")
    for found in _WEB_ADDRESS.finditer(line.plain) if links else ():
        line.stylize(Style(link=found[0]), *found.span())
    return line


def greeting_table(rows: Sequence[tuple[str, str]]) -> RenderableType:
    """What a chat begins with: each behind its word, or one dim line that has none."""
    if not any(word for word, _ in rows):
        return Text("\n".join(clean(told) for _, told in rows), "dim", overflow="fold")
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for word, told in rows:
        table.add_row(Text(word), Text(clean(told)))
    return table


def quote_line(quote: Quoted) -> Text:
    """What the best passage says, while the answer is still being written."""
    line = Text(f"“{one_line(quote.text, QUOTED)}” [{quote.source.number}] ", "dim italic", overflow="fold")
    return line.append(one_line(quote.source.passage.title or quote.source.passage.source, 60), "dim")


def question_line(text: str) -> RenderableType:
    """A question as it stood in the prompt."""
    return Text("› ", "bold cyan", overflow="fold").append(clean(text).replace("\n", "\n  "), "not bold default")
