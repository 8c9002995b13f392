"""Lists of terms with what is said of each."""

import pytest

from rag.chunking.tables import table_rows
from rag.readers.html import read_html

TEXT = "It stands on the quay, was built by hand by two brothers, and is lent to anyone who asks at the desk for it."


def text_of(terms: str) -> str:
    page = f"<html><head><title>Boat</title></head><body><article><h1>Boat</h1><p>{TEXT}</p><dl>{terms}</dl>"
    return read_html(f"{page}<p>{TEXT}</p></article></body></html>".encode(), "boat")[1]


@pytest.mark.parametrize(
    ("terms", "rows"),
    [
        ("<dt>Mast</dt><dd>pine</dd><dt>Weight</dt><dd>640 kg</dd>", ["Mast: pine", "Weight: 640 kg"]),
        (
            "<div><dt>Mast</dt><dd>pine <b>and</b> ash</dd></div><div><dt>Oar</dt><dd>ash</dd></div>",
            ["Mast: pine and ash", "Oar: ash"],
        ),
        (
            "<dt>Mast</dt><dt>Boom</dt><dd>pine</dd><dt>Oars</dt><dd>ash</dd><dd>two spare ones</dd>",
            ["Mast, Boom: pine", "Oars: ash; two spare ones"],
        ),
    ],
)
def test_terms_stand_in_a_row_with_what_is_said_of_them(terms: str, rows: list[str]) -> None:
    assert [row.spoken for row in table_rows(text_of(terms))] == [f"Boat – {row}" for row in rows]


@pytest.mark.parametrize(
    "terms",
    [
        "<dt>Mast</dt><dd>pine</dd>",
        f"<dt>Mast</dt><dd>{TEXT} {TEXT}</dd><dt>Oar</dt><dd>ash</dd>",
        "<dt>Mast</dt><dd>pine<ul><li>oiled</li></ul></dd><dt>Oar</dt><dd>ash</dd>",
        "<dt>Mast</dt><dd>pine</dd><dt>Oar</dt>",
    ],
)
def test_one_alone_and_long_entries_are_no_table(terms: str) -> None:
    text = text_of(terms)
    assert not table_rows(text) and "Mast" in text


def test_long_entries_of_options_are_paragraphs_that_begin_with_their_term() -> None:
    text = text_of(
        f"<dt><code>hoist.limit</code></dt><dd>{TEXT} The default is 6700.</dd>"
        f"<dt><code>--slow</code></dt><dd><p>{TEXT}</p><p>Not by night.</p><ul><li>by hand</li></ul></dd>"
    )
    assert f"hoist.limit: {TEXT} The default is 6700." in text
    assert "--slow\n\n" in text and "Not by night." in text and "- by hand" in text


def test_what_stands_in_a_list_beside_its_terms_is_kept() -> None:
    loose = f"<dt>Adults</dt><dd>{TEXT}</dd><h3>Concessions</h3><p>Half price on Monday mornings.</p><dt>Kids</dt>"
    assert "Half price on Monday mornings." in text_of(f"{loose}<dd>{TEXT}</dd>")


def test_what_is_said_of_terms_in_links_stands_in_their_rows() -> None:
    terms = '<dt>Builder</dt><dd><a href="/a">Ada Brook</a></dd><dt>Owner</dt><dd><a href="/b">Ben Roth</a></dd>'
    assert [row.spoken for row in table_rows(text_of(terms))] == ["Boat – Builder: Ada Brook", "Boat – Owner: Ben Roth"]


def test_a_list_of_links_leads_somewhere_and_is_no_paragraph() -> None:
    contents = "".join(f'<dt><a href="#{n}">{n}. How is the boat kept dry over winter?</a></dt>' for n in range(3))
    assert "winter?, " not in text_of(contents)
