"""`magpie rag search` keeps to what fits its filters; options that users know from elsewhere mean the same here."""

import pytest

from chatbot.cli import parse_arguments
from tests.chatbot.frontends.test_library_cli import objects, rag
from utils.errors import ConfigError


@pytest.fixture
def notes(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("---\nauthor: Ann\ndate: 2024-05-06\ntags: [birds]\n---\n\nHerons wait for fish.\n")
    (folder / "b.md").write_text("---\nauthor: Bob\ndate: 2026-05-06\ntags: [birds, trees]\n---\n\nHerons sleep.\n")
    (folder / "c.txt").write_text("Herons fly.")
    return folder


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--filter", "author=ann"], {"a.md"}),
        (["--tag", "Birds"], {"a.md", "b.md"}),
        (["--tag", "birds", "--tag", "trees"], {"b.md"}),
        (["--filter", "date=2024..2025"], {"a.md"}),
        (["--filter", "type=txt"], {"c.txt"}),
        (["--source", "b.md", "--filter", "author=Ann"], set()),
    ],
)
async def test_a_search_is_kept_to_what_fits_its_filters(tmp_path, notes, options, found):
    assert (await rag(tmp_path, "ingest", "--content-path", str(notes)))[0] == 0
    _, out, _ = await rag(tmp_path, "search", "--json", "--mode", "bm25", *options, "--query", "herons")
    assert {line["source"].rpartition("/")[2] for line in objects(out)} == found


async def test_a_filter_that_is_none_is_said(tmp_path, notes):
    await rag(tmp_path, "ingest", str(notes))
    with pytest.raises(ConfigError, match=r"'colour=red' is no filter\. Write one as author=Ann;"):
        await rag(tmp_path, "search", "--filter", "colour=red", "herons")


@pytest.mark.parametrize(
    ("argv", "name", "words"),
    [
        (["ingest", "--content-path", "a", "b", "--content-path", "c"], "targets", ["b", "a", "c"]),
        (["search", "--query", "why wait"], "query", ["why wait"]),
        (["ask", "--query", "why wait?"], "question", ["why wait?"]),
    ],
)
def test_other_spellings_mean_the_same(argv, name, words):
    assert getattr(parse_arguments(["rag", *argv])[1], name) == words


@pytest.mark.parametrize("command", ["ingest", "ask"])
def test_what_is_missing_is_said(command, capsys):
    with pytest.raises(SystemExit):
        parse_arguments(["rag", command])
    assert f"{command}: write a " in capsys.readouterr().err
