import io
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from chatbot.frontends.terminal.drawing.screen import Screen
from chatbot.frontends.terminal.drawing.streams import Kind, Stream
from chatbot.frontends.terminal.drawing.theme import THEME

ANSWER = """The **ferry** leaves at nine [1].
It costs four crowns~~[9]~~.

# Heading
Setext
---
1. one
2. two

   still two
- other list
  - nested

    ```python
    x = 1

    y = 2
    ```
***
| a | b |
|---|--:|
| c | 12 |

para right after
> quote
lazy

    indented code

```text
# not a heading

- not a list
```
<div>not hidden</div>

[1]: https://not.hidden.example

- a
**bold**
end"""


def rendered(pieces: list[str], kind: Kind = "answer", width: int = 60) -> list[str]:
    """What is printed for good: a list of lines for each block."""
    screen = Screen(Console(file=io.StringIO(), width=width, theme=THEME, color_system=None))
    stream = Stream(kind)
    blocks = [block for piece in pieces for block in stream.feed(piece)] + stream.finish()
    return ["\n".join(screen.render_lines(block)) for block in blocks]


@given(st.lists(st.integers(0, len(ANSWER)), max_size=30))
@settings(deadline=None, max_examples=60)
def test_however_the_stream_is_chunked_the_same_blocks_are_printed_once(cuts: list[int]) -> None:
    edges = [0, *sorted(cuts), len(ANSWER)]
    assert rendered([ANSWER[a:b] for a, b in pairwise(edges)]) == rendered([ANSWER])


@given(st.text(alphabet="-*_#>|`~1.) \n\tab[]<&\r\x1b\u202e", max_size=60), st.integers(1, 5))
@settings(deadline=None, max_examples=150)
def test_any_text_comes_out_the_same_in_pieces_of_any_size(text: str, size: int) -> None:
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    assert rendered(pieces) == rendered([text])


def test_a_block_is_printed_as_soon_as_the_next_one_begins() -> None:
    stream = Stream("answer")
    assert [
        len(stream.feed(piece)) for piece in ["One", ".\n", "\n", "Two", ".\n", "\n```\n", "x\n\ny\n", "```\n", "End"]
    ] == [
        0,
        0,
        0,
        0,
        1,
        1,
        0,
        0,
        0,
    ]
    assert len(stream.finish()) == 2


def test_markdown_is_shown_with_nothing_hidden() -> None:
    assert rendered([ANSWER]) == [
        "The ferry leaves at nine [1].\nIt costs four crowns[9].",
        "Heading",
        "Setext",
        "1. one\n2. two\n   still two",
        "• other list\n  • nested\n      x = 1\n\n      y = 2",
        "─" * 60,
        "a   b\nc  12",
        "para right after",
        "│ quote\n│ lazy",
        "  indented code",
        "  # not a heading\n\n  - not a list",
        "<div>not hidden</div>",
        "[1]: https://not.hidden.example",
        "• a\n  bold\n  end",
    ]


def test_plain_text_stays_as_it_is() -> None:
    assert rendered(["# One\n", "**two", "** three\n\nfour"], "plain") == ["# One", "**two** three", "four"]


@pytest.mark.parametrize(
    "hostile",
    [
        "\x1b[31mred\x1b[0m",
        "&#13;gone &#x202e;evil &#27;[2J",
        "[link](https://a.example/&#13;x)",
        "![&#x202e;](https://a.example)",
        "`\x1b]52;c;aGk=\x07`",
        "```\x1b]0;title\x07\n\x9b2J\n```",
        "[/red] [bold]markup[/nonsense]",
        "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
        "a\x1b",
        "| a |\n|---|\n| \x1b[2J |",
        "*\u202e\U000e0041*",
    ],
)
@pytest.mark.parametrize("kind", ["answer", "plain", "thinking"])
def test_no_control_character_of_a_text_reaches_the_terminal(hostile: str, kind: Kind) -> None:
    for pieces in ([hostile], list(hostile), [hostile + "\n\nEnd"]):
        shown = "".join(rendered(pieces, kind)).replace("\n", "")
        assert not [c for c in shown if c < " " or "\x7f" <= c <= "\x9f" or c in "\u202e\U000e0041"], shown


def test_nothing_breaks_at_sixty_columns() -> None:
    deep = "> " * 30 + "deep\n\n" + "".join("  " * level + f"- {level}\n" for level in range(30))
    wide = "| " + " | ".join(["日本語のテキスト" * 5, "👩‍👩‍👧‍👦" * 20, "x" * 500] * 4) + " |\n|" + "---|" * 12 + "\n"
    for text in (
        deep,
        wide + wide.split("\n")[0],
        "x" * 5000,
        "日" * 3000,
        "🏳️‍🌈" * 500,
        "#" * 4000,
        "`" * 4000,
        "[" * 4000,
    ):
        lines = "\n".join(rendered([text])).split("\n")
        assert max(cell_len(line) for line in lines) <= 60, text[:20]


def test_a_very_long_word_takes_no_long_time() -> None:
    assert len("".join(rendered(["x" * 100_000])).replace("\n", "")) == 100_000


def test_a_very_long_block_comes_out_whole_and_takes_no_long_time() -> None:
    items = [f"- item {number}\n" for number in range(900)]
    assert rendered([*items, "\n", "End"]) == ["".join(items).replace("- ", "• ").rstrip(), "End"]
    stream = Stream("answer")
    for item in items:
        stream.feed(item)
    [preview] = stream.preview_lines()
    assert str(preview).splitlines()[-1] == "- item 899"


def test_a_block_of_blanks_is_none() -> None:
    assert (
        rendered(["One\n\n", "\u2028\u2028\n\n", "Two"]) == rendered(["One\n\n\u2028\u2028\n\nTwo"]) == ["One", "Two"]
    )
