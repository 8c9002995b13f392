"""Commands in the place of a question."""

import pytest

from chatbot.cli import main
from chatbot.frontends.misplaced import misplaced_command


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (["rag", "serch", "x"], "There is no command `rag serch`. Did you mean `magpie rag search`?"),
        (["rag", "search", "x"], "Options stand behind a command: type `magpie rag search` first"),
        (["rag"], "Options stand behind a command: type `magpie rag` first"),
        (["mcp"], "Options stand behind a command: type `magpie mcp` first"),
        (["mcp", "aprove", "files"], "There is no command `mcp aprove`. Did you mean `magpie mcp approve`?"),
        (["research", "What is new?"], "Options stand behind a command: type `magpie research` first"),
        (["/help"], "/help is a command of the chat: start `magpie`, and type it there."),
        (["/rag-index", "notes.md"], "/rag-index is a command of the chat"),
        (["/hepl"], "There is no command /hepl. Did you mean /help?"),
    ],
)
def test_a_command_in_the_place_of_a_question_is_told_of(typed: list[str], told: str) -> None:
    assert misplaced_command(typed).startswith(told)


@pytest.mark.parametrize(
    "typed",
    [
        [],
        ["rag", "dolls", "live", "how", "long"],
        ["rag serch is what I typed, why?"],
        ["mcp", "servers:", "which", "are", "good?"],
        ["/etc/hosts", "is", "what?"],
        ["What is /help?"],
        ["why", "rag"],
    ],
)
def test_a_question_is_asked(typed: list[str]) -> None:
    assert misplaced_command(typed) == ""


def test_no_model_is_asked_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--offline", "rag", "serch", "x"]) == 1
    assert capsys.readouterr().err.startswith("There is no command `rag serch`.")
