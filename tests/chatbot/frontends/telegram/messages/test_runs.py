"""Runs of styled text: how long they are, where they are cut, what HTML they become."""

import pytest

from chatbot.frontends.telegram.messages.markup import render_markdown
from chatbot.frontends.telegram.messages.runs import (
    StyledRun,
    Tag,
    count_units,
    plain_text,
    split_runs,
    write_html,
    write_plain,
)
from tests.fakes.telegram import read_html

BOLD = Tag("b")


def test_a_character_beyond_the_basic_plane_counts_twice() -> None:
    assert (count_units("aé😀"), count_units("")) == (4, 0)


def test_elements_that_neighbours_share_are_opened_once() -> None:
    runs = [StyledRun("a", (BOLD,)), StyledRun("<b>", (BOLD, Tag("i"))), StyledRun("&")]
    assert write_html(runs) == "<b>a<i>&lt;b&gt;</i></b>&amp;"


def test_an_address_cannot_end_its_attribute() -> None:
    assert write_html([StyledRun("x", (Tag("a", 'https://a.example/"><script>'),))]) == (
        '<a href="https://a.example/&quot;&gt;&lt;script&gt;">x</a>'
    )


@pytest.mark.parametrize(
    "text", ["a" * 10_000, "😀" * 5000, "word " * 3000, "line\n" * 2000, "p\n\n" * 3000, "e\u0301" * 4000]
)
def test_no_message_is_longer_than_telegram_takes_and_nothing_is_lost(text: str) -> None:
    parts = [plain_text(part) for part in split_runs([StyledRun(text)])]
    assert all(0 < count_units(part) <= 4096 for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_a_long_text_is_cut_between_paragraphs() -> None:
    first, second = "a " * 1500, "b " * 1500
    parts = split_runs([StyledRun(f"{first.strip()}\n\n{second.strip()}")])
    assert [plain_text(part) for part in parts] == [first.strip(), second.strip()]


def test_long_code_ends_in_one_message_and_begins_again_in_the_next() -> None:
    lines = [f"    value_{number} = {number} < 2" for number in range(400)]
    parts = split_runs(render_markdown("\n".join(["Before.", "", "```python", *lines, "```", "", "After."])))
    written = [write_html(part) for part in parts]
    assert len(written) > 2
    for html in written:
        assert html.count('<pre><code class="language-python">') == html.count("</code></pre>") == 1
    shown = [line for part in parts for line in plain_text(part).split("\n") if line]
    # Each line is whole, and as far indented as it was.
    assert shown == ["Before.", *lines, "After."]


def test_a_cut_never_parts_an_element_from_its_end() -> None:
    for html in map(write_html, split_runs([StyledRun("x" * 9000, (BOLD, Tag("i")))])):
        assert read_html(html)


def test_messages_in_which_nothing_is_seen_are_left_out() -> None:
    assert split_runs([StyledRun(" \n\n "), StyledRun("\t", (BOLD,))]) == []


def test_without_markup_the_address_of_a_link_stands_behind_it() -> None:
    link = Tag("a", "https://a.example/x")
    runs = [StyledRun("see "), StyledRun("this ", (link,)), StyledRun("page", (link, BOLD)), StyledRun("!")]
    assert write_plain(runs) == "see this page (https://a.example/x)!"
    assert write_plain([StyledRun("https://a.example/x", (link,))]) == "https://a.example/x"
    full = [StyledRun("x" * 4090, (link,))]
    assert write_plain(full) == "x" * 4090
