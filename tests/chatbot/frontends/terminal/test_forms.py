"""What an MCP server wants to know is asked in the terminal, a question at a time, in the middle of a turn."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.frontends.terminal.consent import IGNORED_KEYS_SECONDS
from tests.fakes.terminal import Terminal

CHAT = Path(__file__).with_name("chat.py")
ENTER, ESCAPE, CTRL_C, BACKSPACE = "\r", "\x1b", "\x03", "\x7f"


@pytest.fixture(params=[60, 120])
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    made = Terminal([str(CHAT), str(tmp_path)], tmp_path, request.param, rows=60)
    made.wait_for("tools on")
    yield made
    made.child.close(force=True)


def begin(terminal: Terminal, question: str, shown: str, count: int = 1) -> None:
    terminal.type(question + ENTER)
    terminal.wait_for(shown, count)
    time.sleep(1.5 * IGNORED_KEYS_SECONDS)


def test_each_question_is_typed_or_its_default_taken_and_all_is_sent_at_the_end(terminal: Terminal) -> None:
    begin(terminal, "form", "As on the ticket")
    terminal.type("A" + ENTER)
    terminal.wait_for("At least 2 characters, please.")
    terminal.type("xAdaé\x1b[D" + BACKSPACE + BACKSPACE)
    terminal.type("a Löwe")
    terminal.wait_for("› xAda Löwe")
    terminal.type(ENTER)
    terminal.wait_for("Your name: xAda Löwe")
    terminal.type("12" + ENTER)
    terminal.wait_for("At most 9, please.")
    terminal.type(ENTER)
    terminal.wait_for("seats: 2")
    terminal.type("maybe" + ENTER)
    terminal.wait_for("Write y or n.")
    terminal.type("y" + ENTER)
    terminal.wait_for("window: yes")
    terminal.type("1" + ENTER)
    terminal.wait_for("class: first")
    terminal.type("1, 2" + ENTER)
    terminal.wait_for("meals: Vegetarian, m")
    terminal.wait_for("To trains. Enter sends this")
    terminal.type(ENTER)
    terminal.wait_for('accept {"name": "xAda')
    # It comes a piece at a time.
    terminal.wait_for('"m"]}')
    said = " ".join("\n".join(terminal.lines).split())
    assert '"seats": 2, "window": true, "class": "first", "meals": ["v", "m"]}' in said
    assert "The MCP server trains asks:" in said
    assert "Book a seat" in said


def test_escape_declines_and_what_is_typed_ahead_is_no_answer(terminal: Terminal) -> None:
    terminal.type("form" + ENTER)
    terminal.type("y" + ENTER + "later")
    terminal.wait_for("As on the ticket")
    time.sleep(3 * IGNORED_KEYS_SECONDS)
    terminal.type(ESCAPE)
    terminal.wait_for("Declined.")
    terminal.wait_for("decline {}")
    terminal.wait_for("later")
    assert "Your name:" not in "\n".join(terminal.lines)


def test_a_form_without_fields_asks_for_a_yes(terminal: Terminal) -> None:
    begin(terminal, "bare", "Really delete it?")
    terminal.type(ENTER)
    terminal.wait_for("accept {}")


def test_an_address_is_shown_with_its_real_host(terminal: Terminal) -> None:
    begin(terminal, "visit", "y I open it in a browser")
    assert "That is the host xn--py-7kc.example." in "\n".join(terminal.lines)
    terminal.type("n")
    terminal.wait_for("decline {}")
    begin(terminal, "visit", "y I open it in a browser", 2)
    terminal.type("y")
    terminal.wait_for("accept {}")


def test_ctrl_c_stops_the_turn_while_it_asks(terminal: Terminal) -> None:
    begin(terminal, "form", "As on the ticket")
    terminal.type(CTRL_C)
    terminal.wait_for("Stopped.")
    terminal.type("hello" + ENTER)
    terminal.wait_for("You said: hello")
