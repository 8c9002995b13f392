"""Shows many pasted lines as one; what is sent, kept and edited is always the whole text."""

from collections.abc import Callable
from itertools import pairwise

from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.layout import Window
from prompt_toolkit.layout.controls import BufferControl, UIContent
from prompt_toolkit.lexers import Lexer

OPENS = " (Ctrl-O opens)"
Span = tuple[int, int]


class Folded:
    """A text in which each of some parts is one line."""

    def __init__(self, document: Document, spans: list[Span], hint: str) -> None:
        self.labels: list[Span] = []
        """Where in the shown text a fold stands."""
        edges = [(0, 0), *spans, (len(document.text), len(document.text))]
        shown, cursor = "", document.cursor_position
        for (_, begin), (end, after) in pairwise(edges):
            if begin <= document.cursor_position <= end:
                cursor = len(shown) + document.cursor_position - begin
            shown += document.text[begin:end]
            if after > end:
                label = fold_label(document.text[end:after]) + hint
                self.labels.append((len(shown), len(shown) + len(label)))
                shown += label
        self.document = Document(shown, cursor)
        """What is shown, the cursor where it is then."""


class _Labels(Lexer):
    """Sets off what stands for folded lines."""

    def __init__(self) -> None:
        self.spans: list[Span] = []

    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        def line(number: int) -> StyleAndTextTuples:
            start = document.translate_row_col_to_index(number, 0)
            text = document.lines[number]
            inside = [False] * len(text)
            for begin, end in self.spans:
                for place in range(max(0, begin - start), min(len(text), end - start)):
                    inside[place] = True
            return [
                ("class:pasted" if within else "", character) for character, within in zip(text, inside, strict=True)
            ]

        return line

    def invalidation_hash(self) -> tuple[Span, ...]:
        """What decides, beside the text, of how it looks."""
        return tuple(self.spans)


class FoldingControl(BufferControl):
    """The place where is typed; in the place of what `find` names, one line is shown."""

    def __init__(self, typed: BufferControl, find: Callable[[str], list[Span]]) -> None:
        super().__init__(
            buffer=typed.buffer,
            search_buffer_control=typed.search_buffer_control,
            input_processors=typed.input_processors,
            include_default_input_processors=False,
            lexer=typed.lexer,
            preview_search=True,
        )
        self.opened = False
        """Whether everything is shown as it is."""
        self._find = find
        self._labels = _Labels()
        self._shown = BufferControl(
            buffer=Buffer(),
            input_processors=typed.input_processors,
            include_default_input_processors=False,
            lexer=self._labels,
        )

    def folded(self) -> Folded | None:
        """What is shown in the place of the text; None: the text itself, also while the cursor is within a fold."""
        buffer = self.buffer
        if self.opened or buffer.selection_state or get_app().layout.is_searching:
            return None
        cursor = buffer.cursor_position
        spans = [(begin, end) for begin, end in self._find(buffer.text) if not begin < cursor < end]
        return Folded(buffer.document, spans, "" if get_app().is_done else OPENS) if spans else None

    def create_content(self, width: int, height: int, preview_search: bool = False) -> UIContent:
        """What is drawn."""
        folded = None if preview_search else self.folded()
        if folded is None:
            return super().create_content(width, height, preview_search)
        self.buffer.load_history_if_not_yet_loaded()
        self._labels.spans = folded.labels
        self._shown.buffer.document = folded.document
        content = self._shown.create_content(width, height)
        if self.buffer.complete_state:
            content.menu_position = content.cursor_position
        return content


def fold_label(text: str) -> str:
    """What is shown of folded lines."""
    return f"[pasted: {text.strip(chr(10)).count(chr(10)) + 1:,} lines]"


def folding_control(window: Window, find: Callable[[str], list[Span]]) -> FoldingControl:
    """Have a window in which is typed show folds."""
    assert isinstance(window.content, BufferControl)
    window.content = FoldingControl(window.content, find)
    return window.content
