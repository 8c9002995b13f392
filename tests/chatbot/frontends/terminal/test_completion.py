from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from chatbot.frontends.terminal.completion import ChatCompleter, wants_completion


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my notes.txt").touch()
    (tmp_path / "map.md").touch()
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "next year.md").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def completed(text: str) -> list[str]:
    """What the line becomes with each completion."""
    document = Document(text)
    found = ChatCompleter().get_completions(document, CompleteEvent())
    return [text[: len(text) + one.start_position] + one.text for one in found]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("/toggle-t", ["/toggle-tools", "/toggle-thinking"]),
        ("/sou", ["/source "]),
        ("/clearh", ["/clearhistory"]),
        ("/xyz", []),
        ("what is /sou", []),
        ("/rag-index m", ["/rag-index map.md", "/rag-index my notes.txt"]),
        ("/index plans/ne", ["/index plans/next year.md"]),
        ("/rag-search m", []),
        ("read @ma", ["read @map.md"]),
        ("@m", ["@map.md", '@"my notes.txt"']),
        ('read @"my n', ['read @"my notes.txt"']),
        ("read @plans/n", ['read @"plans/next year.md"']),
        ("read @pl", ["read @plans"]),
        ("mail me@ma", []),
        ("a question", []),
    ],
)
def test_a_line_is_completed(text: str, lines: list[str]) -> None:
    assert completed(text) == lines
    assert wants_completion(text) or not lines


def test_commands_are_shown_with_their_help() -> None:
    [found] = ChatCompleter().get_completions(Document("/sourc"), CompleteEvent())
    assert (found.display_text, found.display_meta_text) == (
        "/source <number>",
        "Show a numbered source in its surroundings, and where it came from.",
    )
