"""The sources after an answer: a line a page, what was cited first."""

from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import urlsplit

from rich.console import RenderableType
from rich.style import Style
from rich.table import Table
from rich.text import Text

from chatbot.conversation.events import Answered
from chatbot.conversation.messages import Source
from chatbot.conversation.sources import group_by_page
from chatbot.frontends.links import web_address
from rag.zim.address import is_article, tell_archive
from utils.text import one_line


def sources_block(event: Answered, *, links: bool) -> list[RenderableType]:
    """What an answer cites, and what else was read for it; nothing where nothing was."""
    found: list[RenderableType] = []
    if event.cited:
        found += [Text("Sources", "bold"), sources_table(event.cited, links=links)]
    for label, of_server in (("Also read", False), ("Also found by the server, not opened", True)):
        if unused := [source for source in event.unused if bool(source.passage.found_by) == of_server]:
            found.append(unused_line(unused, label))
    return found


def sources_table(cited: Sequence[Source], *, links: bool) -> Table:
    """Numbers, title and host, or archive, of each cited page; without links the whole address."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for sources in group_by_page(cited):
        numbers = ", ".join(str(source.number) for source in sources)
        table.add_row(Text(f"[{numbers}]", "cyan"), _page_line(sources[0], links=links))
    return table


def unused_line(unused: Sequence[Source], label: str) -> Text:
    """What was read, or found, and not cited, on one dim line."""
    names = [_page_name(group[0]) for group in group_by_page(unused)]
    return Text(
        f"{label}: " + ", ".join(one_line(name, 40) for name in names), "dim", overflow="ellipsis", no_wrap=True
    )


def _page_line(source: Source, *, links: bool) -> Text:
    address = web_address(source.passage.source)
    line = Text().append(_page_name(source), Style(link=address) if address and links else None)
    if address:
        where = (urlsplit(address).hostname or "") if links else address
        line.append("  ").append(where, "dim")
    elif told := tell_archive(source.passage.source, source.passage.fetched):
        line.append("  ").append(told, "dim")
    if source.passage.found_by:
        line.append(f"  found by {one_line(source.passage.found_by, 100)}, not opened here", "dim")
    return line


def _page_name(source: Source) -> str:
    """A page's title; a file's name, which says more than its first line."""
    where = source.passage.source
    if web_address(where) or is_article(where):
        return one_line(source.passage.title or where)
    return one_line(PurePath(where).name or source.passage.title or where)
