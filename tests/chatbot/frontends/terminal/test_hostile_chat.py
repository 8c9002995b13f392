"""Every escape through every path of the real chat, on a pseudo-terminal: what reached it is looked at byte by byte."""

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.attacks import escapes, needs_attacks
from tests.fakes.hostile import foreign
from tests.fakes.terminal import Terminal

CHAT = Path(__file__).with_name("hostile_chat.py")
ENTER, TAB, ESC, DOWN, CTRL_BRACKET, CTRL_U = "\r", "\t", "\x1b", "\x1b[B", "\x1d", "\x15"
PAYLOADS = [text for text in escapes().values() if len(text) <= 1000] + ["a\ud800b\udfff", "\x00", "\x1b[8mx\x9b8m"]
COLOURED = re.compile(r"\x1b\[[0-9;]*m")
CLIPBOARD = re.compile(r"\x1b\]52;c;[A-Za-z0-9+/=]*\x07")


class Driver:
    """Types, and waits for what is drawn from then on."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal

    def wait(self, typed: str, seen: str, patience: float = 60) -> None:
        """Type something and wait for a pattern."""
        begin = len(self.terminal.raw)
        self.terminal.type(typed)
        end = time.monotonic() + patience
        while not re.search(seen, COLOURED.sub("", self.terminal.raw[begin:]), re.DOTALL):
            assert time.monotonic() < end, f"no {seen!r} after {typed!r}: {self.terminal.raw[-300:]!r}"
            self.terminal._read()

    def run(self, line: str) -> None:
        """Send a line, and wait until the prompt is there again."""
        self.wait(line + ENTER, "Ctrl-C stops.*tools on")


def put_files(folder: Path) -> None:
    """Files with the payloads as their names."""
    for payload in PAYLOADS:
        name = b"f" + re.sub("[/\0]", "", payload)[:50].encode("utf-8", "surrogatepass")
        os.close(os.open(os.fsencode(folder) + b"/" + name, os.O_CREAT | os.O_WRONLY, 0o600))


@pytest.fixture
def chat(tmp_path: Path) -> Iterator[Driver]:
    given = tmp_path / "payloads.json"
    given.write_text(json.dumps(PAYLOADS))
    put_files(tmp_path)
    # Without a desktop the terminal's own clipboard is used.
    made = Terminal([str(CHAT), str(tmp_path / "data"), str(given)], tmp_path, 100, 40, DISPLAY="", WAYLAND_DISPLAY="")
    driver = Driver(made)
    driver.wait("", "No more news")
    yield driver
    made.child.close(force=True)


def pasted(payload: str) -> str:
    """As a terminal sends what is pasted: as bytes, in which the end of a paste cannot be."""
    return f"\x1b[200~A{payload}Z\x1b[201~".encode("utf-8", "replace").decode()


@needs_attacks
def test_what_reaches_the_terminal_is_text_colours_moves_and_links(chat: Driver) -> None:
    chat.run("say it")
    for begin in range(0, len(PAYLOADS), 10):
        chat.run(f"call {begin}")
    for number in range(0, len(PAYLOADS), 50):
        chat.run(f"break {number}")
    for command in ("/memory", "/reminders", "/usage", "/context", "/tools", "/source 1", "/source 2", "/pin", "/undo"):
        chat.run(command)
    commands = ("/title", "/memory add", "/remind tomorrow 9:00", "/rag-index", "/resume", "/model", "/source")
    for command, payload in zip(commands, PAYLOADS[7::17], strict=False):
        chat.run(f"{command} {pasted(payload)}")
    assert foreign(chat.terminal.raw, moves=True) == []
    chat.run("say it")
    chat.run("/copy")
    assert len(CLIPBOARD.findall(chat.terminal.raw)) == 1
    assert foreign(CLIPBOARD.sub("", chat.terminal.raw), moves=True) == []


@needs_attacks
def test_the_prompt_and_the_browser_show_no_more_than_the_chat(chat: Driver) -> None:
    for payload in (payload for payload in PAYLOADS[::2] if len(payload) < 200):
        chat.wait(pasted(payload), "Z")
        chat.terminal.type(CTRL_U)
    chat.run("/help")
    for typed in ("/rag-index f", "read @f"):
        chat.wait(typed + TAB, "f")
        for _ in range(12):
            chat.wait(TAB, "\x1b")
        chat.terminal.type(CTRL_U)
        chat.run("/help")
    chat.wait(CTRL_BRACKET, "Esc return")
    for _ in range(40):
        chat.wait(DOWN, "\x1b")
    chat.wait(ENTER, "Ctrl-C stops.*tools on")
    assert foreign(chat.terminal.raw, moves=True) == []
