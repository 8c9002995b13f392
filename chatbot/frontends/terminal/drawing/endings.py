"""What stands below an answer: what is wrong with it, its form, its summary, its sources and what it cost."""

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from chatbot.conversation.events import Answered, ContextUsed
from chatbot.conversation.wrong_numbers import wrong_numbers
from chatbot.frontends.terminal.drawing.footer import footer_lines
from chatbot.frontends.terminal.drawing.sources import sources_block
from chatbot.turn.answer_form import fields_beside
from utils.text import clean, json_text

CUT_SHORT = "The answer was cut at max_tokens. Ask to go on, or raise the setting."


def ending_blocks(
    event: Answered, context: ContextUsed | None, width: int, *, links: bool
) -> Iterator[tuple[str, list[RenderableType]]]:
    """The blocks from top to bottom, each with its kind; `links`: whether the terminal shows them."""
    for told in ([CUT_SHORT] if event.truncated else []) + wrong_numbers(event) + [event.unformed]:
        if told:
            yield "notice", [Text(clean(told), "yellow", overflow="fold")]
    if form := fields_beside(event):
        yield "form", [Text(json_text(form), overflow="fold")]
    if event.summary:
        yield "summary", [Text(clean(event.summary), "dim", overflow="fold")]
    if found := sources_block(event, links=links):
        yield "sources", found
    yield "footer", [*footer_lines(event, context, width)]
