"""Pages that are laid out by tables."""

from lxml import html

from rag.readers.html import read_html
from rag.readers.website.layout_tables import unfold_layout

MENU = '<td><b>Vellin</b><br><a href="/">Home</a><br><a href="/hut">The hut</a></td>'
PRICES = "<table><tr><td>Bed</td><td>20</td></tr><tr><td>Supper</td><td>14</td></tr></table>"
ABOUT = "<p>The hut stands above the lake, and has been open to all who come by since the summer of 1961.</p>"
PAGE = (
    "<html><head><title>The hut</title></head><body><table><tr>"
    f"{MENU}<td><h1>The hut</h1>{ABOUT}<h2>Prices</h2>{ABOUT.replace('hut', 'cabin')}{PRICES}<h2>Rules</h2>"
    "<ul><li>Dogs sleep in the porch</li><li>Boots stay at the door</li></ul><p>The key hangs on the beam, and the"
    " warden comes by in the evening to light the stove.</p></td></tr></table></body></html>"
)


def tables_left(body: str) -> int:
    tree = html.document_fromstring(f"<html><body>{body}</body></html>")
    unfold_layout(tree)
    return len(tree.findall(".//table"))


def test_the_headings_the_list_and_the_table_of_such_a_page_are_kept_and_its_menu_is_not() -> None:
    _, text = read_html(PAGE.encode(), "http://hut.example")
    lines = [line.strip() for line in text.splitlines()]
    assert {"## Prices", "## Rules", "- Dogs sleep in the porch", "- Boots stay at the door"} <= set(lines)
    assert any(line.startswith("| Bed | 20") for line in lines)
    assert "Home" not in text


def test_a_table_of_data_stays_one() -> None:
    assert tables_left(PRICES) == 1
    assert tables_left("<table><tr><th>Day</th><td><h3>Monday</h3></td></tr></table>") == 1
    assert tables_left("<table><tr><td><p>Bed</p><p>with a view</p></td><td>20</td></tr></table>") == 1
    assert tables_left(f"<table><tr><td>{PRICES}</td></tr></table>") == 2
    shows = "".join(f"<tr><td>{day} May</td><td><h3>Choir</h3>{ABOUT * 4}</td></tr>" for day in (12, 19))
    assert tables_left(f"<table>{shows}</table>") == 1
    assert tables_left("<table><tr><td><h2>Prices</h2></td></tr><tr><td>Adults</td><td>7.50</td></tr></table>") == 1
    assert tables_left(f"<table><tr><td>{ABOUT * 4}</td></tr></table>") == 0
