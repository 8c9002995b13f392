"""Lists of a page that its main text lacks."""

import pytest

from rag.readers.website.page_lists import PageList, lists_of, with_lists

BEFORE, BEHIND = "The hut has two prices.", "The key hangs on the beam."
ITEMS = "<ul><li>Bed: 20 €</li><li>Bed, <b>members</b>: 12 €</li></ul>"


def lists_in(body: str) -> list[PageList]:
    from lxml import html

    return lists_of(html.document_fromstring(f"<html><head><title>Hut</title></head><body>{body}</body></html>"))


@pytest.mark.parametrize(
    ("behind", "text"),
    [
        (f"<p>{BEHIND}</p>", f"# Hut\n\n{BEFORE}\n\n{BEHIND}"),
        (f"<h2>Keys</h2><p>{BEHIND}</p>", f"# Hut\n\n{BEFORE}\n\n## Keys\n\n{BEHIND}"),
        (f"<!-- keys --><p>{BEHIND}</p>", f"# Hut\n\n{BEFORE}\n\n{BEHIND}"),
    ],
)
def test_a_list_that_was_left_out_stands_between_its_neighbours_again(behind: str, text: str) -> None:
    told = with_lists(lists_in(f"<h1>Hut</h1><p>{BEFORE}</p>{ITEMS}{behind}"), text)
    assert told == text.replace(BEFORE, f"{BEFORE}\n\n- Bed: 20 €\n- Bed, members: 12 €")


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (f"<p>{BEFORE}</p>{ITEMS}<p>{BEHIND}</p>", f"{BEFORE}\n\n- Bed: 20 €\n- Bed, members: 12 €\n\n{BEHIND}"),
        (f"<p>{BEFORE}</p><nav>{ITEMS}</nav><p>{BEHIND}</p>", f"{BEFORE}\n\n{BEHIND}"),
        (f"<p>{BEFORE}</p><aside><div>{ITEMS}</div></aside><p>{BEHIND}</p>", f"{BEFORE}\n\n{BEHIND}"),
        (f"<p>{BEFORE}</p><ul><li><a>Huts</a></li><li><a>Map</a></li></ul><p>{BEHIND}</p>", f"{BEFORE}\n\n{BEHIND}"),
        (f"<p>{BEFORE}</p><ul><li><button>Share</button></li></ul><p>{BEHIND}</p>", f"{BEFORE}\n\n{BEHIND}"),
        (f"<p>{BEFORE}</p><div class='comment-list'>{ITEMS}</div><p>{BEHIND}</p>", f"{BEFORE}\n\n{BEHIND}"),
        (f"<p>{BEFORE}</p>{ITEMS}<p>Somewhere else</p>", f"{BEFORE}\n\n{BEHIND}"),
        (f"<p>Menu of huts</p>{ITEMS}<p>{BEHIND}</p>", f"{BEFORE}\n\n{BEHIND}"),
        (f"<p>{BEFORE}</p>{ITEMS}", f"{BEFORE}\n\n{BEHIND}"),
    ],
    ids=["there", "menu", "beside", "links", "buttons", "comments", "other behind", "other before", "at the end"],
)
def test_what_is_there_or_belongs_to_no_text_is_not_added(page: str, text: str) -> None:
    assert with_lists(lists_in(page), text) == text


def test_a_list_within_an_item_is_a_part_of_it() -> None:
    found = lists_in(f"<p>{BEFORE}</p><ul><li>Beds<ul><li>above</li><li>below</li></ul></li></ul><p>{BEHIND}</p>")
    assert [one.items for one in found] == [("Beds above below",)]


def test_a_page_of_lists_within_lists_is_read_to_its_end() -> None:
    deep = "<ul><li>" * 3000 + "<p>end</p>" + "</li></ul>" * 3000
    assert len(lists_in(f"<p>{BEFORE}</p>{deep}<p>{BEHIND}</p>")) <= 1


def test_a_list_that_stands_twice_on_a_page_is_put_back_once() -> None:
    page = f"<p>{BEFORE}</p>{ITEMS}<div>{ITEMS}</div><p>{BEHIND}</p>"
    assert with_lists(lists_in(page), f"{BEFORE}\n\n{BEHIND}").count("Bed: 20") <= 1


def test_what_stands_side_by_side_or_in_lines_of_its_own_is_parted() -> None:
    [one] = lists_in(
        f"<p>{BEFORE}</p><ul><li><b>Adults</b><span>12 €</span></li><li>Bed<br>20 €</li></ul><p>{BEHIND}</p>"
    )
    assert one.items == ("Adults 12 €", "Bed 20 €")
