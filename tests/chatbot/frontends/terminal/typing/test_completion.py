import asyncio
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from chatbot.frontends.terminal.typing import completion
from chatbot.frontends.terminal.typing.completion import ChatCompleter, from_thread, wants_completion
from chatbot.mcp.resources import Mention


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "my notes.txt").touch()
    (tmp_path / "map.md").touch()
    (tmp_path / "plans").mkdir()
    (tmp_path / "plans" / "next year.md").touch()
    (tmp_path / "my plans").mkdir()
    (tmp_path / "my plans" / "next year.md").touch()
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
        ("/toggle-t", ["/toggle-thinking", "/toggle-tools"]),
        ("/sou", ["/source "]),
        ("/clearh", ["/clearhistory"]),
        ("/xyz", []),
        ("what is /sou", []),
        ("/rag-index m", ["/rag-index map.md", "/rag-index my notes.txt", "/rag-index my plans"]),
        ("/index plans/ne", ["/index plans/next year.md"]),
        ("/rag-search m", []),
        ("read @ma", ["read @map.md"]),
        ("@m", ["@map.md", '@"my notes.txt"', '@"my plans']),
        ('read @"my n', ['read @"my notes.txt"']),
        ("read @plans/n", ['read @"plans/next year.md"']),
        ("read @pl", ["read @plans"]),
        ('read @"my plans/', ['read @"my plans/"', 'read @"my plans/next year.md"']),
        ("mail me@ma", []),
        ("read @https://harbour.example/", []),
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


KNOWN = [
    Mention("plants:", "MCP server"),
    Mention("plants:seed://oak", "An oak."),
    Mention("plants:seed://red oak", "Another."),
]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("read @pl", ["read @plants:", "read @plans"]),
        ("@plants:seed://o", ["@plants:seed://oak"]),
        ("@plants:seed://r", ['@"plants:seed://red oak"']),
        ('@"plants:seed://red o', ['@"plants:seed://red oak"']),
    ],
)
def test_servers_and_their_resources_are_completed_like_files(text: str, lines: list[str]) -> None:
    completer = ChatCompleter()
    completer.resources = lambda typed: [one for one in KNOWN[":" in typed :][:2] if one.text.startswith(typed)][:1]
    found = completer.get_completions(Document(text), CompleteEvent())
    assert [text[: len(text) + one.start_position] + one.text for one in found] == lines
    assert wants_completion(text)


async def test_what_takes_too_long_completes_nothing_and_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(completion, "COMPLETION_SECONDS", 0.01)
    asked = asyncio.Event()
    released = asyncio.Event()
    done: list[str] = []

    async def complete(typed: str) -> list[Mention]:
        asked.set()
        await released.wait()
        done.append(typed)
        return KNOWN

    completed = from_thread(complete, asyncio.get_running_loop())
    assert await asyncio.to_thread(completed, "plants:") == []
    await asked.wait()
    released.set()
    while not done:
        await asyncio.sleep(0)
    monkeypatch.setattr(completion, "COMPLETION_SECONDS", 10.0)
    assert await asyncio.to_thread(completed, "plants:") == KNOWN
