"""The real chat on a pseudo-terminal in which all that comes from outside is hostile, driven through all it can show.

found = walk(folder, [*escapes().values()])      # what reached the terminal and has no place there
"""

import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pyte

from tests.fakes.hostile import foreign
from tests.fakes.terminal import Terminal

CHAT = Path(__file__).with_name("hostile_chat.py")
ENTER, TAB, DOWN, CTRL_BRACKET, CTRL_U = "\r", "\t", "\x1b[B", "\x1d", "\x15"
_PATIENCE = 60.0
_CLIPBOARD = re.compile(r"\x1b\]52;c;[A-Za-z0-9+/=]*\x07")
_LISTS = ("/memory", "/reminders", "/usage", "/context", "/tools", "/source 1", "/source 2", "/pin", "/undo")
_NAMING = ("/title", "/memory add", "/remind tomorrow 9:00", "/rag-index", "/resume", "/model", "/source")


class Driver:
    """Types, and waits for what is drawn from then on."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def wait(self, typed: str, *seen: str) -> None:
        """Type something and wait for these, one after the other."""
        at = len(self.terminal.raw)
        self.terminal.type(typed)
        end = time.monotonic() + _PATIENCE
        for each in seen:
            while (found := self.terminal.raw.find(each, at)) < 0:
                assert time.monotonic() < end, f"no {each!r} after {typed!r}: {self.terminal.raw[-300:]!r}"
                at = max(at, len(self.terminal.raw) - len(each))
                self.terminal._read()
            at = found + len(each)

    def run(self, line: str) -> None:
        """Send a line, and wait until the prompt is there again."""
        self.wait(line + ENTER, "Ctrl-C stops", "tools on")


@contextmanager
def chatting(folder: Path, payloads: Sequence[str]) -> Iterator[Driver]:
    """A chat whose news, kept conversations, memory, reminders and files have the payloads."""
    given = folder / "payloads.json"
    given.write_text(json.dumps(payloads))
    for payload in payloads:
        name = b"f" + re.sub("[/\0]", "", payload)[:50].encode("utf-8", "surrogatepass")
        # Some systems take only names that are UTF-8.
        with suppress(OSError):
            os.close(os.open(os.fsencode(folder) + b"/" + name, os.O_CREAT | os.O_WRONLY, 0o600))
    # Without a desktop the terminal's own clipboard is used.
    plain = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
    terminal = Terminal([str(CHAT), str(folder / "data"), str(given)], folder, 100, 40, **plain)
    # Without what was scrolled away, and without a pause before what is typed, it is four times as fast.
    screen: Any = pyte.Screen(100, 40)
    terminal.screen, terminal._stream = screen, pyte.Stream(screen)
    terminal.child.delaybeforesend = None
    # A process of that size is not always gone a tenth of a second after it was killed.
    terminal.child.ptyproc.delayafterterminate = 1.0
    try:
        driver = Driver(terminal)
        driver.wait("", "No more news")
        yield driver
    finally:
        terminal.child.close(force=True)


def walk(folder: Path, payloads: Sequence[str], step: int = 1) -> list[str]:
    """What reached the terminal that is neither text, colour, move nor link; lists and typing try every `step`th."""
    with chatting(folder, payloads) as chat:
        _answer(chat, payloads)
        _list(chat, payloads)
        _type(chat, payloads[::step])
        _browse(chat, len(payloads) // step)
        found = foreign(chat.terminal.raw, moves=True)
        chat.run("say it")
        chat.run("/copy")
        copied = _CLIPBOARD.findall(chat.terminal.raw)
        found += foreign(_CLIPBOARD.sub("", chat.terminal.raw), moves=True)
    return found if len(copied) == 1 else [*found, f"{len(copied)} times written to the clipboard"]


def _answer(chat: Driver, payloads: Sequence[str]) -> None:
    """Answers, thinking, tool calls with their progress and sources, errors."""
    chat.run("say it")
    for begin in range(0, len(payloads), 20):
        chat.run(f"call {begin}")
    for number in range(0, len(payloads), 50):
        chat.run(f"break {number}")


def _list(chat: Driver, payloads: Sequence[str]) -> None:
    for command in _LISTS:
        chat.run(command)
    for command, payload in zip(_NAMING, payloads[7::17], strict=False):
        chat.run(f"{command} {_pasted(payload)}")


def _type(chat: Driver, payloads: Sequence[str]) -> None:
    """Pastes, and names of files that are offered."""
    for payload in payloads:
        if len(payload) < 200:
            # Only what is different from before is drawn.
            chat.wait(_pasted(payload), "\x1b")
            chat.terminal.type(CTRL_U)
    chat.run("/help")
    for typed in ("/rag-index f", "read @f"):
        chat.wait(typed + TAB, "f")
        for _ in range(12):
            chat.wait(TAB, "\x1b")
        chat.terminal.type(CTRL_U)
        chat.run("/help")


def _browse(chat: Driver, count: int) -> None:
    """The kept conversations, each with its preview, and one resumed."""
    chat.wait(CTRL_BRACKET, "Esc return")
    for _ in range(count):
        chat.wait(DOWN, "\x1b")
    chat.wait(ENTER, "Ctrl-C stops", "tools on")


def _pasted(payload: str) -> str:
    """As a terminal sends what is pasted: as bytes, in which the end of a paste cannot be."""
    return f"\x1b[200~A{payload}Z\x1b[201~".encode("utf-8", "replace").decode()
