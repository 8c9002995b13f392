"""The terminal, driven through a pseudo-terminal and read from an emulated screen."""

import json
import shutil
import signal
import stat
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from chatbot.config import Config, Configuration
from chatbot.frontends.terminal import consent
from chatbot.frontends.terminal.typing.prompt import KeptHistory
from chatbot.mcp.servers import approve_server
from chatbot.memory.profile import Profile
from tests.fakes import full_chat, mcp_texts
from tests.fakes.places import ROOT
from tests.fakes.terminal import Terminal

CHAT = Path(__file__).with_name("chat.py")
ENTER, ALT_ENTER, TAB = "\r", "\x1b\r", "\t"
CTRL_A, CTRL_C, CTRL_D, CTRL_O, CTRL_U, CTRL_X_E = "\x01", "\x03", "\x04", "\x0f", "\x15", "\x18\x05"
CTRL_UNDO = "\x1f"
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
PASTE = "\x1b[200~" + "\n".join(f"line {number}" for number in range(200)) + "\x1b[201~"


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal([str(CHAT), str(tmp_path)], tmp_path)
    made.wait_for("Ctrl-C stops")
    yield made
    made.child.close(force=True)


def shown(lines: list[str]) -> list[str]:
    """The lines that are not empty, from the first input on."""
    first = next(index for index, line in enumerate(lines) if line.startswith("› "))
    return [line for line in lines[first:] if line]


def test_a_question_is_answered_and_ctrl_d_leaves(terminal: Terminal) -> None:
    terminal.type("look it up" + ENTER)
    terminal.wait_for("tokens in")
    terminal.wait_for("›", 2)
    assert [line.split(" · ")[0] for line in shown(terminal.lines)[:6]] == [
        "› look it up",
        '✓ web_search "ferry"',
        "Looked up [1].",
        "Sources",
        "[1]  Ferry timetable  ferries.example",
        "Also read: notes.txt",
    ]
    terminal.type(CTRL_D)
    assert terminal.wait_for_end() == 0
    assert terminal.raw.rfind("\x1b[?25h") > terminal.raw.rfind("\x1b[?25l")


def test_ctrl_c_stops_a_turn_and_the_chat_goes_on(terminal: Terminal) -> None:
    terminal.type("wait" + ENTER)
    terminal.wait_for("Waiting")
    terminal.type(CTRL_C)
    terminal.wait_for("Stopped.")
    terminal.wait_for("›", 2)
    terminal.type("again" + ENTER)
    terminal.wait_for("You said: again")
    assert shown(terminal.lines)[:3] == ["› wait", "Waiting", "Stopped."]


@pytest.mark.parametrize("environment", [{}, {"COLUMNS": "80", "LINES": "24"}])
def test_an_answer_stands_there_once_when_the_window_is_resized_while_it_comes(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    terminal = Terminal([str(CHAT), str(tmp_path)], tmp_path, **environment)
    try:
        terminal.wait_for("tools on")
        terminal.type("wait" + ENTER)
        terminal.wait_for("Ctrl-C stops")
        for columns, seconds in ((20, "1 s"), (50, "2 s"), (14, "3 s")):
            terminal.resize(columns, 24)
            terminal.wait_for(seconds)
        terminal.type(CTRL_C)
        terminal.wait_for("Stopped.")
        terminal.wait_for("›", 2)
        assert shown(terminal.lines)[:3] == ["› wait", "Waiting", "Stopped."]
    finally:
        terminal.child.close(force=True)


def test_a_resource_is_completed_and_read_and_a_prompt_is_asked_once_it_was_shown(tmp_path: Path) -> None:
    servers = {"notes": {"command": sys.executable, "args": [mcp_texts.__file__]}}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    approve_server(Configuration(Config(data_dir=tmp_path), tmp_path / "config.json", {}), "notes")
    terminal = Terminal([str(CHAT), str(tmp_path)], tmp_path)
    try:
        terminal.wait_for("tools on")
        terminal.type("/mcp resources" + ENTER)
        terminal.wait_for("@notes:notes://today")
        terminal.type("how is @no")
        terminal.wait_for("MCP server")
        terminal.type(TAB + "why")
        terminal.wait_for("notes:notes://why?")
        terminal.type(TAB + ENTER)
        terminal.wait_for("Because.")
        terminal.type("/mcp prompt weather place=Bonn" + ENTER)
        terminal.wait_for("not yours.")
        time.sleep(consent.IGNORED_KEYS_SECONDS + 0.1)
        terminal.type("y")
        terminal.wait_for("You said: How is the weather in Bonn in no days?")
    finally:
        terminal.child.close(force=True)


def test_what_is_typed_while_a_turn_runs_is_kept_and_not_echoed(terminal: Terminal) -> None:
    terminal.type("wait" + ENTER)
    terminal.wait_for("Waiting")
    terminal.type("typed ahead")
    terminal.wait_for("2 s")
    assert "typed" not in "\n".join(terminal.lines)
    terminal.type(CTRL_C)
    terminal.wait_for("› typed ahead")
    terminal.type(ENTER)
    terminal.wait_for("You said: typed ahead")


def test_pasted_lines_are_sent_together_and_alt_enter_breaks_a_line(terminal: Terminal) -> None:
    terminal.type("\x1b[200~one\ntwo\n\x1b[201~three" + ALT_ENTER + "four")
    terminal.wait_for("four")
    assert "You said" not in "\n".join(terminal.lines)
    terminal.type(ENTER)
    terminal.wait_for("You said: one\ntwo\nthree\nfour")


def test_many_pasted_lines_are_shown_as_one_and_sent_and_kept_whole(tmp_path: Path) -> None:
    terminal = Terminal([str(CHAT), str(tmp_path)], tmp_path)
    try:
        terminal.wait_for("tools on")
        terminal.type("Sum up " + PASTE + " briefly")
        terminal.wait_for("› Sum up [pasted: 200 lines] (Ctrl-O opens) briefly")
        assert "line 150" not in "\n".join(terminal.lines)
        terminal.type(CTRL_O)
        terminal.wait_for("line 199 briefly")
        terminal.type(CTRL_O)
        terminal.wait_for("[pasted: 200 lines]")
        terminal.type(ENTER)
        terminal.wait_for("You said: Sum up line 0\n")
        terminal.wait_for("line 199 briefly")
        terminal.wait_for("›", 2)
        assert "› Sum up [pasted: 200 lines] briefly" in terminal.lines
        terminal.type("something else" + ENTER)
        terminal.wait_for("You said: something else")
        terminal.wait_for("›", 3)
        terminal.type(UP + UP)
        terminal.wait_for("[pasted: 200 lines] (Ctrl-O opens) briefly")
        terminal.type(UP + DOWN)
        terminal.wait_for("› something else", 2)
    finally:
        terminal.child.close(force=True)
    kept = (tmp_path / "prompt_history").read_text()
    assert "+Sum up line 0\n" in kept
    assert all(f"+line {number}\n" in kept for number in range(1, 199))
    assert "+line 199 briefly\n" in kept


def test_what_was_pasted_is_there_again_after_ctrl_c_and_after_an_error(terminal: Terminal, tmp_path: Path) -> None:
    terminal.type(PASTE)
    terminal.wait_for("› [pasted: 200 lines]")
    terminal.type(CTRL_C)
    terminal.wait_for("the arrow up brings it back")
    # It may have been a secret, pasted by mistake.
    assert "line 7" not in (tmp_path / "prompt_history").read_text()
    assert "[pasted: 200 lines]" not in "\n".join(terminal.lines)
    terminal.type(UP)
    terminal.wait_for("› [pasted: 200 lines]")
    terminal.type(" and @missing.txt" + ENTER)
    terminal.wait_for("There is no file missing.txt here.")
    terminal.wait_for("› [pasted: 200 lines]", 2)
    terminal.type("\x7f" * len("@missing.txt") + "wait" + ENTER)
    terminal.wait_for("Waiting")
    terminal.type(CTRL_C)
    terminal.wait_for("Stopped.")
    terminal.wait_for("›", 3)
    terminal.type(UP)
    terminal.wait_for("› [pasted: 200 lines] (Ctrl-O opens) and wait")


def test_whoever_goes_into_folded_lines_sees_them(terminal: Terminal) -> None:
    terminal.type(PASTE)
    terminal.wait_for("› [pasted: 200 lines]")
    terminal.type(LEFT)
    terminal.wait_for("line 199")
    terminal.type(RIGHT)
    terminal.wait_for("› [pasted: 200 lines]")
    terminal.type(LEFT + "x")
    terminal.wait_for("line 19x9")


def test_a_long_line_is_wrapped_between_words_and_stays_one_line(tmp_path: Path) -> None:
    terminal = Terminal([str(CHAT), str(tmp_path)], tmp_path, columns=30)
    try:
        terminal.wait_for("tools on")
        terminal.type("When does the earliest ferry leave for the outermost island")
        terminal.wait_for("island")
        typed = terminal.lines.index("› When does the earliest")
        assert terminal.lines[typed + 1 : typed + 3] == ["  ferry leave for the", "  outermost island"]
        cursor = terminal.screen.cursor
        assert (terminal.screen.display[cursor.y].rstrip(), cursor.x) == ("  outermost island", 18)
        terminal.type(CTRL_A + "Tell me: " + CTRL_A)
        terminal.wait_for("› Tell me: When does the")
        # The lines below come after the first one.
        terminal.wait_for("  the outermost island")
        typed = terminal.lines.index("› Tell me: When does the")
        assert terminal.lines[typed + 1 : typed + 3] == ["  earliest ferry leave for", "  the outermost island"]
        assert (terminal.screen.display[cursor.y].rstrip(), cursor.x) == ("› Tell me: When does the", 2)
        terminal.type(ENTER)
        terminal.wait_for("You said: Tell me: When does")
        terminal.wait_for("›", 2)
        terminal.type(UP + "?" + ENTER)
        terminal.wait_for("island?", 2)
    finally:
        terminal.child.close(force=True)
    question = "Tell me: When does the earliest ferry leave for the outermost island"
    assert f"+{question}\n" in (tmp_path / "prompt_history").read_text()


def test_what_is_attached_is_shown_and_what_was_pasted_is_asked_about(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("The key is under the mat.")
    terminal.type("say @secret.txt" + ENTER)
    terminal.wait_for("Attached: secret.txt (25 characters).")
    terminal.wait_for("under the mat")
    terminal.wait_for("›", 2)
    terminal.type("what of \x1b[200~a page @secret.txt and @nothing.txt\x1b[201~ now" + ENTER)
    terminal.wait_for("y once")
    assert "the text that you pasted names it" in "\n".join(terminal.lines)
    time.sleep(consent.IGNORED_KEYS_SECONDS + 0.1)
    terminal.type("n")
    terminal.wait_for("You said: what of a page @secret.txt and @nothing.txt now")
    terminal.wait_for("›", 3)
    terminal.type(UP + ENTER)
    terminal.wait_for("y once", 2)
    time.sleep(consent.IGNORED_KEYS_SECONDS + 0.1)
    terminal.type("y")
    terminal.wait_for("Attached: secret.txt (25 characters).", 2)
    terminal.wait_for("under the mat", 2)


def test_a_dropped_file_is_attached_and_shown_as_such_before_it_is_sent(tmp_path: Path) -> None:
    note = tmp_path / "my note.txt"
    note.write_text("Ferries leave at nine.")
    terminal = Terminal([str(CHAT), str(tmp_path)], tmp_path, columns=200)
    try:
        terminal.wait_for("tools on")
        terminal.type(f"say \x1b[200~'{note}' \x1b[201~")
        terminal.wait_for(f'› say @"{note}"')
        terminal.type("now" + ENTER)
        terminal.wait_for("Attached: my note.txt (22 characters).")
        terminal.wait_for("Ferries leave at nine.")
        assert "y once" not in "\n".join(terminal.lines)
        terminal.wait_for("›", 2)
        terminal.type(f"\x1b[200~{note}\x1b[201~")
        terminal.wait_for(f'› @"{note}"')
        terminal.type(CTRL_UNDO + " again" + ENTER)
        terminal.wait_for(f"You said: {note} again")
        terminal.wait_for("›", 3)
        terminal.type(f"cat {note}" + ENTER)
        terminal.wait_for(f"You said: cat {note}")
        assert "\n".join(terminal.lines).count("Attached") == 1
    finally:
        terminal.child.close(force=True)


def test_a_dropped_file_that_may_be_a_key_is_attached_only_if_the_user_agrees(tmp_path: Path) -> None:
    key = tmp_path / "id_rsa"
    key.write_text("It opens the lighthouse.")
    terminal = Terminal([str(CHAT), str(tmp_path)], tmp_path, columns=200)
    try:
        terminal.wait_for("tools on")
        terminal.type(f"say \x1b[200~{key}\x1b[201~")
        terminal.wait_for(f"› say @{key}")
        terminal.type(ENTER)
        terminal.wait_for("y once")
        time.sleep(consent.IGNORED_KEYS_SECONDS + 0.1)
        terminal.type("n")
        terminal.wait_for(f"You said: say @{key}")
        assert "Attached" not in "\n".join(terminal.lines)
    finally:
        terminal.child.close(force=True)


def test_a_folder_is_attached_and_a_private_page_comes_back_with_the_question(
    terminal: Terminal, tmp_path: Path
) -> None:
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "ferry.md").write_text("Ferries leave at nine.")
    (tmp_path / "plans" / "broken.md").write_bytes(b"\0\1" * 50)
    terminal.type("say @plans/" + ENTER)
    terminal.wait_for("Attached: plans/ (1 file, 22 characters).")
    terminal.wait_for("1 of 2 files of plans/ are attached; 1 could not be read.")
    terminal.wait_for("Ferries leave at nine.")
    terminal.wait_for("›", 2)
    terminal.type("read @http://192.168.0.1/admin" + ENTER)
    terminal.wait_for("192.168.0.1 is a private address")
    terminal.wait_for("› read @http://192.168.0.1/admin", 2)
    assert "You said: read" not in "\n".join(terminal.lines)


def test_commands_and_attached_files_are_completed(terminal: Terminal, tmp_path: Path) -> None:
    (tmp_path / "my notes.txt").write_text("Ferries leave at nine.")
    terminal.type("/toggle-to")
    terminal.wait_for("Switch the tools on or off.")
    terminal.type(TAB + ENTER)
    terminal.wait_for("Tools are off now;")
    terminal.wait_for("tools off")
    terminal.type("what does @my")
    terminal.wait_for("my notes.txt")
    terminal.type(TAB)
    terminal.wait_for('@"my notes.txt"')
    terminal.type(" say" + ENTER)
    terminal.wait_for("Ferries leave at nine.")


def test_a_missing_file_is_said_and_the_question_comes_back(terminal: Terminal) -> None:
    terminal.type("read @missing.txt" + ENTER)
    terminal.wait_for("There is no file missing.txt here.")
    terminal.wait_for("› read @missing.txt", 2)
    assert "You said" not in "\n".join(terminal.lines)


def test_a_server_that_is_not_there_is_said_once_and_leaves_no_conversation(tmp_path: Path) -> None:
    server = ["--set", "ollama.host=127.0.0.1:9", "--set", f"data_dir={tmp_path / 'data'}", "-b", "ollama"]
    terminal = Terminal([str(ROOT / "main.py"), *server], tmp_path, XDG_CONFIG_HOME=str(tmp_path))
    missing = "Ollama does not answer at"
    try:
        # Asked before it is known, and once more afterwards: each time the question says so, and comes back.
        terminal.type("hello there" + ENTER)
        terminal.wait_for("› hello there", 2)
        assert "\n".join(terminal.lines).count(missing) == 1
        terminal.type(ENTER)
        terminal.wait_for("› hello there", 3)
        assert "\n".join(terminal.lines).count(missing) == 2
        terminal.type(CTRL_U + "/history" + ENTER)
        terminal.wait_for("No conversation is kept yet.")
    finally:
        terminal.child.close(force=True)


def test_a_server_that_is_not_there_is_said_ahead_of_the_first_question(tmp_path: Path) -> None:
    server = ["--set", "ollama.host=127.0.0.1:9", "--set", f"data_dir={tmp_path / 'data'}", "-b", "ollama"]
    terminal = Terminal([str(ROOT / "main.py"), *server], tmp_path, XDG_CONFIG_HOME=str(tmp_path))
    terminal.wait_for("Ollama does not answer at")
    terminal.child.close(force=True)


def test_a_model_that_can_be_fetched_is_offered(terminal: Terminal) -> None:
    terminal.type("fetch" + ENTER)
    terminal.wait_for("Ollama has no model installed that can chat.")
    terminal.wait_for("› /pull qwen3")


def test_ctrl_c_clears_the_line_and_then_hints_how_to_leave(terminal: Terminal) -> None:
    terminal.type("half a thought")
    terminal.wait_for("half a thought")
    terminal.type(CTRL_C)
    terminal.type(CTRL_C)
    terminal.wait_for("To leave, press Ctrl-D or type /quit.")
    assert "half a thought" not in "\n".join(terminal.lines)
    terminal.type("quit" + ENTER)
    assert terminal.wait_for_end() == 0


def test_ctrl_x_ctrl_e_opens_the_editor(tmp_path: Path) -> None:
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\nprintf "from the editor" > "$1"\n')
    editor.chmod(0o700)
    terminal = Terminal([str(CHAT), str(tmp_path)], tmp_path, EDITOR=str(editor))
    terminal.wait_for("tools on")
    terminal.type("draft" + CTRL_X_E)
    terminal.wait_for("› from the editor")
    terminal.type(ENTER)
    terminal.wait_for("You said: from the editor")
    terminal.child.close(force=True)


def test_the_history_survives_a_restart_for_the_users_eyes_only(tmp_path: Path) -> None:
    first = Terminal([str(CHAT), str(tmp_path)], tmp_path)
    first.wait_for("tools on")
    first.type("remember me" + ENTER)
    first.wait_for("You said: remember me")
    first.wait_for("›", 2)
    first.type(CTRL_D)
    first.wait_for_end()
    assert stat.S_IMODE((tmp_path / "prompt_history").stat().st_mode) == 0o600
    second = Terminal([str(CHAT), str(tmp_path)], tmp_path)
    second.wait_for("tools on")
    second.type(UP)
    second.wait_for("› remember me")
    second.child.close(force=True)


def test_an_input_that_finds_no_room_is_known_in_this_run_alone(caplog: pytest.LogCaptureFixture) -> None:
    history = KeptHistory("/dev/full")
    history.append_string("remember me")
    assert (history.get_strings(), len(caplog.records)) == (["remember me"], 1)


def test_a_chat_on_a_full_disk_says_one_sentence_and_goes_on(tmp_path: Path) -> None:
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        pytest.skip("a small file system cannot be mounted here")
    terminal = Terminal([full_chat.__file__, str(tmp_path)], tmp_path)
    terminal.wait_for("tools on")
    for number, (question, answer) in enumerate((("hello there", "You said: hello there"), ("look", "Looked up")), 2):
        terminal.type(question + ENTER)
        terminal.wait_for(answer)
        terminal.wait_for("›", number)
    terminal.type(CTRL_D)
    assert terminal.wait_for_end() == 0
    told = "\n".join(terminal.lines)
    assert told.count("There is no room on the disk") == 1
    assert "What was said is kept until then" in told and "Traceback" not in terminal.raw


def test_a_dumb_terminal_gets_neither_colours_nor_cursor_moves(tmp_path: Path) -> None:
    terminal = Terminal([str(CHAT), str(tmp_path)], tmp_path, TERM="dumb", NO_COLOR="1")
    terminal.wait_for("›")
    terminal.type("look" + ENTER)
    terminal.wait_for("Also read: notes.txt")
    answer = terminal.raw.partition("web_search")[2].partition("Also read")[0]
    assert "\x1b" not in answer
    assert "Ferry timetable  https://ferries.example/times" in answer
    terminal.child.close(force=True)


def test_ended_from_outside_the_terminal_is_given_back_as_it_was(terminal: Terminal) -> None:
    terminal.type("wait" + ENTER)
    terminal.wait_for("Waiting")
    assert not termios.tcgetattr(terminal.child.child_fd)[3] & termios.ECHO
    terminal.child.kill(signal.SIGTERM)
    assert terminal.wait_for_end() == 143
    assert terminal.raw.rfind("\x1b[?25h") > terminal.raw.rfind("\x1b[?25l")
    assert termios.tcgetattr(terminal.child.child_fd)[3] & termios.ECHO


def test_a_chat_begins_with_three_lines_and_once_something_was_typed_with_one(tmp_path: Path) -> None:
    first = Terminal([str(CHAT), str(tmp_path)], tmp_path, columns=60, rows=40)
    first.wait_for("Ctrl-C stops")
    first.wait_for("scripted · tools on")
    assert [line for line in first.lines if line] == [
        "Magpie   cites what it looks up · scripted, calls tools",
        "         itself",
        "Library  switched off",
        "Type     a question · @file to attach · /help · Ctrl-C stops",
        "›",
        "scripted · tools on · /help",
    ]
    first.type("hello" + ENTER)
    first.wait_for("You said: hello")
    first.wait_for("›", 2)
    first.type(CTRL_D)
    first.wait_for_end()
    second = Terminal([str(CHAT), str(tmp_path)], tmp_path, columns=60, rows=40)
    second.wait_for("library: switched off")
    second.wait_for("scripted · tools on")
    assert [line for line in second.lines if line] == [
        "scripted · library: switched off",
        "›",
        "scripted · tools on · /help",
    ]
    second.child.close(force=True)


def test_an_empty_line_asks_nothing(terminal: Terminal) -> None:
    terminal.type(ENTER + "   " + ENTER + "/nonsense" + ENTER)
    terminal.wait_for("There is no command /nonsense.")
    assert "You said" not in "\n".join(terminal.lines)


def test_nothing_heavy_is_imported_before_the_prompt_is_there() -> None:
    heavy = ["torch", "chromadb", "xllamacpp", "httpx", "numpy", "sentence_transformers", "rich", "pygments", "ollama"]
    code = (
        "import sys, chatbot.cli, chatbot.config, chatbot.engine.startup, chatbot.frontends.terminal;"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout == "[]\n"


def test_a_reminder_is_shown_above_what_is_being_typed(terminal: Terminal) -> None:
    terminal.type("/remind in 1 second tea" + ENTER)
    terminal.wait_for("I will remind you today")
    terminal.type("half a sen")
    terminal.wait_for("Reminder: tea")
    terminal.wait_for("› half a sen")
    terminal.type("tence" + ENTER)
    terminal.wait_for("You said: half a sentence")


def test_a_reminder_that_was_missed_is_shown_at_the_next_start(tmp_path: Path) -> None:
    profile = Profile(tmp_path / "profile.db")
    with profile.writing() as db:
        db.execute("INSERT INTO reminders (text, due) VALUES ('call mum', ?)", (time.time() - 3600 * 24,))
    profile.close()
    made = Terminal([str(CHAT), str(tmp_path)], tmp_path)
    made.wait_for("You missed: call mum (due yesterday ")
    made.child.close(force=True)
