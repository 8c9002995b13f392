"""What may leave the machine is asked about in the terminal, with one key, and in the middle of a turn."""

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.frontends.terminal.consent import IGNORED_KEYS_SECONDS, read_decision
from tests.fakes.terminal import Terminal

CHAT = Path(__file__).with_name("chat.py")
ENTER, CTRL_C = "\r", "\x03"
HINT = "y once · s for this session"


@pytest.fixture(params=[60, 120])
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    yield from chat(tmp_path, request.param)


@pytest.fixture
def ringing(tmp_path: Path) -> Iterator[Terminal]:
    yield from chat(tmp_path, 80, "bell")


def chat(folder: Path, columns: int, *arguments: str) -> Iterator[Terminal]:
    made = Terminal([str(CHAT), str(folder), *arguments], folder, columns)
    made.wait_for("tools on")
    # From here on text from outside is in the conversation.
    made.type("look" + ENTER)
    made.wait_for("tokens in")
    made.wait_for("›", 2)
    yield made
    made.child.close(force=True)


def ask(terminal: Terminal, word: str, key: str, answered: int) -> None:
    terminal.type(f"open {word}{ENTER}")
    terminal.wait_for(HINT, answered)
    time.sleep(1.5 * IGNORED_KEYS_SECONDS)
    terminal.type(key)


def test_the_whole_address_is_shown_and_opened_once_or_for_the_session(terminal: Terminal) -> None:
    ask(terminal, "log?d=" + "x" * 100, "y", 1)
    terminal.wait_for("Allowed this once.")
    # Cut only where the line ends.
    assert "https://collect.example/log?d=" + "x" * 100 in "".join(line.strip() for line in terminal.lines)
    terminal.wait_for("✓ fetch_url_content")
    terminal.wait_for("›", 3)
    ask(terminal, "other", "s", 2)
    terminal.wait_for("Allowed for this session.")
    terminal.wait_for("›", 4)
    terminal.type("open third" + ENTER)
    terminal.wait_for("✓ fetch_url_content", 3)
    assert "\n".join(terminal.lines).count(HINT) == 2


def test_a_denial_is_told_and_the_turn_goes_on(terminal: Terminal) -> None:
    ask(terminal, "log", "\x1b", 1)
    terminal.wait_for("Not allowed.")
    terminal.wait_for("✗ fetch_url_content")
    terminal.wait_for("Looked up", 2)
    ask(terminal, "log", "v", 2)
    terminal.wait_for("not asked again in")
    terminal.wait_for("Looked up", 3)
    terminal.type("open more" + ENTER)
    terminal.wait_for("Looked up", 4)
    assert "\n".join(terminal.lines).count(HINT) == 2


def test_nothing_moves_while_something_is_asked_and_the_status_line_says_so(terminal: Terminal) -> None:
    terminal.type("open log" + ENTER)
    terminal.wait_for("? waits for your answer")
    before = terminal.raw
    with pytest.raises(AssertionError, match="no 'anything'"):
        terminal.wait_for("anything", patience=1.5)
    assert terminal.raw == before
    terminal.type("n")
    terminal.wait_for("Looked up", 2)
    terminal.wait_for("›", 3)
    shown = "\n".join(terminal.lines)
    assert "waits for your answer" not in shown and "\a" not in terminal.raw


def test_the_bell_rings_once_for_what_is_asked_if_the_user_wants_it(ringing: Terminal) -> None:
    assert "\a" not in ringing.raw
    ask(ringing, "log", "n", 1)
    ringing.wait_for("Looked up", 2)
    assert ringing.raw.count("\a") == 1


def test_what_is_typed_ahead_decides_nothing_and_is_there_afterwards(terminal: Terminal) -> None:
    terminal.type("open log" + ENTER)
    terminal.type("yes, why")
    terminal.wait_for(HINT)
    time.sleep(3 * IGNORED_KEYS_SECONDS)
    assert "Allowed" not in "\n".join(terminal.lines)
    terminal.type("n")
    terminal.wait_for("Not allowed.")
    terminal.wait_for("› yes, why")


def test_ctrl_c_stops_the_turn_while_it_asks(terminal: Terminal) -> None:
    terminal.type("open log" + ENTER)
    terminal.wait_for(HINT)
    terminal.type(CTRL_C)
    terminal.wait_for("Stopped.")
    terminal.wait_for("›", 3)


async def test_where_the_terminal_is_gone_nothing_is_allowed() -> None:
    reading, writing = os.pipe()
    try:
        decision = asyncio.create_task(read_decision(reading, lambda _: None))
        await asyncio.sleep(0)
        os.close(writing)
        assert await decision == "no"
    finally:
        os.close(reading)
