import dataclasses
import io
import json
from pathlib import Path

import pytest

from chatbot.conversation.events import AnswerDelta, Answered, Notice, ToolFinished, ToolStarted
from chatbot.conversation.messages import Source, ToolCall
from chatbot.frontends.oneshot import JsonOutput, OneShotQuestion, TextOutput, ask
from rag.documents import Passage
from tests.fakes.app import FakeApp
from tests.fakes.model import ScriptedModel, says
from tests.fakes.site import Site
from tools.settings import FetchSettings
from utils.errors import MagpieError
from utils.fence import find_fences

PAGE = Passage("The ferry leaves at nine.", "https://ferry.example/times", "Ferry \x1b[31mtimes", "web")
FILE = Passage("Bring cash.", "/home/me/notes.txt", "notes.txt", "file")
CALL = ToolCall("web_search", {"query": "ferry"}, "call_1")


def shown(*events: object) -> tuple[str, str]:
    out, aside = io.StringIO(), io.StringIO()
    output = TextOutput(out, aside)
    for event in events:
        output.show_event(event)  # type: ignore[arg-type]
    return out.getvalue(), aside.getvalue()


def test_the_answer_and_its_sources_go_to_standard_output() -> None:
    cited = (Source(1, PAGE), Source(2, FILE), Source(3, PAGE))
    assert shown(AnswerDelta("At n"), Answered("At nine [1][3],\x07 cash [2].\n", cited)) == (
        "At nine [1][3], cash [2].\n\nSources:\n"
        "[1][3] Ferry times - https://ferry.example/times\n[2] /home/me/notes.txt\n",
        "",
    )


def test_everything_else_goes_to_standard_error_on_one_line() -> None:
    events = (ToolStarted(CALL), ToolFinished(CALL, False, "No\nnetwork.", 1.0), Notice("Careful."))
    assert shown(*events) == ("", "web_search ferry\nweb_search failed: No network.\nCareful.\n")


def test_a_tool_of_another_program_has_the_users_name_for_it() -> None:
    call = ToolCall("weather_shout", {"text": "a"}, "call_1", "weather.shout")
    events = (ToolStarted(call), ToolFinished(call, False, "No.", 1.0))
    assert shown(*events) == ("", "weather.shout a\nweather.shout failed: No.\n")


def test_an_answer_in_a_form_is_the_only_thing_on_standard_output() -> None:
    form = {"type": "fact", "text": "At nine [1].\x1b", "summary": "At nine."}
    out, aside = shown(
        Notice("Careful."), Answered("At nine [1].", (Source(1, PAGE),), form=form, denied=("No mail.",))
    )
    assert json.loads(out) == form and "\x1b" not in out
    assert aside.startswith("Careful.\nSources:\n[1] Ferry times - https://ferry.example/times\n\nNo mail.\n")


def test_an_answer_that_could_not_be_put_into_its_form_goes_aside_with_the_reason() -> None:
    assert shown(Answered("At nine.", unformed="It does not fit. Ask again.")) == (
        "",
        "At nine.\nIt does not fit. Ask again.\n",
    )


def test_the_summary_of_a_long_answer_stands_below_it() -> None:
    assert shown(Answered("At nine.", summary="Nine.")) == ("At nine.\n\nNine.\n", "")


async def test_a_form_that_was_asked_for_and_is_not_there_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Keyboard())
    filled = [{"type": "fact", "summary": "Nine."}, {}, {}]
    app = FakeApp(ScriptedModel([says("At nine."), says("At ten.")], filled=filled), tmp_path, answer_format="json")
    assert await ask(app.engine, OneShotQuestion("When?")) == 0
    assert json.loads(capsys.readouterr().out) == {"type": "fact", "text": "At nine.", "summary": "Nine."}
    assert await ask(app.engine, OneShotQuestion("And then?")) == 1
    printed = capsys.readouterr()
    assert printed.out == "" and printed.err.startswith("At ten.\nscripted was asked twice")


def test_json_has_one_versioned_object_a_line() -> None:
    out = io.StringIO()
    output = JsonOutput(out)
    output.show_event(ToolStarted(CALL))
    output.show_event(AnswerDelta("é"))
    output.show_event(Answered("Nine.", form={"hour": 9}, summary="Nine."))
    output.show_failure(MagpieError("No model.", "Install one."))
    answered = dataclasses.asdict(Answered("Nine.", form={"hour": 9}, summary="Nine."))
    call = {"name": "web_search", "arguments": {"query": "ferry"}, "id": "call_1", "shown": ""}
    assert [json.loads(line) for line in out.getvalue().splitlines()] == [
        {"v": 1, "event": "tool_started", "call": call},
        {"v": 1, "event": "answer_delta", "text": "é"},
        {"v": 1, "event": "answered"} | json.loads(json.dumps(answered)) | {"wrong_numbers": []},
        {"v": 1, "event": "error", "problem": "No model.", "remedy": "Install one."},
    ]


class Keyboard(io.StringIO):
    """A standard input that nothing was piped into."""

    def isatty(self) -> bool:
        return True


async def test_a_one_shot_question_goes_on_with_the_conversation_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Keyboard())
    app = FakeApp(ScriptedModel([says("Nine."), says("Four crowns.")]), tmp_path)
    assert await ask(app.engine, OneShotQuestion("When does the ferry leave?")) == 0
    ferries = app.chat.session
    await app.chat.begin()
    assert await ask(app.engine, OneShotQuestion("And the price?", resume="last")) == 0
    assert capsys.readouterr().out == "Nine.\nFour crowns.\n"
    loaded = await app.chat.sessions.load(ferries)
    said = [message.content for message in loaded.messages]
    assert said == ["When does the ferry leave?", "Nine.", "And the price?", "Four crowns."]
    assert await ask(app.engine, OneShotQuestion("And then?", resume="whale")) == 1
    assert "No conversation is or has 'whale'" in capsys.readouterr().err


async def test_folders_and_pages_are_added_to_a_question_in_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", Keyboard())
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.md").write_text("The letter.")
    (notes / "b.md").write_bytes(b"\0\1" * 50)
    model = ScriptedModel([says("Nine.")])
    async with Site() as site:
        app = FakeApp(model, tmp_path, fetch=FetchSettings(allow_hosts=(site.host,)))
        named = [str(notes), site.url("/bridge.html")]
        assert await ask(app.engine, OneShotQuestion("What is it?", named)) == 0
        assert await ask(app.engine, OneShotQuestion("What is it?", [site.url("/missing")])) == 1
    sent = model.sent[0][0][-1].prompt_text
    assert find_fences(sent)[0] == ("the file notes/a.md", "The letter.")
    assert find_fences(sent)[1][0] == f"the page The Ostermark Bridge ({site.url('/bridge.html')})"
    assert capsys.readouterr().err.splitlines() == [
        "1 of 2 files of notes/ are attached; 1 could not be read.",
        "127.0.0.1 answers 404 (Not Found).",
    ]
