"""Texts with marks of their own become Markdown; subtitles what is said, and when."""

from pathlib import Path

import pytest

from rag.chunking import split_text
from rag.documents import Document
from rag.readers import read_documents
from tests.fakes.office_files import ASCIIDOC, ORG, RST, SRT, VTT
from utils.errors import DocumentError

TIMES = "00:00:01.000 --> 00:00:02.000\n"
LARGE_TIMES = f"{'9' * 2_000_000}:00:00,000 --> 00:00:00,000\n00:00:01,000 --> 00:00:{'9' * 2_000_000},000\nGulls\n"


def numbered_lines(sign: str) -> str:
    return "".join(f"{sign}{number}\n" for number in range(100_000))


async def read(folder: Path, name: str, content: str) -> Document:
    """The one document of a file with this content."""
    (folder / name).write_text(content)
    [document] = [each async for each in read_documents(folder / name)]
    return document


async def test_restructuredtext_keeps_its_form_and_what_sphinx_adds(tmp_path):
    document = await read(tmp_path, "a.rst", RST)
    assert (document.title, document.media_type) == ("Birds of the Shore", "text/x-rst")
    assert document.text == (
        "# Birds of the Shore\n\nAuthor: A. Bird\n\n## Herons\n\n"
        "They wait for fish, see the nests and birds.Heron.\n\n- grey\n- purple\n\n"
        '```python\ndef wait():\n    return "fish"\n```\n\n2.0\n\nThey also fly.\n\nargument\n\nIts content.\n\n'
        "### Nests\n\n| bird | eggs |\n| --- | --- |\n| heron | 3 |\n\n| place | count |\n| --- | --- |\n| lake | 2 |"
    )


async def test_org_keeps_its_form_and_loses_its_drawers(tmp_path):
    document = await read(tmp_path, "a.org", ORG)
    assert document.title == "Birds of the Shore"
    assert document.text == (
        "Title: Birds of the Shore\nAuthor: A. Bird\n\n# Herons\n\nThey wait, see the page (https://birds.example).\n"
        "- grey\n  - young\n- purple\n\n## TODO Nests\n\n| bird | eggs |\n| --- | --- |\n| heron | 3 |\n\n"
        '```python\ndef wait():\n    return "fish"\n```\n\n> Quoted.'
    )


async def test_asciidoc_keeps_its_form_and_follows_no_include(tmp_path):
    (tmp_path / "other.adoc").write_text("secret")
    document = await read(tmp_path, "a.adoc", ASCIIDOC)
    assert document.title == "Birds of the Shore"
    assert document.text == (
        "# Birds of the Shore\n\nA. Bird <a@birds.example>\nRevdate: 2026-11-25\n\n## Herons\n\n"
        "They wait at Lake Constance, see the page (https://birds.example) and the nests.\n\n"
        "- grey\n  - young\n- purple\n\n"
        '```python\ndef wait():\n    return "fish"  # == no heading\n```\n\n### Nests\n\nEggs a year\n\n'
        "| bird | eggs |\n| --- | --- |\n| heron | 3 |\n\nNOTE: They return.\n\ninclude::other.adoc[]"
    )


async def test_subtitles_are_what_is_said_and_when(tmp_path):
    document = await read(tmp_path, "a.srt", SRT)
    assert (document.title, document.text) == (
        "a.srt",
        "[00:00:01] Herons wait for fish. - And gulls?\n\n[01:00:09] They cry.",
    )
    assert (await read(tmp_path, "a.vtt", VTT)).text == "[00:00:01] Anna: Herons wait for fish & frogs."


@pytest.mark.parametrize(("name", "text"), [("a.rst", RST), ("a.org", ORG), ("a.adoc", ASCIIDOC)])
async def test_chunks_know_the_headings_above_them(tmp_path, name, text):
    document = await read(tmp_path, name, text)
    headings = {heading for chunk in split_text(document.text, document.media_type) for heading in chunk.heading}
    assert "Herons" in headings


@pytest.mark.parametrize("name", ["a.srt", "a.vtt"])
async def test_what_has_no_times_is_no_subtitles(tmp_path, name):
    with pytest.raises(DocumentError, match=rf"{name} holds no subtitles: no line in it says when something is said\."):
        await read(tmp_path, name, "WEBVTT\n\nwords")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.rst", "Broken *text\n====\n\n.. table::\n\n  == ==\n  x\n\n`a\n"),
        ("a.org", "* Broken\n#+begin_src python\nnever closed"),
        ("a.adoc", "== Broken\n----\nnever closed"),
        ("a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nBroken <v Anna"),
        ("a.srt", "00:00:99,9 --> 99:99:99,999\nBroken"),
    ],
)
async def test_a_damaged_text_is_read_for_what_it_says(tmp_path, name, text):
    document = await read(tmp_path, name, text)
    assert "Broken" in document.text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.rst", "".join(f"{' ' * n}- x\n\n" for n in range(1500))),
        (
            "a.rst",
            ".. |a0| replace:: ha\n"
            + "".join(f".. |a{n}| replace:: {f'|a{n - 1}| ' * 10}\n" for n in range(1, 9))
            + "\n|a8|\n",
        ),
        ("a.org", "*" * 200_000 + " x\n" + "[[" * 100_000),
        ("a.adoc", "<<" * 100_000 + "\n:a: {a}{a}\n{a}\n" + "[" * 100_000),
    ],
)
async def test_a_text_that_is_made_to_be_much_ends_in_its_words_or_in_a_sentence(tmp_path, name, text):
    try:
        assert len((await read(tmp_path, name, text)).text) < 50_000_000
    except DocumentError as error:
        assert error.problem.startswith(name)


@pytest.mark.parametrize("name", ["a.srt", "a.vtt"])
@pytest.mark.parametrize(
    ("cues", "beginning", "length"),
    [
        (f"{TIMES}Herons\n{'<' * 2_000_000}", "[00:00:01] Herons <<<", 2_000_018),
        (f"{TIMES}Herons\n{'<v a' * 500_000}", "[00:00:01] Herons <v a<v a", 2_000_018),
        (f"{TIMES}{numbered_lines('')}\n{TIMES}{numbered_lines('x')}", "[00:00:01] 0 1 2 3", 1_277_790),
        (f"9999:99:99,999 --> 9999:99:99,999\nHerons\n\n{LARGE_TIMES}", "[10000:40:39] Herons", 20),
    ],
    ids=["signs", "voices", "lines", "times"],
)
async def test_subtitles_that_are_made_to_be_much_are_read_for_what_is_said(tmp_path, name, cues, beginning, length):
    text = (await read(tmp_path, name, cues)).text
    assert (text[: len(beginning)], len(text)) == (beginning, length)


@pytest.mark.parametrize("name", ["a.srt", "a.vtt"])
async def test_a_hundred_thousand_cues_without_a_pause_or_a_full_stop_are_read(tmp_path, name):
    clock = [f"{n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}" for n in range(100_000)]
    cues = "".join(f"{time}.000 --> {time}.900\nheron {time}\n\n" for time in clock)
    assert (await read(tmp_path, name, cues)).text.count("heron") == 100_000


@pytest.mark.parametrize("name", ["a.srt", "a.vtt"])
async def test_times_without_end_are_none(tmp_path, name):
    with pytest.raises(DocumentError, match=rf"{name} holds no subtitles: no line in it says when something is said\."):
        await read(tmp_path, name, LARGE_TIMES)


async def test_files_that_a_text_names_are_not_read(tmp_path):
    (tmp_path / "secret.txt").write_text("the secret")
    named = ".. include:: secret.txt\n.. csv-table::\n   :file: secret.txt\n.. literalinclude:: secret.txt\n"
    assert "the secret" not in (await read(tmp_path, "a.rst", f"Title\n=====\n\n{named}\nEnd.\n")).text
