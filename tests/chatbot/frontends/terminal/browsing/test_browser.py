"""The browser of kept conversations, driven through a pseudo-terminal and read from an emulated screen."""

import signal
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.terminal import Terminal

CHAT = Path(__file__).with_name("history.py")
ENTER, ESC, TAB, BACKSPACE, CTRL_C = "\r", "\x1b", "\t", "\x7f", "\x03"
DOWN, PAGE_UP, PAGE_DOWN, CTRL_BRACKET = "\x1b[B", "\x1b[5~", "\x1b[6~", "\x1d"
COUNT = 3


def opened(folder: Path, columns: int = 60, kept: int = COUNT, **environment: str) -> Terminal:
    made = Terminal([str(CHAT), str(folder), str(kept)], folder, columns, 24, **environment)
    made.wait_for("tools on")
    return made


@pytest.fixture
def terminal(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Terminal]:
    made = opened(tmp_path, getattr(request, "param", 60))
    yield made
    made.child.close(force=True)


narrow_and_wide = pytest.mark.parametrize("terminal", [60, 120], indirect=True)


def browse(terminal: Terminal, draft: str = "") -> None:
    """Open it by its key, with the newest conversation selected and shown."""
    terminal.type(draft + CTRL_BRACKET)
    terminal.wait_for("a cantata is sung.")


def titles(terminal: Terminal) -> list[str]:
    """The rows of the list: what marks them, and their titles."""
    left = [line.partition("│")[0] for line in terminal.screen.display]
    return [f"{line[0]} {line[14:45].split('  ')[0].strip()}" for line in left if line[2:].startswith("today")]


@narrow_and_wide
def test_the_list_has_day_title_and_number_of_messages_and_the_selected_one_is_shown(terminal: Terminal) -> None:
    terminal.type("/history" + ENTER)
    terminal.wait_for("a cantata is sung.")
    assert titles(terminal) == ["▸ What is a sonata?", "  When does the ferry leave?", "  How do storks build?"]
    counts = [line.partition("│")[0].split()[-1] for line in terminal.screen.display if "today" in line]
    assert counts == ["2", "62", "2"]
    assert terminal.lines[-1].startswith("Enter resume · Tab list (e export, d delete) · Esc return")
    terminal.type(DOWN)
    terminal.wait_for("At nine, every day.")
    assert titles(terminal)[1] == "▸ When does the ferry leave?"
    assert terminal.lines[-1].startswith("Enter resume · e export · d delete · / filter · Esc return")


@narrow_and_wide
def test_what_is_typed_filters_and_what_was_found_is_shown(terminal: Terminal) -> None:
    browse(terminal)
    terminal.type("twi")
    terminal.wait_for("  With **twigs** and clay.")
    terminal.wait_for(" With twigs and clay.")
    assert titles(terminal) == ["▸ How do storks build?"]
    terminal.type("ne")
    terminal.wait_for("No conversation has these words.")
    terminal.type(BACKSPACE * 5)
    terminal.wait_for("a cantata is sung.")
    assert len(titles(terminal)) == COUNT


def test_it_can_begin_with_words(terminal: Terminal) -> None:
    terminal.type("/history ferry" + ENTER)
    terminal.wait_for("At nine, every day.")
    assert terminal.screen.display[0].rstrip() == "Find: ferry"
    assert titles(terminal) == ["▸ When does the ferry leave?"]
    terminal.type(" twigs")
    terminal.wait_for("No conversation has these words.")


def test_ended_from_outside_the_terminal_is_given_back_as_it_was(terminal: Terminal) -> None:
    browse(terminal)
    terminal.child.kill(signal.SIGTERM)
    assert terminal.wait_for_end() == 143
    assert terminal.raw.rfind("\x1b[?1049l") > terminal.raw.rfind("\x1b[?1049h")
    assert terminal.raw.rfind("\x1b[?25h") > terminal.raw.rfind("\x1b[?25l")
    assert termios.tcgetattr(terminal.child.child_fd)[3] & termios.ECHO


def test_letters_act_in_the_list_and_others_are_looked_for(terminal: Terminal) -> None:
    browse(terminal)
    terminal.type(TAB + "storks")
    terminal.wait_for("With twigs and clay.")
    assert titles(terminal) == ["▸ How do storks build?"]
    assert terminal.screen.display[0].rstrip() == "Find: storks"


@narrow_and_wide
def test_enter_goes_on_with_the_selected_conversation_and_the_draft_is_kept(terminal: Terminal) -> None:
    browse(terminal, "half a thought")
    terminal.type(DOWN + DOWN + ENTER)
    terminal.wait_for("Going on with “How do storks build?”")
    terminal.wait_for("› half a thought")
    terminal.wait_for("With twigs and clay.")
    terminal.type(", and more" + ENTER)
    terminal.wait_for("You said: half a thought, and more")


@narrow_and_wide
def test_esc_and_ctrl_c_return_to_what_was_being_typed(terminal: Terminal) -> None:
    for key in (ESC, CTRL_C, CTRL_BRACKET):
        browse(terminal, "half ")
        terminal.type("storks" + key)
        terminal.wait_for("tools on")
    terminal.type("a thought" + ENTER)
    terminal.wait_for("You said: half half half a thought")
    assert "Find" not in "\n".join(terminal.lines)


def test_e_exports_into_the_current_folder(terminal: Terminal, tmp_path: Path) -> None:
    browse(terminal)
    terminal.type(TAB + "e")
    terminal.wait_for("Written to what-is-a-sonata.md in this folder.")
    assert "A piece that is *played*; a cantata is sung." in (tmp_path / "what-is-a-sonata.md").read_text()
    terminal.type("ee")
    terminal.wait_for("Written to what-is-a-sonata-")


@narrow_and_wide
def test_d_deletes_only_after_yes(terminal: Terminal) -> None:
    browse(terminal)
    terminal.type(TAB + "d")
    terminal.wait_for("Delete “What is a sonata?”? y/n")
    terminal.type("n")
    terminal.wait_for("d delete")
    assert len(titles(terminal)) == COUNT
    terminal.type("d")
    terminal.wait_for("Delete “What is a sonata?”? y/n")
    terminal.type("y")
    terminal.wait_for("Deleted “What is a sonata?”.")
    terminal.wait_for("At nine, every day.")
    assert titles(terminal) == ["▸ When does the ferry leave?", "  How do storks build?"]
    terminal.type(ESC)
    terminal.wait_for("tools on")
    terminal.type("/resume sonata" + ENTER)
    terminal.wait_for("No conversation is or has 'sonata'.")


def test_the_whole_conversation_can_be_read_and_cannot_reach_the_terminal(terminal: Terminal) -> None:
    browse(terminal)
    terminal.type(DOWN)
    terminal.wait_for("1 of 31 questions")
    assert "owned" not in terminal.raw
    for _ in range(40):
        terminal.type(PAGE_DOWN)
    terminal.wait_for("Yes, 29.")
    for _ in range(40):
        terminal.type(PAGE_UP)
    terminal.wait_for("At nine, every day.")
    terminal.wait_for("1 of 31 questions")


def test_the_conversation_under_way_is_not_deleted(terminal: Terminal) -> None:
    terminal.type("hello" + ENTER)
    terminal.wait_for("You said: hello")
    terminal.wait_for("tools on")
    terminal.type(CTRL_BRACKET)
    terminal.wait_for("▸ now ")
    terminal.type(TAB + "d")
    terminal.wait_for("You are in this conversation;")
    terminal.type(ENTER)
    terminal.wait_for("tools on")
    terminal.type("still there?" + ENTER)
    terminal.wait_for("You said: still there?")
    assert "Going on with" not in terminal.raw


def test_news_waits_until_the_browser_is_closed(terminal: Terminal, tmp_path: Path) -> None:
    browse(terminal, "draft")
    news = tmp_path / "news"
    news.write_text("Something has happened.")
    terminal.type("storks")
    terminal.wait_for("With twigs and clay.")
    while news.exists():
        terminal.type(BACKSPACE + "s")
        terminal.wait_for("Find: storks")
    terminal.type(BACKSPACE * 6)
    terminal.wait_for("a cantata is sung.")
    assert "happened" not in terminal.raw
    terminal.type(ESC)
    terminal.wait_for("Something has happened.")
    terminal.wait_for("› draft")


def test_a_narrower_terminal_draws_anew(terminal: Terminal) -> None:
    browse(terminal)
    terminal.screen.resize(24, 44)
    terminal.child.setwinsize(24, 44)
    terminal.type(DOWN)
    terminal.wait_for("At nine, every day.")
    assert titles(terminal)[1] == "▸ When does the ferry…"


def test_an_empty_history_says_so(tmp_path: Path) -> None:
    terminal = opened(tmp_path, kept=0)
    terminal.type("draft" + CTRL_BRACKET)
    terminal.wait_for("No conversation is kept yet.")
    terminal.wait_for("› draft")
    terminal.child.close(force=True)


def test_without_colour_the_selected_row_is_still_marked(tmp_path: Path) -> None:
    terminal = opened(tmp_path, NO_COLOR="1")
    browse(terminal)
    assert titles(terminal)[0] == "▸ What is a sonata?"
    assert "\x1b[38;5" not in terminal.raw
    assert "\x1b[36m" not in terminal.raw
    terminal.child.close(force=True)


def test_a_dumb_terminal_gets_a_list(tmp_path: Path) -> None:
    terminal = opened_dumb(tmp_path)
    terminal.type("/history" + ENTER)
    terminal.wait_for("What is a sonata?")
    terminal.wait_for("How do storks build?")
    terminal.child.close(force=True)


def opened_dumb(folder: Path) -> Terminal:
    made = Terminal([str(CHAT), str(folder), str(COUNT)], folder, TERM="dumb", NO_COLOR="1")
    made.wait_for("›")
    return made
