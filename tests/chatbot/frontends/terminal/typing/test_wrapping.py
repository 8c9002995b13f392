from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.layout.controls import BufferControl
from prompt_toolkit.layout.processors import Transformation, TransformationInput
from prompt_toolkit.layout.screen import Char

from chatbot.frontends.terminal.typing.wrapping import WordWrap

ROOM = 20
TEXT = st.text(alphabet="ab  cdefgh日本👩é\t", max_size=200)


def wrapped(text: str, room: int = ROOM) -> Transformation:
    control = BufferControl(Buffer())
    given = TransformationInput(control, Document(text), 0, lambda place: place, [("", text)], room + 2, 10)
    return WordWrap(2).apply_transformation(given)


def drawn(text: str) -> str:
    return "".join(fragment[1] for fragment in wrapped(text).fragments)


def rows(text: str) -> list[str]:
    """The rows as the prompt makes them of a line: cut where one is full."""
    found, used = [""], 0
    for character in drawn(text):
        width = Char(character, "").width
        if used + width > ROOM:
            found.append("")
            used = 0
        found[-1] += character
        used += width
    return found


def test_a_row_ends_between_words() -> None:
    assert [row.rstrip() for row in rows("The quick brown fox jumps over the lazy dog and sleeps")] == [
        "The quick brown fox",
        "jumps over the lazy",
        "dog and sleeps",
    ]


def test_a_word_that_is_longer_than_a_row_is_cut() -> None:
    assert [row.rstrip() for row in rows("see " + "x" * 30 + " now")] == ["see " + "x" * 16, "x" * 14 + " now"]


def test_a_line_that_fits_stays_as_it_is() -> None:
    assert drawn("short enough") == "short enough"
    assert drawn("") == ""


@given(TEXT)
@settings(deadline=None)
def test_each_character_is_where_it_is_said_to_be(text: str) -> None:
    made = wrapped(text)
    shown = drawn(text)
    for place, character in enumerate(text):
        assert shown[made.source_to_display(place)] == character
        assert made.display_to_source(made.source_to_display(place)) == place
    assert made.source_to_display(len(text)) == len(shown)
    places = [made.display_to_source(place) for place in range(len(shown) + 1)]
    assert places == sorted(places)
    assert set(places) == set(range(len(text) + 1))


@given(TEXT)
@settings(deadline=None)
def test_every_row_is_full_so_that_the_prompt_counts_them_right(text: str) -> None:
    *full, _ = rows(text)
    if drawn(text) != text or full:
        assert all(sum(Char(character, "").width for character in row) == ROOM for row in full)


@given(st.lists(st.text(alphabet="abcdefgh", min_size=1, max_size=ROOM - 1), max_size=30))
@settings(deadline=None)
def test_no_word_that_finds_room_in_a_row_is_cut(words: list[str]) -> None:
    assert [word for row in rows(" ".join(words)) for word in row.split()] == words
