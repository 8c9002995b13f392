"""A whole chat with the 0.5B in a pseudo-terminal, as a user has it on a machine without Ollama."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.places import ROOT
from tests.fakes.terminal import Terminal

PATIENCE = 240.0
SETTINGS = {
    "MAGPIE_BACKEND": "embedded",
    "MAGPIE_EMBEDDED__SIZE": "0.5b",
    "MAGPIE_CONTEXT_WINDOW": "4096",
    "MAGPIE_TEMPERATURE": "0",
    "MAGPIE_SEED": "1",
}


@pytest.fixture
def chat(prepared_dir: Path) -> Iterator[Terminal]:
    made = Terminal(
        [str(ROOT / "main.py")],
        prepared_dir,
        100,
        40,
        MAGPIE_DATA_DIR=str(prepared_dir),
        XDG_CONFIG_HOME="",
        **SETTINGS,
    )
    made.wait_for("›")
    yield made
    made.child.close(force=True)


def ask(chat: Terminal, question: str, answers: int) -> None:
    """Ask, and wait for the line that stands under each answer."""
    chat.type(f"{question}\r")
    chat.wait_for("tokens in", answers, PATIENCE)


def begin_story(chat: Terminal) -> None:
    """Ask for what takes long, and wait until the answer names whom it is about, as the question does."""
    named = "\n".join(chat.lines).count("lighthouse")
    chat.type("Write a long story about a lighthouse keeper and his cat.\r")
    chat.wait_for("lighthouse", named + 2, PATIENCE)


def engines(folder: Path) -> list[int]:
    """The processes of the engine that runs on a data folder."""
    rows = subprocess.run(["ps", "-ww", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return [int(row.split()[0]) for row in rows.splitlines() if f"{folder / 'engine'}" in row]


@pytest.mark.model
@pytest.mark.timeout(900)
def test_an_indexed_file_is_cited_and_the_chat_survives_its_engine(chat: Terminal, prepared_dir: Path) -> None:
    chat.type(f"/rag-index {ROOT / 'README.md'}\r")
    chat.wait_for("Indexed 1 document", patience=PATIENCE)
    ask(chat, "What does Magpie use when no Ollama server answers?", 1)
    screen = "\n".join(chat.lines)
    assert "search_vector_db" in screen
    assert re.search(r"\[\d\]", screen), screen
    assert "README.md" in screen.partition("search_vector_db")[2]

    begin_story(chat)
    for process in engines(prepared_dir):
        os.kill(process, signal.SIGKILL)
    chat.wait_for("engine", patience=PATIENCE)
    ask(chat, "hello", 2)

    begin_story(chat)
    chat.child.kill(signal.SIGKILL)
    chat.wait_for_end()
    end = time.monotonic() + 60
    while engines(prepared_dir):
        assert time.monotonic() < end
        time.sleep(0.1)
