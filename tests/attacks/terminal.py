"""Hostile texts on their way to a terminal: cleaned in pieces, and in every place of every event.

wrong = {name: text for name, payload in escapes().items() if (text := cut_everywhere(payload))}
wrong = {name: found for name, payload in escapes().items() if (found := foreign(drawn(payload)))}
"""

import io
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, get_args

from rich.console import Console

from chatbot.config import Config
from chatbot.conversation.events import AnswerDelta, Answered, CopyText, Event
from chatbot.frontends.terminal.consent import request_block
from chatbot.frontends.terminal.drawing.screen import Screen
from chatbot.frontends.terminal.drawing.status import Status
from chatbot.frontends.terminal.drawing.theme import THEME
from chatbot.frontends.terminal.view import View
from chatbot.trust.consent import Request
from tests.fakes.hostile import hostile
from utils.errors import MagpieError
from utils.text import StreamCleaner, clean

# Unicode's Prepended_Concatenation_Mark: the only format characters that are seen.
SEEN = {*"\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"}


def is_harmless(text: str) -> bool:
    """Whether only characters are in it that are seen, shape the one before them, or break a line."""
    return all(
        unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} or c in {"\n", "\t", "\u200c", "\u200d", *SEEN}
        for c in text
    )


def streamed(*pieces: str) -> str:
    """What a stream of these shows."""
    cleaner = StreamCleaner()
    return "".join([*map(cleaner.feed, pieces), cleaner.finish()])


def cut_everywhere(payload: str, cuts: Sequence[int] | None = None) -> str:
    """What is wrong with how it is cleaned, whole and cut in two at these places, or at all; empty for nothing."""
    whole = clean(payload)
    if not is_harmless(whole) or clean(whole) != whole:
        return f"is not clean: {whole[:80]!r}"
    for cut in range(len(payload) + 1) if cuts is None else cuts:
        if streamed(payload[:cut], payload[cut:]) != whole:
            return f"is cleaned in another way when it is cut at {cut}"
    return ""


def kinds(union: Any) -> Iterator[type]:
    """The classes of a union of unions."""
    for kind in get_args(union):
        yield from kinds(kind) if get_args(kind) else [kind]


def drawn(payload: str, *, markdown: bool = True) -> str:
    """All that a chat without moves of the cursor prints of every event, in colour and with links."""
    file = io.StringIO()
    console = Console(file=file, width=60, theme=THEME, color_system="standard", force_terminal=False, _environ={})
    config = Config(verbose=True, show_thinking=True, markdown=markdown)
    view = View(Screen(console), Status(lambda: config, lambda: payload), lambda: config)
    view.show_event(hostile(Answered, f"https://a.example/{payload}"))
    view.show_event(hostile(Answered, f"https://{payload}.example/"))
    for kind in kinds(Event):
        if kind not in (CopyText, AnswerDelta):
            view.show_event(hostile(kind, payload))
    for cut in {0, 1, len(payload) // 2, len(payload) - 1}:
        view.show_event(AnswerDelta(f"A: {payload[:cut]}"))
        view._screen.print(*view._live_lines())
        view.show_event(AnswerDelta(f"{payload[cut:]} `{payload}`\n\n```\n{payload}\n```\n"))
        view.before_prompt()
    view.show_question(request_block(hostile(Request, payload)))
    view.show_question(request_block(hostile(Request, f"https://{payload}.example/{payload}")))
    view.show_failure(MagpieError(payload, payload))
    return file.getvalue()
