"""What the events of a turn or a command look like in Telegram."""

import re
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from chatbot.conversation.events import (
    AnswerDelta,
    Answered,
    AnswerWithdrawn,
    Asked,
    BrowseHistory,
    Chart,
    Event,
    Listing,
    MarkdownText,
    Notice,
    Progress,
    Quoted,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from chatbot.conversation.sources import group_by_page
from chatbot.conversation.wrong_numbers import wrong_numbers
from chatbot.frontends.links import web_address
from chatbot.frontends.telegram.messages.markup import BOLD, ITALIC, QUOTE, render_markdown
from chatbot.frontends.telegram.messages.runs import StyledRun, Tag
from rag.documents import Passage
from rag.zim.address import tell_archive
from utils.text import clean, one_line

MAX_STATUS_CHARS = 160
MAX_NAME_CHARS = 200
_LEVEL_MARKS = {"info": "", "warning": "⚠️ ", "error": "❗ "}
_PATH = re.compile(r"(?:~?/|[A-Za-z]:[\\/])[^\n]*[\\/][^\n]*")
"""A path of at least two parts: `/help` is a command."""
Block = Sequence[StyledRun]


class TurnView:
    """What is to be seen of one turn or command so far; `changed` is called whenever that is another."""

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._above: list[Block] = []
        """What was told and listed, in its order."""
        self._answer = ""
        self._quoted = ""
        self._status = ""
        self._below: list[Block] = []

    def show_event(self, event: Event) -> None:
        """Take an event in."""
        match event:
            case AnswerDelta(text):
                self._answer, self._status = self._answer + text, ""
            case AnswerWithdrawn():
                self._answer = ""
            case Answered():
                self._take_answer(event)
            case Quoted(source, text):
                self._quoted = f"{one_line(text, 1000)} [{source.number}]"
            case _ if (status := status_line(event)) is not None:
                self._status = status
            case _ if block := told_block(event):
                self._above.append(block)
            case _:
                return
        self._changed()

    def add_below(self, said: str) -> None:
        """Put a sentence below what there is; what goes on is over."""
        self._status = ""
        self._below.append([StyledRun(one_line(said, 1000), (ITALIC,))])

    def compose(self) -> list[StyledRun]:
        """All of it, as it is now."""
        answer = render_markdown(self._answer) if self._answer.strip() else []
        if self._quoted and not answer:
            answer = [StyledRun(self._quoted, (QUOTE,))]
        status = [StyledRun(f"⏳ {self._status}", (ITALIC,))] if self._status else []
        return join_blocks([*self._above, answer, *self._below, status])

    def _take_answer(self, event: Answered) -> None:
        self._answer, self._quoted, self._status = event.text, "", ""
        if event.summary:
            self._below.append([StyledRun(one_line(event.summary, 1000), (ITALIC,))])
        self._below.append(source_block(event))
        for said in [*wrong_numbers(event), event.unformed, *event.denied]:
            if said:
                self._below.append([StyledRun(one_line(said, 2000), (ITALIC,))])


def join_blocks(blocks: Sequence[Block]) -> list[StyledRun]:
    """Blocks with an empty line between them."""
    joined: list[StyledRun] = []
    for block in blocks:
        joined += [StyledRun("\n\n"), *block] if joined and block else block
    return joined


def status_line(event: Event) -> str | None:
    """What goes on, in a line: empty where nothing does any more; None for events that do not say."""
    match event:
        case ThinkingDelta():
            return "thinking"
        case ToolStarted(call):
            arguments = " ".join(str(value) for value in call.arguments.values())
            return one_line(f"{call.label} {arguments}", MAX_STATUS_CHARS)
        case ToolProgress(call, text):
            return one_line(f"{call.label}: {text}", MAX_STATUS_CHARS)
        case ToolFinished():
            return ""
        case Progress(label, done, total):
            share = f" {done / total:.0%}" if done and total else ""
            return "" if done == total and total else one_line(f"{label}{share}", MAX_STATUS_CHARS)
    return None


def told_block(event: Event) -> Block:
    """What an event tells for good; empty for those that tell nothing."""
    match event:
        case Notice(text, level):
            return [StyledRun(f"{_LEVEL_MARKS[level]}{one_line(text, 2000)}")]
        case Asked(text):
            return [StyledRun(clean(text), (QUOTE,))]
        case Listing():
            return listing_block(event)
        case BrowseHistory(listing):
            return listing_block(listing)
        case MarkdownText(markdown):
            return render_markdown(markdown)
        case Chart(title, slices, _, note):
            rows = tuple((one.name, f"{one.tokens:,}") for one in slices if one.tokens)
            return [*listing_block(Listing(title, ("", ""), rows)), *([StyledRun(f"\n{note}")] if note else [])]
    return []


def listing_block(listing: Listing) -> Block:
    """A table: a line for each row, for a telephone has no room for columns."""
    block = [StyledRun(one_line(listing.title), (BOLD,))]
    for row in listing.rows:
        cells = [" ".join(clean(shown_cell(cell)).split()) for cell in row]
        block.append(StyledRun("\n• " + " — ".join(cell for cell in cells if cell)))
    return block


def source_block(event: Answered) -> Block:
    """The cited sources, a page a line: numbers, and the title as a link."""
    block = [StyledRun("Sources", (BOLD,))] if event.cited else []
    for page in group_by_page(event.cited):
        numbers = "".join(f"[{source.number}]" for source in page)
        block += [StyledRun(f"\n{numbers} "), source_link(page[0].passage)]
    return block


def source_link(passage: Passage) -> StyledRun:
    """A page's title as a link. Of a file its name: where it lies on the owner's disk is theirs to know."""
    if address := web_address(passage.source):
        title = one_line(passage.title, MAX_NAME_CHARS) or urlsplit(address).netloc
        return StyledRun(title, (Tag("a", address),))
    name = one_line(passage.title or name_of(passage.source), MAX_NAME_CHARS)
    told = tell_archive(passage.source, passage.fetched)
    return StyledRun(f"{name}, {told}" if told else name)


def shown_cell(cell: str) -> str:
    """A cell of a table; of a line that is a path, as of a source, its name, once."""
    lines = [name_of(line) if _PATH.fullmatch(line) else line for line in cell.split("\n")]
    return "\n".join(dict.fromkeys(lines))


def name_of(path: str) -> str:
    """The last part of a path."""
    return path.replace("\\", "/").rstrip("/").rpartition("/")[2]
