"""A file that is dropped is attached, whatever the terminal pastes for it; every other paste is left alone."""

from pathlib import Path

import pytest

from chatbot.frontends.terminal.typing import dropped
from chatbot.frontends.terminal.typing.dropped import MOST_DROPPED, as_mentions, doubtful_mentions

FILES = [
    "photo.png",
    "my photo.png",
    "it's.txt",
    "Screenshot 3.04\u202fPM.png",
    "Makefile",
    'a "b".md',
    "x\x1b.md",
    "x.sh",
]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in (*FILES, "program"):
        (tmp_path / name).write_text("some")
    (tmp_path / "program").chmod(0o700)
    (tmp_path / "x.sh").chmod(0o700)
    for name in ("photo.png", "my photo.png"):
        # As on the disc of a camera.
        (tmp_path / name).chmod(0o700)
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("pasted", "mentions"),
    [
        ("{home}/photo.png", "@{home}/photo.png "),
        ("{home}/photo.png ", "@{home}/photo.png "),
        (" '{home}/photo.png'\n", "@{home}/photo.png "),
        ("'{home}/my photo.png' ", '@"{home}/my photo.png" '),
        ('"{home}/my photo.png"', '@"{home}/my photo.png" '),
        (r"{home}/my\ photo.png", '@"{home}/my photo.png" '),
        ("{home}/my photo.png", '@"{home}/my photo.png" '),
        ("file://{home}/my%20photo.png", '@"{home}/my photo.png" '),
        ("file://localhost{home}/photo.png\n", "@{home}/photo.png "),
        ("~/photo.png", "@~/photo.png "),
        ("{home}/it's.txt", "@{home}/it's.txt "),
        (r"'{home}/it'\''s.txt'", "@{home}/it's.txt "),
        ("{home}/Makefile", "@{home}/Makefile "),
        ("{home}/x.sh", "@{home}/x.sh "),
        ("'{home}/Screenshot 3.04\u202fPM.png'", '@"{home}/Screenshot 3.04\u202fPM.png" '),
        ("'{home}/photo.png' '{home}/my photo.png' ", '@{home}/photo.png @"{home}/my photo.png" '),
        ("{home}/photo.png {home}/x.sh", "@{home}/photo.png @{home}/x.sh "),
        ("file://{home}/it's.txt", "@{home}/it's.txt "),
        ("file://{home}/it's.txt file://{home}/my%20photo.png\n", '@{home}/it\'s.txt @"{home}/my photo.png" '),
        ("file://{home}/x.sh file://{home}/it%27s.txt\n", "@{home}/x.sh @{home}/it's.txt "),
        ("file://{home}/photo.png\nfile://{home}/my%20photo.png\n", '@{home}/photo.png @"{home}/my photo.png" '),
    ],
)
def test_a_path_is_attached_however_the_terminal_writes_it(home: Path, pasted: str, mentions: str) -> None:
    assert as_mentions(pasted.format(home=home), "", "") == mentions.format(home=home)


@pytest.mark.parametrize(
    "pasted",
    [
        "",
        "photo.png",
        "{home}/nothing.png",
        "{home}/folder",
        "{home}/program",
        "/dev/null",
        "cat {home}/photo.png",
        "{home}/program {home}/photo.png",
        "{home}/x.sh {home}/photo.png",
        "~/x.sh {home}/Makefile",
        "'{home}/x.sh' '{home}/my photo.png'",
        "{home}/photo.png is a picture",
        "{home}/photo.png: line 3",
        "see {home}/photo.png",
        "'{home}/photo.png",
        "file://elsewhere{home}/photo.png",
        "https://harbour.example/photo.png",
        "# {home}/photo.png\n{home}/photo.png",
        '{home}/a "b".md',
        "{home}/x\x1b.md",
        "/" + "x" * 100_000,
        "/\0",
        "/\0 {home}/photo.png",
        "file://[",
        "/\ud800",
        "@{home}/photo.png",
    ],
)
def test_every_other_paste_is_left_alone(home: Path, pasted: str) -> None:
    assert as_mentions(pasted.format(home=home), "", "") == ""


def test_a_long_list_of_files_is_a_text_and_no_files_that_were_dropped(home: Path) -> None:
    few = f"{home}/photo.png\n" * MOST_DROPPED
    assert as_mentions(few, "", "").count("@") == MOST_DROPPED
    assert as_mentions(few + f"{home}/photo.png\n", "", "") == ""


def test_a_file_that_may_be_a_key_is_told_from_those_that_a_folder_hands_over(home: Path) -> None:
    (home / ".ssh").mkdir()
    for name in (".ssh/id_rsa", ".ssh/notes.md", "server key.pem", "README"):
        (home / name).write_text("some")
    (home / "holiday.txt").symlink_to(home / ".ssh/id_rsa")
    sure = f"{home}/it\\'s.txt {home}/README {home}/photo.png"
    assert as_mentions(sure, "", "") and doubtful_mentions(sure) == ""
    doubtful = f"~/.ssh/id_rsa {home}/.ssh/notes.md '{home}/server key.pem' {home}/holiday.txt {home}/Makefile"
    assert doubtful_mentions(f"{home}/README {doubtful}") == as_mentions(doubtful, "", "").strip() != ""
    assert doubtful_mentions(f"cat {doubtful}") == doubtful_mentions("") == ""


@pytest.mark.parametrize(
    ("before", "after", "mention"),
    [
        ("", "what is it?", "@{path} "),
        ("", " what is it?", "@{path}"),
        ("what is ", "", "@{path} "),
        ("what is\n", "\n", "@{path}"),
        ("what is @", "", "{path} "),
        ("what is ", " there?", ""),
        ("what is", "", ""),
        ("me@", "", ""),
        ('what is "', "", ""),
        ("/rag-index ", "", ""),
        ("/remind tomorrow @", "", ""),
    ],
)
def test_a_path_is_attached_at_the_edges_of_a_question_alone(home: Path, before: str, after: str, mention: str) -> None:
    assert as_mentions(f"{home}/photo.png", before, after) == mention.format(path=home / "photo.png")


@pytest.mark.parametrize(
    ("pasted", "mentions"),
    [
        (r"C:\Users\ann\photo.png", "@{drives}/c/Users/ann/photo.png "),
        (r'"C:\my photo.png"', '@"{drives}/c/my photo.png" '),
        (r'"C:\my photo.png" C:\Users\ann\photo.png', '@"{drives}/c/my photo.png" @{drives}/c/Users/ann/photo.png '),
        (r"D:\photo.png", ""),
    ],
)
def test_a_path_of_windows_is_the_one_under_which_its_linux_has_the_file(
    home: Path, monkeypatch: pytest.MonkeyPatch, pasted: str, mentions: str
) -> None:
    monkeypatch.setattr(dropped, "WINDOWS_DRIVES", home / "drives")
    (home / "drives/c/Users/ann").mkdir(parents=True)
    (home / "drives/c/Users/ann/photo.png").write_text("some")
    (home / "drives/c/my photo.png").write_text("some")
    assert as_mentions(pasted, "", "") == mentions.format(drives=home / "drives")
