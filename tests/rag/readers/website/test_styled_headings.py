"""Headings that only the looks of a page tell."""

import pytest

from rag.readers.html import read_html
from rag.readers.website.styled_headings import mark_headings

TEXT = "It stands on the quay, was built by hand by two brothers, and is lent to anyone who asks at the desk for it."


def headings_in(body: str) -> list[str]:
    from lxml import html

    tree = html.document_fromstring(f"<html><body>{body}</body></html>")
    mark_headings(tree)
    return ["".join(heading.itertext()) for heading in tree.iter("h2", "h3", "h4")]


@pytest.mark.parametrize(
    ("body", "headings"),
    [
        (f"<div class=big>Boats</div><div>{TEXT}</div><div class=big>Fees 2027</div><ul><li>5</li></ul>", 2),
        (f"<p><b>Boats</b></p><p>{TEXT}</p><p><strong>Who may row?</strong></p><!-- all --><p>{TEXT}</p>", 2),
        (f"<p><b>Closed on Mondays</b></p><p>{TEXT}</p>", 0),
        (f"<div class=author>Ida</div><div>{TEXT}</div><div class=author>Tom</div><div>{TEXT}</div>", 0),
        (f"<div class=big>Boats</div><div>{TEXT}</div>", 0),
        (f"<div class=note>Note</div><p>{TEXT}</p><div class=note>Note</div><p>{TEXT}</p>", 0),
        (f"<div class=big>Boats</div><div>{TEXT}</div><div class=big>It floats.</div><div>{TEXT}</div>", 0),
        ("<div class=name>Weight</div><div>640 kg</div><div class=name>Mast</div><div>pine</div>", 0),
        (f"<div class=day>12 May</div><div>{TEXT}</div><div class=day>13 May</div><div>{TEXT}</div>", 0),
        (f"<nav><p><b>Boats</b></p><p>{TEXT}</p></nav>", 0),
        ("<p><b>Pages</b></p><ul><li><a href=a>All of our boats</a></li><li><a href=b>Fees</a></li></ul>", 0),
        (f"<p><b>Boats</b> of all kinds</p><p>{TEXT}</p>", 0),
        (f"<p><b>Boats</b></p><p><b>Fees</b></p><p>{TEXT}</p>", 0),
    ],
)
def test_lines_of_their_own_above_some_text_are_headings(body: str, headings: int) -> None:
    assert len(headings_in(body)) == headings


def test_they_stand_as_headings_in_what_is_read() -> None:
    body = f"<div><div class=big>Boats</div><div>{TEXT}</div><div class=big>Fees</div><div>{TEXT[:70]} five</div></div>"
    text = read_html(f"<html><head><title>Quay</title></head><body>{body}</body></html>".encode(), "quay")[1]
    assert [line for line in text.split("\n") if line.startswith("#")] == ["## Boats", "## Fees"]


def test_they_stand_a_level_below_what_they_stand_under() -> None:
    prices = f"<p><b>Day tickets</b></p><p>{TEXT}</p>"
    from lxml import html

    tree = html.document_fromstring(f"<body><h1>Pool</h1><h3>Summer</h3>{prices}<h3>Winter</h3>{prices}</body>")
    mark_headings(tree)
    assert [element.tag for element in tree.iter("h1", "h2", "h3", "h4")] == ["h1", "h3", "h4", "h3", "h4"]
