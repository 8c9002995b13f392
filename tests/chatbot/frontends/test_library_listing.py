import re
from pathlib import Path

import pytest

from chatbot.frontends.library_cli import listing
from tests.chatbot.frontends.test_library_cli import notes, objects, rag, write_lines

__all__ = ["notes"]


async def test_documents_are_listed_with_where_they_are_from(tmp_path, notes, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.chdir(notes.parent)
    await rag(tmp_path, "ingest", str(notes))
    code, out, aside = await rag(tmp_path, "list", "--sort", "title")
    [today, _] = re.findall(r"\d{4}-\d\d-\d\d", out)
    assert (code, aside) == (0, "")
    assert out == (
        "Files (2)\n"
        "number  document                         added       chunks\n"
        f"     1  heron.txt                        {today}       1\n"
        "        notes/heron.txt\n"
        f"     2  Magpies                          {today}       1\n"
        "        notes/magpie.md\n"
        "\n"
        "2 files.\n"
    )
    assert max(map(len, out.splitlines())) < 60


async def test_a_list_goes_by_the_page(tmp_path, notes):
    await rag(tmp_path, "ingest", str(notes))
    _, out, _ = await rag(tmp_path, "list", "--limit", "1")
    assert out.endswith("1 to 1 of 2: 2 files. --page 2 goes on.\n") and "heron.txt" not in out
    _, out, _ = await rag(tmp_path, "list", "--limit", "1", "--page", "2")
    assert out.endswith("2 to 2 of 2: 2 files.\n") and "heron.txt" in out
    _, out, _ = await rag(tmp_path, "list", "--page", "2")
    assert out == "There is no page 2; the last one is 1.\n"


async def test_a_list_is_filtered_by_words_kind_and_collection(tmp_path, notes, monkeypatch):
    monkeypatch.chdir(notes)
    await rag(tmp_path, "ingest", str(notes / "magpie.md"), "--collection", "pies")
    await rag(tmp_path, "ingest", str(notes / "heron.txt"), "--collection", "waders")
    both = ["--collection", "pies", "--collection", "waders"]
    _, out, _ = await rag(tmp_path, "list", *both, "--sort", "title")
    assert out.split("\n")[3] == "        heron.txt (waders)"
    _, out, _ = await rag(tmp_path, "list", *both, "MAGP", "--kind", "file")
    assert out.endswith("\n1 file.\n")
    assert (await rag(tmp_path, "list", *both, "--kind", "web"))[1] == "Nothing in the library fits that.\n"


async def test_a_program_is_told_of_all_documents_or_of_a_page(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(listing, "TITLES_AT_ONCE", 2)
    many = [{"_id": str(number), "text": f"Text {number}."} for number in range(5)]
    path = write_lines(tmp_path / "many.jsonl", many)
    await rag(tmp_path, "ingest", str(path))
    _, out, _ = await rag(tmp_path, "list", "--json")
    found = objects(out)
    assert [one["number"] for one in found] == [5, 4, 3, 2, 1]
    assert found[0] | {"added": "", "fetched": ""} == {
        "number": 5,
        "title": "many.jsonl#5",
        "source": f"{path}#5",
        "origin": "file",
        "collection": "rag_documents",
        "container": str(path),
        "media_type": "application/jsonl",
        "added": "",
        "fetched": "",
        "chunks": 1,
    }
    _, out, _ = await rag(tmp_path, "list", "--json", "--limit", "2", "--page", "2")
    assert objects(out) == found[2:4]
    assert await rag(tmp_path, "list", "--json", "nowhere") == (0, "", "")


@pytest.mark.parametrize("argv", [["--sort", "colour"], ["--kind", "photo"], ["--page", "0"]])
async def test_what_cannot_be_asked_for_is_a_wrong_argument(tmp_path, argv):
    with pytest.raises(SystemExit, match="2"):
        await rag(tmp_path, "list", *argv)
