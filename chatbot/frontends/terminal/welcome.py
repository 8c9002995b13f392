"""What a chat begins with: which model answers, what the library holds, what can be typed; it draws nothing itself."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from utils.errors import MagpieError
from utils.text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from chatbot.conversation.events import Notice
    from chatbot.engine.chat import Chat
    from chatbot.models.provider import UnaskedChoice
    from rag.library import Library

Row = tuple[str, str]
"""A word for what is told, empty where there is one line alone, and what is told."""
ABOUT = "cites what it looks up"
KEYS_LINE = "a question · @file to attach · /help · Ctrl-C stops"
EMPTY = "empty"
_ORIGINS = {"file": "file", "web": "web page", "snippet": "search result"}
# The longest name of a model that leaves room for the library beside it.
_MAX_NAME_WIDTH = 30
# The longest reason for a choice, with such a name in it.
_REASON = 44


class Welcome:
    """The first lines of a chat: three or four where nobody has typed anything here before, else one.

    Why a model answers that the user did not ask for is part of them; told later, it is news as any other.
    """

    def __init__(self, show: "Callable[[Notice], None]", *, first: bool) -> None:
        self._show = show
        self._first = first
        self._unasked: UnaskedChoice | None = None
        self._told = False

    async def rows(self, chat: "Chat", idle: asyncio.Event) -> list[Row]:
        """What to tell of a chat; without `idle`, beside a question, only what model answers unasked.

        It waits until a model is chosen, and not until its weights are loaded.
        """
        model = await self._model(chat)
        good = await _good_for(chat) if model and self._first else ""
        cut_off = await _cut_off(chat) if idle.is_set() else []
        held = await _held(chat.library, each=self._first)
        self._told = True
        if not idle.is_set() or not self._first:
            told = model and (self._unasked or idle.is_set())
            return [*([("", f"{model} · library: {held}")] if told else []), *cut_off]
        fills = ", /rag-index fills it" if held == EMPTY else ""
        where = f" · {_short(str(chat.configuration.values.library_folder))}" if chat.library else ""
        larger = await chat.models.tell_larger()
        return [
            ("Magpie", f"{ABOUT} · {model or 'no model answers yet'}{good}"),
            *([("Models", larger)] if larger else []),
            ("Library", f"{held}{fills}{where}"),
            ("Type", KEYS_LINE),
            *cut_off,
        ]

    def note_choice(self, choice: "UnaskedChoice") -> None:
        """Keep a choice of model for the first lines; after them it is shown by itself."""
        from chatbot.conversation.events import Notice

        if self._told:
            self._show(Notice(choice.sentence))
        self._unasked = choice

    async def _model(self, chat: "Chat") -> str:
        """The name of the model that answers, and why it does if nobody asked for it; empty if none can be had."""
        from chatbot.models.lazy import LazyModel

        try:
            if isinstance(chat.agent.model, LazyModel):
                await chat.agent.model.wrapped()
        except MagpieError:
            # The warm-up says what is wrong, and so does the first question.
            return ""
        reason = f" ({one_line(self._unasked.reason, _REASON)})" if self._unasked else ""
        return f"{one_line(chat.models.shown, _MAX_NAME_WIDTH)}{reason}"


async def _good_for(chat: "Chat") -> str:
    """What the model is good for, after a comma; empty where that is not known."""
    try:
        ability = await chat.models.tell_ability(chat.agent.model)
    except MagpieError:
        return ""
    return f", {ability}" if ability else ""


async def _held(library: "Library | None", *, each: bool) -> str:
    """What the library holds, in a few words; with `each`, of where it came from."""
    from chatbot.library.progress import counted

    if library is None:
        return "switched off"
    try:
        stats = await library.stats()
    except MagpieError:
        return "cannot be read, /rag-doctor checks it"
    held = [counted(documents, _ORIGINS[origin]) for origin, (documents, _) in stats.origins.items() if documents]
    if not held:
        return EMPTY
    return ", ".join(held) if each else counted(stats.documents, "document")


async def _cut_off(chat: "Chat") -> list[Row]:
    """What to tell of research that the end of an earlier Magpie cut off."""
    try:
        states = await chat.research.unfinished()
    except MagpieError:
        # /research says what is wrong.
        return []
    if not states:
        return []
    return [("Research", f"“{one_line(states[-1].question, _REASON)}” was cut off: /research resume goes on with it")]


def _short(folder: str) -> str:
    """A folder as its user writes it."""
    home = str(Path.home())
    return f"~{folder.removeprefix(home)}" if folder.startswith(f"{home}/") else folder
