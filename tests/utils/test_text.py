"""Cleaning: what a terminal obeys and what deceives goes, what people write stays."""

import itertools
import json
import os
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.attacks.terminal import SEEN, cut_everywhere, is_harmless, streamed
from tests.conftest import Tally
from tests.fakes.attacks import escapes, naughty_strings, needs_attacks
from utils.text import LONGEST_STRING, StreamCleaner, clean, json_line, one_line, reveal_hidden, without_controls

# Parts of escape sequences, and characters beside which others have a meaning.
PARTS = ["\x1b", "\x1b[", "\x1b]0;", "\x9b", "\x9d", "\x07", "\x1b\\", "\x9c", "31;1", "m", "\r", "\n", "\t", "\u200d"]
PARTS += ["\ufe0f", "\u0301", "\u0301" * 5, "\u202e", "❤", "é", "क", "می", "\ud83d", "\u3164", "a", "\U000e0041"]
hostile = st.lists(st.one_of(st.sampled_from(PARTS), st.characters(), st.text(max_size=3))).map("".join)


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]52;c;AAAA\x1b\\after", "after"),
        ("\x9d52;c;AAAA\x9cafter", "after"),
        ("\x1bP1|17/6c73\x1b\\after", "after"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b(0a\x1bcb", "ab"),
        ("one\r\ntwo\rthree\u2028four\u2029five\x0csix", "one\ntwo\nthree\nfour\nfive\nsix"),
        ("a\x00\x08\x7f\x85b", "a\nb"),
        ("\u202egpj.exe \u2066x\u2069 \u200fy", "gpj.exe x y"),
        ("a\U000e0041\u3164\u034f\u00ad\ufeff\ufff9b", "ab"),
        ("pay\u200bpal pay\u200dpal pay\ufe0fpal", "paypal paypal paypal"),
        ("half \ud83d of a pair", "half \ufffd of a pair"),
        ("z" + "\u0301" * 50, "z" + "\u0301" * 6),
    ],
)
def test_what_a_terminal_obeys_or_what_deceives_is_taken_out(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    "text",
    [
        "می‌خواهم",
        "क्‍ष",
        "👩‍👩‍👧‍👦 ❤️‍🔥 1️⃣ 🏳️‍🌈 👍🏽",
        "ế ö",
        "שָׁ֖לוֹם",
        "ประเทศ",
        "葛\U000e0100城",
        "ᠮᠣᠩᠭᠣᠯ ᠢ᠋",
        "[bold]not markup[/bold] [/] :skull:",
        "\\x1b[31m ^[[2J",
        "two\n\tlines",
        "─" * 100,
    ],
)
def test_what_people_write_stays(text: str) -> None:
    assert clean(text) == text


@pytest.mark.parametrize("opening", ["\x1b]0;", "\x9d", "\x1bP", "\x1b[" + "1;" * 200])
def test_what_is_never_ended_swallows_nothing(opening: str) -> None:
    rest = "A" * 2 * LONGEST_STRING + "\nthe answer"
    assert clean(opening + rest).endswith(rest)
    assert streamed(*opening, *rest).endswith(rest)


def test_a_stream_is_held_back_no_longer_than_a_control_string_may_be() -> None:
    cleaner = StreamCleaner()
    shown = [len(cleaner.feed("A" * 100)) for _ in [cleaner.feed("\x1b]0;")] for _ in range(50)]
    assert sum(shown) > 50 * 100 - 200


def test_every_character_of_format_goes_but_those_that_are_seen_or_join() -> None:
    formats = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}]
    assert {c for c in formats if clean(f"a{c}b") == f"a{c}b"} == SEEN | {"\n", "\t"}


@needs_attacks
def test_every_escape_is_cleaned_also_when_the_stream_is_cut_anywhere(tally: Tally) -> None:
    wrong, tried = {}, 0
    for name, payload in escapes().items():
        # A bomb repeats itself: it is cut everywhere near its beginning, and here and there.
        near, far = (len(payload), 97) if os.environ.get("ATTACK") else (200, 4001)
        places = [*range(min(len(payload), near, 5000) + 1), *range(near, len(payload), far)]
        tried += len(places)
        if said := cut_everywhere(payload, places):
            wrong[name] = said
        if streamed(*payload[:2000]) != clean(payload[:2000]):
            wrong[name] = "is cleaned in another way character by character"
    tally("escapes cut in two anywhere", tried, wrong)


@needs_attacks
def test_naughty_strings_are_cleaned() -> None:
    for text in naughty_strings():
        assert is_harmless(clean(text))
        assert streamed(*text) == clean(text)


@given(hostile, st.lists(st.integers(0, 60)))
@example("\x1b]0;a\x1b", [5])
@example("a\r\n", [2])
@settings(max_examples=300, deadline=None)
def test_a_stream_is_cleaned_as_the_whole_is_and_once_is_enough(text: str, cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(text)]
    pieces = [text[begin:end] for begin, end in itertools.pairwise(places)]
    pieces = pieces if "".join(pieces) == text else list(text)
    whole = clean(text)
    assert is_harmless(whole)
    assert clean(whole) == whole
    assert streamed(*pieces) == whole


@given(hostile)
@settings(max_examples=100, deadline=None)
def test_json_on_one_line_loses_nothing_and_shows_nothing_hidden(text: str) -> None:
    line = json_line({"text": text})
    assert json.loads(line) == {"text": text}
    assert clean(line) == line
    assert "\n" not in line
    line.encode()


def test_the_last_look_leaves_what_is_laid_out_in_its_place() -> None:
    assert without_controls("a\x1b[2J\u202e👩‍👧\ud800") == "a[2J👩‍👧\ufffd"


def test_what_the_user_must_see_all_of_hides_nothing() -> None:
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "key")
    assert reveal_hidden(f"heron{hidden}\x1b[8m\u200b") == r"heron\udb40\udc6b\udb40\udc65\udb40\udc79\u001b[8m\u200b"
    assert reveal_hidden("two\n\tlines, crème brûlée") == "two\n\tlines, crème brûlée"


def test_one_line_is_cut_with_an_ellipsis() -> None:
    assert one_line(" a\x1b[2J\n b\u2028c ") == "a b c"
    assert one_line("abcdef", 4) == "abc…"
