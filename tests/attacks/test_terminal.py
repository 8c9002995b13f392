"""Every event with a hostile text in every place, through every front end that prints."""

import ast
import io
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from rich.console import Console

from chatbot.cli import main
from chatbot.config import Config
from chatbot.conversation.events import Answered, Asked, Chart, Listing, Notice, Progress, TurnEvent
from chatbot.frontends import oneshot
from chatbot.frontends.library_cli.ingest import summary_line
from chatbot.frontends.library_cli.search import format_result
from chatbot.frontends.plain import print_clean
from chatbot.frontends.terminal.browsing.session_list import Look, list_lines, pattern_of
from chatbot.frontends.terminal.consent import request_block
from chatbot.frontends.terminal.drawing.screen import Screen
from chatbot.frontends.terminal.drawing.status import Status
from chatbot.frontends.terminal.drawing.streams import Stream
from chatbot.frontends.terminal.drawing.theme import THEME
from chatbot.frontends.waiting import WaitingOutput
from chatbot.history.search.sessions import SessionInfo
from chatbot.library.ingest import Summary
from chatbot.trust.consent import Request
from rag.documents import Passage
from tests.attacks.terminal import drawn, kinds
from tests.conftest import Tally
from tests.fakes.attacks import escapes, naughty_strings, needs_attacks
from tests.fakes.hostile import foreign, hostile
from tests.fakes.places import ROOT
from utils.errors import MagpieError
from utils.text import clean

PAYLOADS = {name: text for name, text in escapes().items() if len(text) <= 4000}
BOMBS = {name: text for name, text in escapes().items() if name not in PAYLOADS}


def wrong(show: Callable[[str], str], texts: Mapping[str, str] = PAYLOADS) -> dict[str, list[str]]:
    """What came out with each text and has no place on a terminal."""
    return {name: found for name, text in texts.items() if (found := foreign(show(text)))}


@needs_attacks
@pytest.mark.parametrize("markdown", [True, False])
def test_the_chat_prints_text_colours_and_links_alone(markdown: bool, tally: Tally) -> None:
    found = wrong(lambda payload: drawn(payload, markdown=markdown))
    tally(f"escapes in every event, {'Markdown' if markdown else 'plain'}", len(PAYLOADS), found)


@needs_attacks
def test_texts_that_are_made_to_take_long_are_shown(tally: Tally) -> None:
    tally("Markdown and escapes without end", len(BOMBS), wrong(streamed_answer, BOMBS))


@needs_attacks
def test_naughty_strings_are_printed_as_well(tally: Tally) -> None:
    texts = naughty_strings()[:: 1 if os.environ.get("ATTACK") else 5]
    found = [begin for begin in range(0, len(texts), 100) if foreign(drawn("\n\n".join(texts[begin : begin + 100])))]
    tally("naughty strings in every event", len(texts), found)


def streamed_answer(text: str) -> str:
    """An answer as it comes."""
    file = io.StringIO()
    screen = Screen(Console(file=file, width=80, theme=THEME, color_system="standard", _environ={}))
    stream = Stream("answer")
    for begin in range(0, len(text), 200):
        for block in stream.feed(text[begin : begin + 200]):
            screen.print(block)
    for block in stream.finish():
        screen.print(block)
    return file.getvalue()


def around(payload: str) -> str:
    """What the status lines and the list of conversations show."""
    config = Config()
    status = Status(lambda: config, lambda: payload)
    status.work.note(Progress(payload, 1, 2))
    waiting = WaitingOutput(oneshot.JsonOutput(io.StringIO()), io.StringIO())
    waiting.show(Progress(payload, 1, 2))
    written = waiting.line(1.0) + "".join(part[1] for part in status.toolbar_line())
    row = SessionInfo("1", payload, "2026-11-22T10:00:00", "2026-11-22T10:00:00", 3, payload, "", payload)
    for look in (Look(60, 20), Look(60, 20, pattern_of("a"))):
        for line in list_lines([row], 0, 0, look):
            written += "".join(part[1] for part in line)
    return written


def aloud(payload: str) -> str:
    """What the one-shot answer, as text and as JSON, and the library's commands print."""
    out, aside = io.StringIO(), io.StringIO()
    text, objects = oneshot.TextOutput(out, aside), oneshot.JsonOutput(out)
    for kind in kinds(TurnEvent):
        event = hostile(kind, payload)
        text.show_event(event)
        objects.show_event(event)
    error = MagpieError(payload, payload)
    text.show_failure(error)
    objects.show_failure(error)
    print_clean(str(error), aside)
    print_clean(format_result(1, hostile(Passage, payload), 0.5), out)
    print_clean(summary_line(Summary()) + payload, out)
    return out.getvalue() + aside.getvalue()


@needs_attacks
def test_what_stands_around_the_chat_is_clean_before_it_is_laid_out(tally: Tally) -> None:
    tally("escapes in status line and lists", len(PAYLOADS), wrong(around))


@needs_attacks
def test_the_one_shot_answer_and_the_librarys_commands_print_text_alone(tally: Tally) -> None:
    tally("escapes on standard output and error", len(PAYLOADS), wrong(aloud))


@needs_attacks
def test_json_of_the_one_shot_answer_holds_what_was_said() -> None:
    for payload in PAYLOADS.values():
        out = io.StringIO()
        oneshot.JsonOutput(out).show_event(Notice(payload))
        assert json.loads(out.getvalue())["text"] == payload


def test_a_link_is_one_to_the_web_or_none() -> None:
    file = io.StringIO()
    screen = Screen(Console(file=file, width=60, theme=THEME, color_system="standard", force_terminal=False))
    from rich.style import Style
    from rich.text import Text

    for address in ("file:///etc/passwd", "https://bank.example@evil.example/", "https://a.example/\x07\x1b]52;c;eA=="):
        screen.print(Text("x", Style(link=address)))
    assert file.getvalue() == "x\nx\nx\n"


def test_a_string_is_no_markup() -> None:
    file = io.StringIO()
    Screen(Console(file=file, width=60)).print("[bold]x[/bold] [/] :skull:")
    assert file.getvalue() == "[bold]x[/bold] [/] :skull:\n"


def test_every_output_has_one_way_out() -> None:
    """Standard output and error are written to in these modules alone, each of which cleans or says no text."""
    drawn = {f"terminal/drawing/{name}.py" for name in ("screen", "output")}
    ways = {"plain.py", "terminal/typing/keyboard.py", "library_cli/progress.py"} | drawn
    folder = ROOT / "chatbot" / "frontends"
    assert {path.relative_to(folder).as_posix() for path in folder.rglob("*.py") if writes(path)} == ways
    assert not writes(ROOT / "chatbot" / "cli.py")


def writes(path: Path) -> bool:
    """Whether a module prints by itself, or has Rich read markup."""
    calls = [node.func for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    return any(
        (isinstance(call, ast.Attribute) and call.attr in {"write", "writelines", "from_markup"})
        or (isinstance(call, ast.Name) and call.id == "print")
        for call in calls
    )


@needs_attacks
def test_the_check_sees_whatever_is_not_clean() -> None:
    unseen = {name for name, payload in PAYLOADS.items() if (foreign(payload) == []) != (clean(payload) == payload)}
    # One is a colour of ours; marks are not counted.
    assert unseen <= {"garak-live-5", "uni-combining-zalgo"}


def test_events_are_built_with_a_text_in_every_place() -> None:
    assert hostile(Listing, "x") == Listing("x", ("x",), (("x",),))
    assert hostile(Asked, "x") == Asked("x", ("x",))
    assert hostile(Chart, "x").slices[0].name == "x"
    assert hostile(Answered, "x").cited[0].passage.source == "x"


def test_what_needs_consent_is_shown_with_all_that_is_hidden_in_it_and_its_real_host() -> None:
    file = io.StringIO()
    screen = Screen(Console(file=file, width=80, color_system=None))
    sent = "https://\u0430pple.example/\u200b" + "".join(chr(0xE0000 + ord(letter)) for letter in "k")
    screen.print(request_block(Request("fetch_url_content", sent, "the model made this address up", "x")))
    written = file.getvalue()
    assert r"https://\u0430pple.example/\u200b\udb40\udc6b".replace(r"\u0430", "\u0430") in written
    assert "That is the host xn--pple-43d.example." in written


@pytest.mark.parametrize(
    "arguments", [["--no-such\x1b[2J\u202e"], ["rag", "stats", "\x1b]0;x\x07"], ["--set", "a\x9b2J"]]
)
def test_what_is_wrong_with_the_command_line_is_said_cleaned(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(arguments)
    except SystemExit as left:
        code = int(left.code or 0)
    said = capsys.readouterr()
    assert code in {1, 2}
    assert said.err
    assert foreign(said.out + said.err) == []
