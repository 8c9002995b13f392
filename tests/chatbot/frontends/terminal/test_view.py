import io
import re
from typing import Any

import pytest
from rich.console import Console

from chatbot.config import Config
from chatbot.conversation.events import (
    AnswerDelta,
    Answered,
    AnswerWithdrawn,
    ContextUsed,
    Event,
    Listing,
    MarkdownText,
    Notice,
    Progress,
    Quit,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
)
from chatbot.conversation.messages import Source, ToolCall
from chatbot.conversation.usage import Usage
from chatbot.frontends.terminal.drawing.screen import Screen
from chatbot.frontends.terminal.drawing.status import Status
from chatbot.frontends.terminal.drawing.theme import THEME
from chatbot.frontends.terminal.view import View
from rag.documents import Passage
from utils.errors import MagpieError

SEARCH = ToolCall("web_search", {"query": "ferry times", "iterations": 2}, "call_1")
FETCH = ToolCall("fetch_url_content", {"url": "https://ferries.example/times"}, "call_2")
TIMES = Source(1, Passage("At nine.", "https://ferries.example/times", "Ferry timetable", "web"))
MORE = Source(3, Passage("And ten.", "https://ferries.example/times", "Ferry timetable", "web"))
NOTES = Source(2, Passage("Four crowns.", "/home/me/notes.txt", "Anything", "file"))
NEWS = Source(4, Passage("Fog.", "https://news.example/fog", "Fog in the harbour", "web"))
USAGE = Usage(1234, 1100, 210, 2.0, 5.25)
TURN: list[Event] = [
    ContextUsed({"system": 300, "question": 200}, 1000),
    ThinkingDelta("I had better "),
    ThinkingDelta("look it up.\nNow."),
    ToolStarted(SEARCH),
    ToolStarted(FETCH),
    ToolProgress(SEARCH, "iteration 1 of 2"),
    ToolFinished(SEARCH, True, "Found: [1] At nine. [2] Four crowns.", 1.24, (TIMES, NOTES)),
    ToolFinished(FETCH, False, "The page could not be opened: it does not exist. Try another one.", 0.31),
    ContextUsed({"system": 300, "evidence": 400, "question": 200}, 1000),
    AnswerDelta("The **ferry** leaves at nine [1, 3]"),
    AnswerDelta(" and costs four crowns [2].\n\n- or ~~[9]~~ so"),
    Answered("…", (TIMES, NOTES, MORE), (NEWS,), (9,), USAGE, 7.5),
]


def drawn(events: list[Event], *, width: int = 60, colour: bool = False, **settings: Any) -> str:
    file = io.StringIO()
    console = Console(
        file=file,
        width=width,
        theme=THEME,
        highlight=False,
        color_system="standard" if colour else None,
        force_terminal=False,
        _environ={},
    )
    config = Config(**settings)
    view = View(Screen(console), Status(lambda: config), lambda: config)
    for event in events:
        view.show_event(event)
    return re.sub(r"id=\d+-?\d*", "id=0", file.getvalue())


def test_a_turn_at_sixty_columns_without_colour() -> None:
    assert (
        drawn(TURN)
        == """\
I had better look it up.
Now.

✓ web_search "ferry times" iterations 2 · 2 passages · 1.2 s
✗ fetch_url_content "https://ferries.example/times" · The
  page could not be opened: it does not exist. Try another
  one. · 0.3 s

The ferry leaves at nine [1, 3] and costs four crowns [2].

• or [9] so

The answer cites a source 9 that does not exist.

Sources
[1, 3]  Ferry timetable  https://ferries.example/times
[2]     notes.txt
Also read: Fog in the harbour

━━━━━━━━━━━━━━━━━━── 90% of 1,000
1,234 tokens in (1,100 cached) · 210 out · 40/s · 7.5 s
"""
    )


def test_a_turn_at_a_hundred_and_twenty_columns_in_colour() -> None:
    link = "\x1b]8;id=0;https://ferries.example/times\x1b\\"
    assert drawn(TURN, width=120, colour=True) == (
        "\x1b[2mI had better look it up.\x1b[0m\n"
        "\x1b[2mNow.\x1b[0m\n"
        "\n"
        '\x1b[32m✓\x1b[0m \x1b[1mweb_search\x1b[0m "ferry times"\x1b[2m iterations 2\x1b[0m'
        "\x1b[2m · 2 passages · 1.2 s\x1b[0m\n"
        '\x1b[31m✗\x1b[0m \x1b[1mfetch_url_content\x1b[0m "https://ferries.example/times"'
        "\x1b[31m · The page could not be opened: it does not exist. Try another one.\x1b[0m\n"
        "  \x1b[2m· 0.3 s\x1b[0m\n"
        "\n"
        "The \x1b[1mferry\x1b[0m leaves at nine [1, 3] and costs four crowns [2].\n"
        "\n"
        "\x1b[2m• \x1b[0mor \x1b[2;9m[9]\x1b[0m so\n"
        "\n"
        "\x1b[33mThe answer cites a source 9 that does not exist.\x1b[0m\n"
        "\n"
        "\x1b[1mSources\x1b[0m\n"
        f"\x1b[36m[1, 3]\x1b[0m  {link}Ferry timetable\x1b]8;;\x1b\\  \x1b[2mferries.example\x1b[0m\n"
        "\x1b[36m[2]   \x1b[0m  notes.txt\n"
        "\x1b[2mAlso read: Fog in the harbour\x1b[0m\n"
        "\n"
        "\x1b[31m━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[2m──\x1b[0m\x1b[31m 90%\x1b[0m\x1b[2m of 1,000\x1b[0m\x1b[2m · \x1b[0m"
        "\x1b[2m1,234 tokens in (1,100 cached) · 210 out · 40/s · 7.5 s\x1b[0m\n"
    )


def test_thinking_can_be_hidden_and_markdown_left_as_it_is() -> None:
    shown = drawn(TURN, show_thinking=False, markdown=False)
    assert shown.startswith('✓ web_search "ferry times"')
    assert "\nThe **ferry** leaves at nine [1, 3] and costs four crowns\n[2].\n- or ~~[9]~~ so\n\n" in shown


def test_verbose_shows_the_beginning_of_a_result() -> None:
    finished = ToolFinished(FETCH, True, "word " * 100, 2.0)
    line, *excerpt = drawn([finished], width=120, verbose=True).splitlines()
    assert line == '✓ fetch_url_content "https://ferries.example/times" · 500 B · 2.0 s'
    assert len(" ".join(part.strip() for part in excerpt)) == 200
    assert excerpt[-1].endswith("…")


def test_a_line_that_led_to_a_call_stays() -> None:
    events: list[Event] = [AnswerDelta("I look."), AnswerWithdrawn(), AnswerDelta("Nine."), AnswerWithdrawn()]
    assert drawn(events) == "I look.\n\nNine.\n"


def test_an_answer_that_was_cut_says_so() -> None:
    shown = drawn([AnswerDelta("Nine"), Answered("Nine", truncated=True)])
    assert "\n\nThe answer was cut at max_tokens. Ask to go on, or raise the\nsetting.\n\n0.0 s\n" in shown


def test_a_listing_is_an_aligned_table_at_sixty_columns() -> None:
    listing = Listing(
        "Documents",
        ("name", "chunks", "what it is"),
        (("notes.txt", "1,200", "What I wrote down on the way"), ("日本語.pdf", "7", "A " + "very " * 12 + "long one")),
    )
    assert (
        drawn([listing])
        == """\
Documents
name        chunks  what it is
notes.txt    1,200  What I wrote down on the way
日本語.pdf       7  A very very very very very very very
                    very very very very very long one
"""
    )


def test_what_a_failed_call_advises_the_model_is_not_shown_to_the_user() -> None:
    call = ToolCall("web_search", {"query": "ferry"}, "call_1")
    told = "No search engine answers.\n\nLook into the library, or say that the web cannot be searched now."
    done = ToolFinished(call, False, told, 0.2)
    assert drawn([ToolStarted(call), done]) == '✗ web_search "ferry" · No search engine answers. · 0.2 s\n'


def test_a_tool_of_another_program_has_the_users_name_for_it() -> None:
    call = ToolCall("weather_shout", {"text": "a"}, "call_1", "weather.shout")
    done = ToolFinished(call, False, "No.", 1.0)
    assert drawn([ToolStarted(call), done]) == '✗ weather.shout "a" · No. · 1.0 s\n'


def test_notices_documents_and_errors() -> None:
    shown = drawn(
        [Notice("One."), Notice("[bold]Two[/x].", "warning"), MarkdownText("# Head\n\ntext"), Notice("Three.")]
    )
    assert shown == "One.\n[bold]Two[/x].\n\nHead\n\ntext\n\nThree.\n"


def test_progress_leaves_nothing_behind() -> None:
    assert drawn([Progress("reading", 0, 0), Progress("reading", 3, 10), Progress("reading", 10, 10)]) == ""


@pytest.mark.parametrize("text", ["\x1b[2J", "\x1b]52;c;aGk=\x07", "\u202e", "[/red]"])
def test_foreign_text_is_cleaned_wherever_it_stands(text: str) -> None:
    call = ToolCall(f"tool{text}", {f"name{text}": f"value{text}", "other": [text]}, "1")
    source = Source(1, Passage(text, f"https://host.example/{text}", f"title{text}", "web"))
    events: list[Event] = [
        ToolStarted(call),
        ToolProgress(call, f"progress{text}"),
        ToolFinished(call, True, f"text{text}", 0.0),
        ToolFinished(call, False, f"text{text}", 0.0),
        Answered(f"{text}", (source,), (source,)),
        Notice(text),
        Listing(text, (text, text), ((text, text),)),
    ]
    shown = drawn(events, verbose=True)
    assert not [character for character in shown if (character < " " and character != "\n") or character == "\u202e"]


def test_an_error_is_a_red_sentence_with_its_remedy() -> None:
    file = io.StringIO()
    console = Console(file=file, width=60, theme=THEME, color_system="standard", force_terminal=False)
    config = Config()
    view = View(Screen(console), Status(lambda: config), lambda: config)
    view.show_failure(MagpieError("No server answers.", "Start one."))
    assert file.getvalue() == "\x1b[31mNo server answers.\x1b[0m Start one.\n"
    view.show_event(Quit())
    assert view.leaving


def test_a_listing_that_is_too_wide_is_shown_row_by_row() -> None:
    rows = (("0.47", "Magpie", "Weights are looked for in many places, " * 3, "/home/me/projects/magpie/README.md"),)
    shown = drawn([Listing("Passages", ("similarity", "title", "text", "source"), rows * 2)])
    assert (
        shown
        == "Passages\n"
        + (
            record := """\
similarity  0.47
title       Magpie
text        Weights are looked for in many places, Weights
            are looked for in many places, Weights are
            looked for in many places,
source      /home/me/projects/magpie/README.md
"""
        )
        + "\n"
        + record
    )
    assert (
        len(drawn([Listing("Passages", ("similarity", "title", "text", "source"), rows)], width=120).splitlines()) == 4
    )


def test_a_listing_without_column_names_has_no_header() -> None:
    assert drawn([Listing("Library", ("", ""), (("documents", "1"), ("chunks", "22")))]) == (
        "Library\ndocuments   1\nchunks     22\n"
    )


def test_a_notice_stands_below_the_text_that_it_follows() -> None:
    assert drawn([AnswerDelta("Half an ans"), Notice("Stopped.")]).split("\n")[:3] == ["Half an ans", "", "Stopped."]


def test_an_address_in_a_notice_can_be_clicked_where_the_end_of_a_line_cuts_it() -> None:
    address = "https://id.example/authorize?state=" + "x" * 60
    assert drawn([Notice(f"Open {address}")], colour=True).count(f"\x1b]8;id=0;{address}\x1b\\") == 2
    assert "\x1b]8" not in drawn([Notice(f"Open {address}")])


def test_what_comes_while_something_is_asked_is_drawn_afterwards() -> None:
    file = io.StringIO()
    config = Config()
    view = View(Screen(Console(file=file, width=60, theme=THEME)), Status(lambda: config), lambda: config)
    with view.hold_still():
        view.show_question("May it?")
        view.show_event(Notice("Meanwhile."))
        view.show_answer("Yes.")
    assert [line for line in file.getvalue().splitlines() if line] == ["May it?", "Yes.", "Meanwhile."]


def test_what_an_answers_form_has_beside_the_answer_stands_below_it_as_json() -> None:
    form = {"type": "fact", "text": "At nine.", "summary": "A\x1b time", "n": [1]}
    shown = drawn([AnswerDelta("At nine."), Answered("At nine.", form=form)])
    assert '{\n  "type": "fact",\n  "summary": "A\\u001b time",\n  "n": [\n    1\n  ]\n}' in shown
    assert shown.count("At nine.") == 1


def test_why_an_answer_is_in_no_form_and_what_it_says_in_one_line_stand_below_it() -> None:
    shown = drawn([AnswerDelta("At nine."), Answered("At nine.", unformed="It does not fit.", summary="Nine.")])
    assert "At nine.\n\nIt does not fit.\n\nNine.\n" in shown
