"""The list of kept conversations as lines of a screen: when, title, number of messages, words that were found; pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.utils import get_cwidth

from chatbot.history.search.sessions import SessionInfo
from chatbot.history.search.terms import fold_text, wanted_terms
from utils.languages.scripts import UNSEGMENTED
from utils.local_time import local_time
from utils.text import one_line

SELECTED = "▸ "
"""Stands before the selected conversation, so that it is known without colour."""
_WHEN = 12
_COUNT = len(" messages")
_WEEK = 7
_MAX_TITLE_CHARS = 200
FOUND_STYLE = "bold underline"
"""The style of words that were looked for."""


@dataclass(frozen=True)
class Look:
    """How the list is drawn: cells of a line, lines, the words that were looked for, the time, this conversation."""

    width: int
    height: int
    words: "re.Pattern[str] | None" = None
    now: datetime | None = None
    current: str = ""

    @property
    def rows_that_fit(self) -> int:
        """Conversations that are seen at once; with a line for each one's words, if words were looked for."""
        return max(1, (self.height - 1) // (2 if self.words else 1))


def list_lines(rows: Sequence[SessionInfo], selected: int, top: int, look: Look) -> list[StyleAndTextTuples]:
    """The headings, and the conversations from the one at `top` on."""
    # The last cell is left empty, for what stands beside the list.
    title = max(1, look.width - len(SELECTED) - _WHEN - _COUNT - 1)
    headings = " " * len(SELECTED) + fit_text("last", _WHEN) + fit_text("title", title) + " messages"
    lines: list[StyleAndTextTuples] = [[("class:quiet", fit_text(headings, look.width))]]
    for place, row in enumerate(rows[top : top + look.rows_that_fit], top):
        lines += _session_lines(row, place == selected, title, look)
    return lines


def _session_lines(row: SessionInfo, chosen: bool, width: int, look: Look) -> list[StyleAndTextTuples]:
    style = "class:selected" if chosen else ""
    when = "now" if row.id == look.current else day_of(row.updated, look.now or datetime.now())
    line: StyleAndTextTuples = [(style, (SELECTED if chosen else " " * len(SELECTED)) + fit_text(when, _WHEN))]
    line += mark_words(fit_text(one_line(row.title, _MAX_TITLE_CHARS) or "(no title)", width), look.words, style)
    line.append((style, f"{row.messages:>{_COUNT},}"))
    if not look.words:
        return [line]
    indent = len(SELECTED) + _WHEN
    snippet = fit_text(one_line(row.snippet), max(1, look.width - indent - 1))
    return [line, [("", " " * indent), *mark_words(snippet, look.words, "class:quiet")]]


def day_of(moment: str, now: datetime) -> str:
    """An ISO 8601 time as one says it, by the clock of this machine; of today with the hour."""
    then = local_time(moment)
    if then is None:
        return one_line(moment, len("2026-01-31"))
    days = (now.astimezone().date() - then.date()).days
    if days == 0:
        return f"today {then:%H:%M}"
    if days == 1:
        return "yesterday"
    return f"{then:%A}" if 1 < days < _WEEK else f"{then:%Y-%m-%d}"


def fit_text(text: str, width: int) -> str:
    """The text in exactly so many cells: cut with an ellipsis, or filled with blanks."""
    cells = get_cwidth(text)
    if cells > width:
        kept, cells = [], 1
        for character in text:
            cells += get_cwidth(character)
            if cells > width:
                cells -= get_cwidth(character)
                break
            kept.append(character)
        text = "".join(kept) + "…"
    return text + " " * (width - cells)


def pattern_of(words: str) -> "re.Pattern[str] | None":
    """What finds the words that are looked for in a folded text, as the search does; None for no words."""
    asked = wanted_terms(words)
    # Longer ones first, so that of two that begin alike the whole is marked.
    terms = sorted(asked, key=lambda term: -len(term[0]))
    found = "|".join(_term_pattern(*term) for term in terms)
    # Looked ahead for, as pairs of characters overlap.
    return re.compile(f"(?=({found}))") if found else None


def _term_pattern(term: str, open_end: bool) -> str:
    if re.match(f"[{UNSEGMENTED}]", term):
        return re.escape(term)
    return rf"(?<![^\W_]){re.escape(term)}" + ("" if open_end else r"(?![^\W_])")


def mark_words(text: str, words: "re.Pattern[str] | None", style: str) -> StyleAndTextTuples:
    """The text with what was found in it set off."""
    parts: StyleAndTextTuples = []
    end = 0
    for start, stop in find_spans(text, words):
        parts += [(style, text[end:start]), (f"{style} {FOUND_STYLE}", text[start:stop])]
        end = stop
    return [part for part in [*parts, (style, text[end:])] if part[1]]


def find_spans(text: str, words: "re.Pattern[str] | None") -> list[tuple[int, int]]:
    """Where the words stand in a text, whatever case and accents it has; what overlaps is one."""
    if words is None:
        return []
    # Folding may change the length, so it is done character by character to know where each one went.
    pieces = [text.lower()] if text.isascii() else [fold_text(character) for character in text]
    places = range(len(text)) if text.isascii() else [place for place, piece in enumerate(pieces) for _ in piece]
    found: list[tuple[int, int]] = []
    for match in words.finditer("".join(pieces)):
        start, stop = places[match.start(1)], places[match.end(1) - 1] + 1
        if found and start < found[-1][1]:
            start, stop = found[-1][0], max(stop, found.pop()[1])
        found.append((start, stop))
    return found
