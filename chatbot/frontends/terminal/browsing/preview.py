"""A kept conversation to be read through: drawn as it looked, and only those turns that are looked at."""

import re
from collections.abc import Sequence
from io import StringIO

from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from rich.console import Console

from chatbot.config import Config
from chatbot.conversation.messages import Message
from chatbot.conversation.sources import by_number
from chatbot.frontends.terminal.browsing.session_list import FOUND_STYLE, find_spans, fit_text
from chatbot.frontends.terminal.drawing.screen import Screen
from chatbot.frontends.terminal.drawing.status import Status
from chatbot.frontends.terminal.drawing.theme import THEME
from chatbot.frontends.terminal.view import View
from chatbot.history.entries import Entry
from chatbot.history.replay import replay_entries
from chatbot.history.search.terms import fold_text
from chatbot.history.store import Loaded
from chatbot.history.turns import split_entries
from chatbot.library.progress import counted
from utils.local_time import local_time
from utils.text import one_line

HEADER = 3
"""Lines above what was said."""
_MAX_DRAWN_TURNS = 50
# Lines that stay in sight above the words that were found.
_ABOVE = 3
# Links are for a mouse; here they would be taken for text.
_LINK_SEQUENCE = re.compile("\x1b\\]8;[^\x1b]*\x1b\\\\")

Place = tuple[int, int]
"""A turn, and a line of it."""


class ConversationPreview:
    """A conversation, and what is seen of it."""

    def __init__(self, loaded: Loaded, settings: Config, words: "re.Pattern[str] | None" = None) -> None:
        self.info = loaded.info
        self._settings = settings
        self._words = words
        self._sources = by_number(loaded.messages)
        self._turns = split_entries(loaded.entries)
        self._top: Place = (_best_turn(self._turns, words), 0)
        self._sought = words is not None
        self._width = 0
        self._drawn: dict[int, list[StyleAndTextTuples]] = {}

    def visible_lines(self, width: int, height: int) -> list[StyleAndTextTuples]:
        """What is seen of it in so many lines of so many cells: its title, where one is in it, what was said."""
        self._fit_width(width, height)
        seen = self._lines_from(self._top, max(0, height - HEADER))
        asked = counted(len(self._turns), "question")
        at = f"{self._top[0] + 1:,} of {asked}" if len(self._turns) > 1 else asked
        then = local_time(self.info.created)
        began = f"{then:%Y-%m-%d %H:%M}" if then else ""
        about = " · ".join(part for part in (at, began, one_line(self.info.model, 40)) if part)
        title = one_line(self.info.title) or "(no title)"
        head: list[StyleAndTextTuples] = [
            [("bold", fit_text(title, width))],
            [("class:quiet", fit_text(about, width))],
            [],
        ]
        return [*head, *seen][:height]

    def scroll(self, pages: int, width: int, height: int) -> None:
        """Move through what was said, a line less than what is seen at a time, so that one line stays to go by."""
        self._fit_width(width, height)
        step = max(1, height - HEADER - 1)
        if pages > 0:
            self._top = min(self._move_forward(self._top, step), self._last_top(height))
        else:
            self._top = self._move_back(self._top, step)

    def _fit_width(self, width: int, height: int) -> None:
        """Draw anew for another width; show the words that were looked for, once."""
        if width != self._width:
            self._width = width
            self._drawn.clear()
        turn, line = self._top
        self._top = (turn, min(line, len(self._drawn_turn(turn)) - 1))
        if self._sought:
            self._sought = False
            plain = ("".join(part[1] for part in each) for each in self._drawn_turn(turn))
            found = next((place for place, text in enumerate(plain) if find_spans(text, self._words)), 0)
            self._top = (turn, max(0, found - _ABOVE))
            self._top = min(self._top, self._last_top(height))

    def _last_top(self, height: int) -> Place:
        last = len(self._turns) - 1
        return self._move_back((last, len(self._drawn_turn(last))), max(1, height - HEADER))

    def _lines_from(self, place: Place, count: int) -> list[StyleAndTextTuples]:
        turn, line = place
        lines = self._drawn_turn(turn)[line:]
        while len(lines) < count and turn + 1 < len(self._turns):
            turn += 1
            lines = [*lines, *self._drawn_turn(turn)]
        return [self._mark_words(each) for each in lines[:count]]

    def _move_forward(self, place: Place, count: int) -> Place:
        turn, line = place[0], place[1] + count
        while line >= len(self._drawn_turn(turn)) and turn + 1 < len(self._turns):
            line -= len(self._drawn_turn(turn))
            turn += 1
        return turn, line

    def _move_back(self, place: Place, count: int) -> Place:
        turn, line = place[0], place[1] - count
        while line < 0 and turn > 0:
            turn -= 1
            line += len(self._drawn_turn(turn))
        return turn, max(0, line)

    def _drawn_turn(self, number: int) -> list[StyleAndTextTuples]:
        if number not in self._drawn:
            if len(self._drawn) >= _MAX_DRAWN_TURNS:
                self._drawn.clear()
            self._drawn[number] = self._draw_turn(self._turns[number])
        return self._drawn[number]

    def _draw_turn(self, entries: Sequence[Entry]) -> list[StyleAndTextTuples]:
        """The turn as the chat shows it, with an empty line after it."""
        written = StringIO()
        console = Console(file=written, width=self._width, theme=THEME, highlight=False, color_system="standard")
        view = View(Screen(console), Status(lambda: self._settings), lambda: self._settings)
        for event in replay_entries(entries, self._sources):
            view.show_event(event)
        view.before_prompt()
        return [to_formatted_text(ANSI(_LINK_SEQUENCE.sub("", line))) for line in written.getvalue().split("\n")[:-1]]

    def _mark_words(self, line: StyleAndTextTuples) -> StyleAndTextTuples:
        """The line, one character a part, with the words that were looked for set off."""
        found = {
            place
            for start, stop in find_spans("".join(p[1] for p in line), self._words)
            for place in range(start, stop)
        }
        return [(f"{part[0]} {FOUND_STYLE}" if place in found else part[0], part[1]) for place, part in enumerate(line)]


def _best_turn(turns: Sequence[Sequence[Entry]], words: "re.Pattern[str] | None") -> int:
    """The first turn in which most of the words are said."""
    if words is None:
        return 0
    texts = (
        "\n".join(fold_text(entry.value.content) for entry in turn if isinstance(entry.value, Message))
        for turn in turns
    )
    counts = [len({match[1] for match in words.finditer(text)}) for text in texts]
    return counts.index(max(counts))
