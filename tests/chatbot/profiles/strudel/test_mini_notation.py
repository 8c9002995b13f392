"""Which patterns are read, and what is said of those that cannot be."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.profiles.strudel.mini_notation import NotationError, check_notation

VALID = (
    "",
    "bd",
    "bd sd hh cp",
    "bd*4",
    "[bd sd]*2 hh*8",
    "bd [sd sd] ~ hh",
    "bd - sd -",
    "<c3 e3 g3>/2",
    "<[c3,eb3,g3] [f3,a3,c4]>",
    "c3 . e3 g3 . b3",
    "bd(3,8) sd(5,8,2)",
    "bd(<3 5>,8,<0 2>)",
    "hh*16?",
    "hh*8?0.3",
    "bd!3 sd",
    "bd! sd",
    "bd@3 sd",
    "bd _ _ sd",
    "bd:3 sd:<1 2>",
    "{c3 e3 g3}%8",
    "{bd sd, hh hh hh}%4",
    "bd | sd | cp",
    "0 .. 7",
    "-1 0.5 1e3 .25",
    "C4:minor:pentatonic",
    "<C^7 Dm7 G7>",
    "c#3 eb4 fs2",
    "#ff0000 red",
    "bd sd, hh*8, ~ cp",
    "[bd | sd]*4",
    "bd*<2 3 4>",
    "bd*[2 3]",
    "bd sd // the drums",
    "\n  bd sd\n  hh hh\n",
    "^ a b",
    "1/8",
)

NESTABLE = [pattern for pattern in VALID if pattern and "//" not in pattern]


@pytest.mark.parametrize("pattern", VALID)
def test_what_strudel_plays_is_read(pattern: str) -> None:
    check_notation(pattern)


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("bd [sd", "the [ is not closed"),
        ("bd [sd hh>", "> stands where ] is wanted"),
        ("bd ]", "] closes nothing"),
        ("<c3 e3", "the < is not closed"),
        ("bd(3,8", "the ( is not closed"),
        ("bd(3)", "in ( ) stand two or three numbers, as in (3,8) or (3,8,2)"),
        ("bd*", "the end cannot stand where a sound, note or number is wanted"),
        ("*4", "* cannot stand where a sound, note or number is wanted"),
        ("bd []", "there is nothing between [ and ]"),
        ("bd,", "there is nothing beside a separator"),
        ("bd, sd | hh", ", and | cannot stand beside each other without brackets"),
        ("bd; sd", "; cannot stand where a sound, note or number is wanted"),
        ("bd = sd", "= cannot stand where a sound, note or number is wanted"),
        ("(3,8)", "( cannot stand where a sound, note or number is wanted"),
        ("[" * 60 + "bd" + "]" * 60, "it is nested more than 50 deep"),
    ],
)
def test_what_cannot_be_read_is_said(pattern: str, said: str) -> None:
    with pytest.raises(NotationError) as raised:
        check_notation(pattern)
    assert str(raised.value) == said


@given(st.text(alphabet="bds c3~<>[]{}(),|.*/!@?:%_^-0.5\n", max_size=60))
def test_any_text_is_read_or_refused(pattern: str) -> None:
    try:
        check_notation(pattern)
    except NotationError as error:
        assert str(error)


@given(
    st.lists(
        st.sampled_from([one for one in VALID if one and "//" not in one and not one.startswith("^")]),
        min_size=1,
        max_size=4,
    )
)
def test_what_is_read_is_read_in_brackets_as_well(patterns: list[str]) -> None:
    check_notation(" ".join(f"[{one}]*2" for one in patterns))
    check_notation(", ".join(f"<{one}>" for one in patterns))
