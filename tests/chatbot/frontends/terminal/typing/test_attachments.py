import json
import sys
from pathlib import Path

import pytest

from chatbot.attachments.reader import AttachmentReader, Named
from chatbot.attachments.room import AttachmentRoom
from chatbot.config import Config, Configuration
from chatbot.conversation.messages import Attachment
from chatbot.engine.face import Audience
from chatbot.engine.network import make_fetcher
from chatbot.frontends.terminal.typing.attachments import find_named, without_escapes
from chatbot.frontends.terminal.typing.dropped import as_mentions
from chatbot.frontends.terminal.typing.pasted import Pasted
from chatbot.mcp.resources import RemoteResources
from chatbot.mcp.servers import RemoteServers, approve_server
from chatbot.mcp.tools import RemoteTools
from chatbot.trust.consent import Request
from tests.fakes import mcp_texts
from tools.base import Toolbox
from utils.errors import DocumentError
from utils.network.access import NetworkAccess


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "map.md").write_text("A map.")
    (tmp_path / "my notes.txt").write_text("Notes.")
    (tmp_path / "empty.txt").touch()
    (tmp_path / "binary.txt").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "plans").mkdir()
    (tmp_path / "trips").mkdir()
    (tmp_path / "trips/a.md").write_text("To Skerry.")
    (tmp_path / "trips/README.md").write_text("All trips.")
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def count_words(text: str) -> int:
    return len(text.split())


async def found_in(question: str, pasted: str = "", asked: list[str] | None = None, agrees: bool = True) -> list[Named]:
    """What a question names where there is one MCP server, `notes`; `asked` takes what the user was asked about."""
    here = Path()
    servers = {"notes": {"command": sys.executable, "args": [mcp_texts.__file__]}}
    (here / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    configuration = Configuration(Config(data_dir=here / "data"), here / "config.json", {})
    approve_server(configuration, "notes")
    shared = RemoteServers(configuration, NetworkAccess(), Audience())
    remote = RemoteTools(shared, Toolbox([]), lambda said, warning: None)
    texts = Pasted()
    texts.note_pasted(pasted)

    async def allows(request: Request) -> bool:
        (asked if asked is not None else []).append(request.sent)
        return agrees

    try:
        return await find_named(question, RemoteResources(remote), texts, allows)
    finally:
        await remote.close()
        await shared.close()


async def named(question: str) -> tuple[Attachment, ...]:
    """What goes with a question; no page can be opened."""

    async def open_room() -> AttachmentRoom:
        return AttachmentRoom(1000, count_words)

    fetcher = make_fetcher(Config(), Path("data"), NetworkAccess())
    reader = AttachmentReader(fetcher, open_room, lambda progress: None)
    return (await reader.read_all(await found_in(question))).attachments


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("what is in @trips?", ["trips/README.md", "trips/a.md"]),
        ("@trips/ and @map.md", ["trips/README.md", "trips/a.md", "map.md"]),
        ("@alice said https://harbour.example/ferry", []),
        ("compare @map.md with @map.md", ["map.md"]),
        ('@"my notes.txt" and (see @map.md)?', ["my notes.txt", "map.md"]),
        ("what is in @map.md?", ["map.md"]),
        ("what does @property do, me@example.org?", []),
        (r"what does \@app.route do?", []),
        ("an @ alone", []),
        ('and @notes:notes://today, @"notes:notes://my day"?', ["notes:notes://today", "notes:notes://my day"]),
        ("@notes:notes://today @notes:notes://today. @map.md", ["notes:notes://today", "map.md"]),
        ("@todo: buy milk", []),
        (r"what is \@notes:notes://today?", []),
    ],
)
async def test_named_files_go_with_the_question(question: str, names: list[str]) -> None:
    assert [attachment.name for attachment in await named(question)] == names


async def test_a_file_is_attached_with_its_text(folder: Path) -> None:
    assert await named(f"@{folder}/map.md") == (Attachment("map.md", "A map."),)


@pytest.mark.parametrize("name", ["missing.md", "plans/missing", "empty.txt", "binary.txt", "plans", "x" * 300 + ".md"])
async def test_a_file_that_cannot_be_read_is_said_in_one_sentence(name: str) -> None:
    with pytest.raises(DocumentError) as raised:
        await named(f"read @{name}")
    assert raised.value.problem.count("\n") == 0


async def test_a_missing_file_says_how_to_mean_the_words() -> None:
    with pytest.raises(DocumentError) as raised:
        await named("what does @app.route do?")
    assert str(raised.value) == (
        r"There is no file app.route here. Correct the name, or write \@app.route to mean just the words."
    )


@pytest.mark.parametrize(
    ("question", "addresses"),
    [
        ("what does @https://harbour.example/ferry say?", ["https://harbour.example/ferry"]),
        (
            "(see @HTTP://harbour.example/ferry, @https://harbour.example/ferry.)",
            ["HTTP://harbour.example/ferry", "https://harbour.example/ferry"],
        ),
        ("@https://harbour.example/Skerry_(island)?", ["https://harbour.example/Skerry_(island)"]),
        ('@"https://harbour.example/a?b=c." and', ["https://harbour.example/a?b=c."]),
        ("https://harbour.example/ferry", []),
        (r"\@https://harbour.example/ferry", []),
        ("ann@https://harbour.example", []),
    ],
)
async def test_a_page_is_named_by_its_address_behind_an_at(question: str, addresses: list[str]) -> None:
    assert await found_in(question) == addresses


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "read @note:notes://today",
            "There is no MCP server note. /mcp lists the servers; write \\@note:notes://today to mean just the words.",
        ),
        (
            "read @notes:notes://gone!",
            "notes://gone of the MCP server notes cannot be read: it says: Resource not found. "
            "/mcp resources notes lists what it offers.",
        ),
    ],
)
async def test_a_resource_that_cannot_be_read_is_said_in_one_sentence(question: str, told: str) -> None:
    with pytest.raises(DocumentError) as raised:
        await named(question)
    assert str(raised.value) == told


def test_an_escaped_name_is_asked_without_its_backslash() -> None:
    assert without_escapes(r"what does \@app.route do?") == "what does @app.route do?"


@pytest.mark.parametrize(
    ("pasted", "question", "what"),
    [
        ("see @map.md there", "what of it? see @map.md there", ["the file {here}/map.md"]),
        ("see @map.md.", "see @map.md", ["the file {here}/map.md"]),
        ("see @map", "see @map.md", ["the file {here}/map.md"]),
        ('@"my notes.txt"', '@"my notes.txt" and @"my notes.txt"', ["the file {here}/my notes.txt"]),
        ("@notes:notes://today", "@notes:notes://today", ["the resource notes:notes://today"]),
        ("see @https://h.example/a.", "see @https://h.example/a.", ["the page https://h.example/a"]),
        ("see @trips there", "see @trips there", ["the folder {here}/trips"]),
        ("@app.route and @property", "@app.route and @property", []),
    ],
)
async def test_what_a_pasted_text_names_is_attached_only_if_the_user_agrees(
    folder: Path, pasted: str, question: str, what: list[str]
) -> None:
    expected, asked = [one.format(here=folder) for one in what], list[str]()
    assert await found_in(question, pasted, asked, agrees=False) == []
    assert asked == expected
    assert len(await found_in(question, pasted)) == len(expected)


@pytest.mark.parametrize("pasted", ["map.md", "me@map.md.example", "see @plans/ferry there", "@maps and @ here"])
async def test_what_the_user_typed_is_attached_unasked_whatever_they_pasted(pasted: str) -> None:
    asked: list[str] = []
    assert [one.name for one in await found_in(f"{pasted.replace('@', chr(92) + '@')} @map.md", pasted, asked)] == [
        "map.md"
    ]
    assert asked == []


async def test_what_was_dropped_is_attached_unasked(folder: Path) -> None:
    asked: list[str] = []
    dropped = f"'{folder}/my notes.txt' {folder}/map.md "
    question = f"compare {as_mentions(dropped, 'compare ', '')}"
    assert await found_in(question, dropped, asked) == [folder / "my notes.txt", folder / "map.md"]
    assert asked == []
