import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from tests.chatbot.frontends.terminal.drawing.test_streams import rendered

TEXT = [
    "count(*)",
    "sum(*),",
    "SELECT * FROM t",
    "a*b*c",
    "2 * 3 * 4",
    "x**2",
    "2**10",
    "f(*args, **kwargs)",
    "(a)*(b)*(c)",
    "*.py",
    "**/*.txt",
    "src/**",
    "/*c*/",
    "M*A*S*H",
    "****",
    "__init__",
    "__name__",
    "__init__.py",
    "a_b_c",
    "_x",
    "$x_1$",
    "$y_{i}$",
    r"\hat{y}_{i}+\hat{z}_{j}",
    "https://a.example/_b_/c*d*e",
    "www.a.example/_b_/",
    "<T>",
    "List<T>",
    "<b>bold</b>",
    "<!-- c -->",
    "<https://a.example>",
    "<a@b.example>",
    "&amp;",
    "&#65;",
    "&lt;p&gt;",
    r"C:\new\*dir",
    r"\\server\share",
    r"\(x\)",
    r"\[ y \]",
    r"\frac{a}{b}",
    r"\d+\.\w*",
    r"\$HOME",
    "dir\\",
    "[^1]",
    "[1][2]",
    "[ ]",
    "[a]: b",
    "cells[row](value)",
    "calls[0]()",
    "a[1](b.c)",
    "~5",
    "~/notes",
    "a ~ b",
    "$5",
    "$$z$$",
    "100%",
    "C#",
    "a|b",
    "1986. A year",
    "#tag",
    "::: note",
    "^up^",
    "{{name}}",
]
MARKED = {
    "*so*": "so",
    "**so it is**": "so it is",
    "_so_": "so",
    "__so it is__": "so it is",
    "***so***": "so",
    "**.NET**": ".NET",
    "**src/**": "src/",
    "**/etc/hosts**": "/etc/hosts",
    "**S**tructured": "Structured",
    "**Input**/**Output**": "Input/Output",
    "(*so*)": "(so)",
    '"**so**"': '"so"',
    "**https://a.example**": "https://a.example",
    "**(so)**": "(so)",
    "**`so`**": "so",
    "**_so_**": "so",
    "~~so~~": "so",
    "so~~[2]~~": "so[2]",
    "`count(*)`": "count(*)",
    r"\*so\*": "*so*",
    r"snake\_case": "snake_case",
    r"2 \* 3": "2 * 3",
    "[so](https://a.example)": "so (https://a.example)",
    '[so](https://a.example "it is")': 'so (https://a.example "it is")',
    "![so](a.png)": "[image: so] (a.png)",
}

# Without spaces between its words a script leaves it to the pairs of markers where they open and where they close.
UNSPACED = {"这是**重要**的": "这是重要的"}


def packed(text: str) -> str:
    return "".join(text.split())


def shown(text: str) -> str:
    return "\n\n".join(rendered([text], width=200))


@given(st.lists(st.tuples(st.sampled_from([*TEXT, *MARKED]), st.sampled_from([" ", "\n", "\n\n"])), max_size=12))
@settings(deadline=None, max_examples=300)
def test_whatever_is_not_markup_reaches_the_screen(pieces: list[tuple[str, str]]) -> None:
    text = "".join(f"and {piece}{gap}" for piece, gap in pieces)
    expected = "".join(f"and {MARKED.get(piece, piece)}{gap}" for piece, gap in pieces)
    assert packed(shown(text)) == packed(expected)


@pytest.mark.parametrize("text", TEXT)
def test_a_text_with_characters_of_markup_is_shown_as_it_was_written(text: str) -> None:
    for whole in (f"So {text} is", f"So ({text}) and ({text}).", f"- So {text}"):
        assert packed(shown(whole).removeprefix("• ")) == packed(whole.removeprefix("- "))


@pytest.mark.parametrize(("text", "drawn"), [*MARKED.items(), *UNSPACED.items()])
def test_emphasis_that_really_is_emphasis_is_drawn(text: str, drawn: str) -> None:
    assert shown(f"So {text}, too") == f"So {drawn}, too"


@given(st.text(alphabet="xyw*_`~<>[]()\\#&;$|-+.!:/ \n", max_size=60))
@example("| x |\n|---|\n| y | w |")
@settings(deadline=None, max_examples=500)
def test_no_letter_of_any_text_is_lost(text: str) -> None:
    # The language of a block of code is not shown.
    assume("```" not in text and "~~~" not in text)
    assert [c for c in shown(text) if c in "xyw"] == [c for c in text if c in "xyw"]


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("1) one\n2) two", "1) one\n2) two"),
        ("3. three\n7. seven", "3. three\n7. seven"),
        ("1. one\n1. two\n1. three", "1. one\n2. two\n3. three"),
        ("2020. A year", "2020. A year"),
        ("-\n- two", "•\n• two"),
        (">", "│"),
        ("#", "#"),
        ("1\n=\n2", "1\n=\n2"),
        ("a\n-", "a\n-"),
        ("```python title=a.py\nx\n```", "  python title=a.py\n  x"),
        ("``` x = 1\ny\n```", "  x = 1\n  y"),
        ("```c++\nx\n```", "  x"),
        ("| a | b |\n|---|---|\n| 1 | 2 | 3 |", "a  b\n1  2 | 3"),
        ("| a | b |\n|---|---|\n| count(*) | a\\|b |", "a         b\ncount(*)  a|b"),
        ("As told:\n| a | b |\n|---|---|\n| 1 | 2 | 3 |", "As told:\n\na  b\n1  2 | 3"),
        ("- As told:\n  | a | b |\n  |---|---|\n  | 1 | 2 |", "• As told:\n  a  b\n  1  2"),
        ("> As told:\n> | a | b |\n> |---|---|\n> | 1 | 2 |", "│ As told:\n│ a  b\n│ 1  2"),
    ],
)
def test_blocks_keep_what_was_written_in_them(text: str, drawn: str) -> None:
    assert shown(text) == drawn


def test_the_lines_of_poems_and_addresses_are_kept() -> None:
    poem = "*Wanderers Nachtlied*\nÜber allen Gipfeln\nIst Ruh,  \n**In** allen Wipfeln\n\n> Spürest du\n> Kaum\n"
    address = "- Ada Lovelace\n  12 St James's Square\n  London\n"
    assert shown(poem + "\n" + address) == (
        "Wanderers Nachtlied\nÜber allen Gipfeln\nIst Ruh,\nIn allen Wipfeln\n\n│ Spürest du\n│ Kaum\n\n"
        "• Ada Lovelace\n  12 St James's Square\n  London"
    )


@pytest.mark.parametrize("text", ["*" * 5000, "__a" * 5000, "[a](" * 2000, "\\a*" * 5000, "a_" * 5000, "(*a)" * 3000])
def test_markers_without_end_are_shown_whole(text: str) -> None:
    assert packed(shown(text)) == text or set(text) == {"*"}
