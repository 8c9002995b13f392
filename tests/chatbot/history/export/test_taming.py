"""Nothing in a model's Markdown is live, whoever shows it; and what is code stays as it is."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from chatbot.conversation.messages import Message
from chatbot.history.export.documents import to_markdown
from chatbot.history.export.taming import tame_markdown
from chatbot.history.sessions import Sessions

LIVE = "<img src=https://spy.example/p.png onerror=alert(1)>"
PICTURE = "![p](https://spy.example/p.png)"
VIEWERS = (
    MarkdownIt("commonmark"),
    MarkdownIt("commonmark").enable(["table", "strikethrough"]),
    # One that reads a note's indented lines as a part of the note, as GitHub does.
    MarkdownIt("commonmark").disable("code"),
)
for viewer in VIEWERS:
    viewer.validateLink = lambda url: True  # type: ignore[method-assign]


def live(text: str) -> list[str]:
    """What a viewer would carry out or load of a text."""
    found: list[str] = []

    def look(tokens: list[Token]) -> None:
        for token in tokens:
            href = str(token.attrGet("href") or "https:")
            if token.type in ("html_inline", "html_block", "image"):
                found.append(f"{token.type}: {token.content}")
            elif not href.startswith(("https:", "http:", "mailto:", "#")) and ":" in href:
                found.append(f"{token.type}: {href}")
            look(token.children or [])

    for viewer in VIEWERS:
        look(viewer.parse(text))
    return found


ATTEMPTS = (
    LIVE,
    PICTURE,
    f"!{PICTURE}",
    f"\\\\!{PICTURE}",
    f"\\{LIVE}",
    f"\\\\{LIVE}",
    f"`not code {LIVE}",
    f"``not code ` {LIVE}",
    f"\\`not code` {LIVE} `",
    f"`` ` `` {LIVE} `` ` ``",
    f"a ` b\n\n{LIVE} ` c",
    f"a ` b\n# {LIVE} `",
    f"- a ` b\n- {LIVE} ` c",
    f"inline ``` no fence\n{LIVE}\n```",
    f"``` a`b\n{LIVE}\n```",
    f"```\ncode\n~~~\n```\n{LIVE}\n~~~",
    f"````\n```\n````\n{LIVE}\n```\n```",
    f"   ```\ncode\n   ```\n{LIVE}\n```\n",
    f"    ```\n{LIVE}\n    ```",
    f"> ```\n{LIVE}\n> ```",
    f"- ```\n{LIVE}\n```",
    f"| a | b |\n|---|---|\n| `x | {LIVE}` |",
    f"text\n\n    {LIVE}",
    f"[^1]: note\n\n    {LIVE}",
    f"<!-- ` -->{LIVE}<!-- ` -->",
    f'<a title="`">{LIVE}`</a>',
    f"<https://a.example/`>{LIVE}`",
    f"<https://a.example/ {LIVE}",
    f"[`a](https://a.example/`) {LIVE}",
    f"![a]\n\n[a]: https://spy.example/p.png\n{LIVE}",
    "![](`<https://a.b>)",
    "`\n<!--`",
    f"``\n<div>{LIVE}``",
    "<script>alert(1)</script>",
    "<style>@import 'https://spy.example'</style>",
    "<svg/onload=alert(1)>",
    "<?php x ?><![CDATA[ x ]]></div>",
    "[x](javascript:alert(1))",
    "[x](java&#115;cript:alert(1)) and [y]( <JavaScript:alert(1)>)",
    "[x](&Tab;javascript:alert(1))",
    "[x][d]\n\n[d]: data:text/html,<script>alert(1)</script>",
    "<javascript:alert(1)>",
    "[d]:\n  file:///etc/passwd",
)


@pytest.mark.parametrize("text", ATTEMPTS)
def test_nothing_in_an_answer_is_live_whoever_shows_it(text: str) -> None:
    assert live(tame_markdown(text)) == []


def test_these_would_be_live_if_they_were_left_alone() -> None:
    assert [text for text in ATTEMPTS if not live(text)] == [
        f"\\{LIVE}",
        f"\\`not code` {LIVE} `",
        "<svg/onload=alert(1)>",
        "[d]:\n  file:///etc/passwd",
    ]


@pytest.mark.parametrize(
    "open_", ["```", "~~~~ html", "> ```", "- ```\n  a", "1. x\n\n   ~~~", "text `", "<!--", "<pre>"]
)
async def test_what_one_answer_leaves_open_changes_nothing_in_the_next(tmp_path: Path, open_: str) -> None:
    sessions = await Sessions.open(tmp_path / "sessions.db")
    said = [f"{open_}\n{LIVE}", f"```\n{LIVE}\n```", f"`x`\n\n{open_}", f"~~~\n{LIVE}\n~~~\n\n[d]: javascript:alert(1)"]
    for text in said:
        await sessions.append("one", Message("user", f"{text} [x][d]"), Message("assistant", text, thinking=text))
    text = to_markdown(await sessions.load("one"))
    await sessions.close()
    ours = {"html_block: <details><summary>Thinking</summary>\n", "html_block: </details>\n"}
    assert set(live(text)) == ours
    assert text.count("\n## Magpie\n") == sum(
        token.type == "heading_open" and token.tag == "h2" for token in VIEWERS[1].parse(text)
    ) - len(said)


@pytest.mark.parametrize(
    "text",
    [
        "```python\n<b> ![x](y)\n```",
        "Use `<div>` and `![a](b)`, or `` ` <b> ` ``.",
        "- a\n  ```\n  <b>\n  ```\n\n> ~~~\n> <b>\n> ~~~",
        "1 < 2 and 3 > 2, wow! [1] <https://a.example/b?c=d>",
        "| a | `<b>` |\n|---|---|\n| 1 | ~~2~~ |",
        "[good](https://a.example/) [place](#here) [mail](mailto:a@b.example)\n\n[d]: https://b.example/ 'x'",
    ],
)
def test_what_is_code_or_harmless_stays_as_it_was(text: str) -> None:
    assert tame_markdown(text) == text


def test_what_is_tamed_is_still_read_as_it_was_written() -> None:
    shown = VIEWERS[1].renderInline(tame_markdown("Wow![1] \\<b> <i>x</i> ![a](https://b.example/)"))
    assert shown == 'Wow![1] &lt;b&gt; &lt;i&gt;x&lt;/i&gt; !<a href="https://b.example/">a</a>'


PIECES = [
    "`",
    "``",
    "```",
    "~~~",
    "\n",
    "\n\n",
    "    ",
    "> ",
    "- ",
    "1. ",
    "|",
    "|-|-|\n",
    "\\",
    "!",
    "![",
    "[",
    "](",
    ")",
]
PIECES += [
    "<b>",
    "<!--",
    "-->",
    "<img src=x>",
    "<",
    "a",
    " ",
    "*",
    "<https://a.b>",
    "[d]: x:y\n",
    "](x:y)",
    "# ",
    "&#96;",
    "\t",
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
def test_nothing_is_live_in_whatever_a_model_may_write(text: str) -> None:
    assert live(tame_markdown(text)) == []
    assert live(f"{tame_markdown(text)}\n\n```\n<b>\n```\n") == []
