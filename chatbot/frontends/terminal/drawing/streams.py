"""A text that arrives in pieces: finished blocks are printed once, the last one is a live preview."""

from collections.abc import Callable, Iterator
from typing import Literal

from rich.console import RenderableType
from rich.text import Text

from chatbot.frontends.terminal.drawing.blocks import BlockStream, cut_lines

Kind = Literal["answer", "plain", "thinking"]


# Characters of a block past which drawing it ten times a second would be felt, and what is shown of it then.
LARGE, TAIL = 8000, 4000
# Lines of a block, and characters of a line, past which Markdown is shown as it was written: it would take seconds.
MAX_MARKDOWN_LINES, MAX_MARKDOWN_COLUMNS = 2000, 4000
_TAB_STOP = 8


class Stream:
    """What is being streamed, of one kind."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self._blocks = BlockStream(_cut_markdown if kind == "answer" else cut_lines)
        self._render: Callable[[str], Iterator[RenderableType]] = (
            _render_markdown if kind == "answer" else self._plain_lines
        )

    def feed(self, text: str) -> list[RenderableType]:
        """The blocks that are finished by this piece."""
        return list(self._render(self._blocks.feed(text)))

    def preview_lines(self) -> list[RenderableType]:
        """What is not finished, as it looks now; of a very long block the end as plain text, which is quick."""
        pending = self._blocks.pending
        if len(pending) > LARGE:
            return [_plain_text(pending[-TAIL:].partition("\n")[2] or pending[-TAIL:])]
        return list(self._render(pending))

    def finish(self) -> list[RenderableType]:
        """The blocks that were left."""
        return list(self._render(self._blocks.finish()))

    def _plain_lines(self, text: str) -> Iterator[RenderableType]:
        if text.strip():
            yield _plain_text(text, "dim" if self.kind == "thinking" else "")


# Its parser, its renderer and Pygments would double the time until the prompt is there.
def _cut_markdown(text: str) -> int:
    from chatbot.frontends.terminal.drawing.markdown.structure import cut_markdown

    return cut_markdown(text)


def _render_markdown(text: str) -> Iterator[RenderableType]:
    from chatbot.frontends.terminal.drawing.markdown.renderer import AnswerMarkdown
    from chatbot.frontends.terminal.drawing.markdown.structure import split_markdown

    for block in split_markdown(text) if text.strip() else ():
        lines = block.split("\n")
        if len(lines) > MAX_MARKDOWN_LINES or max(map(len, lines)) > MAX_MARKDOWN_COLUMNS:
            yield _plain_text(block)
        else:
            yield AnswerMarkdown(block)


def _plain_text(text: str, style: str = "") -> Text:
    # Rich takes a run of tabs apart again and again.
    return Text(text.rstrip("\n").expandtabs(_TAB_STOP), style, overflow="fold")
