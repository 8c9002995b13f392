from pathlib import Path

import pytest

from chatbot.agent import Attachment
from chatbot.frontends.terminal.attachments import read_attachments, without_escapes
from utils.errors import DocumentError


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "map.md").write_text("A map.")
    (tmp_path / "my notes.txt").write_text("Notes.")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "plans").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("compare @map.md with @map.md", ["map.md"]),
        ('@"my notes.txt" and (see @map.md)?', ["my notes.txt", "map.md"]),
        ("what is in @map.md?", ["map.md"]),
        ("what does @property do, me@example.org?", []),
        (r"what does \@app.route do?", []),
        ("an @ alone", []),
    ],
)
async def test_named_files_go_with_the_question(question: str, names: list[str]) -> None:
    assert [attachment.name for attachment in await read_attachments(question)] == names


async def test_a_file_is_attached_with_its_text(folder: Path) -> None:
    assert await read_attachments(f"@{folder}/map.md") == [Attachment("map.md", "A map.")]


@pytest.mark.parametrize("name", ["missing.md", "plans/missing", "empty.txt", "binary.txt", "plans", "x" * 300 + ".md"])
async def test_a_file_that_cannot_be_read_is_said_in_one_sentence(name: str) -> None:
    with pytest.raises(DocumentError) as raised:
        await read_attachments(f"read @{name}")
    assert raised.value.problem.count("\n") == 0


async def test_a_missing_file_says_how_to_mean_the_words() -> None:
    with pytest.raises(DocumentError) as raised:
        await read_attachments("what does @app.route do?")
    assert str(raised.value) == (
        r"There is no file app.route here. Correct the name, or write \@app.route to mean just the words."
    )


def test_an_escaped_name_is_asked_without_its_backslash() -> None:
    assert without_escapes(r"what does \@app.route do?") == "what does @app.route do?"
