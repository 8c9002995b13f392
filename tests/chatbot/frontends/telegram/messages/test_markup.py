"""Markdown as Telegram shows it."""

import pytest

from chatbot.frontends.telegram.messages.markup import MAX_MARKUP_COLUMNS, align_table, render_markdown
from chatbot.frontends.telegram.messages.runs import plain_text, split_runs, write_html
from tests.fakes.attacks import naughty_strings, needs_attacks
from tests.fakes.telegram import read_html


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("**b** *i* ~~s~~ `c<d`", "<b>b</b> <i>i</i> <s>s</s> <code>c&lt;d</code>"),
        ("# Title\n\ntext", "<b>Title</b>\n\ntext"),
        ("- a\n- b\n  - c\n\nend", "• a\n• b\n  • c\n\nend"),
        ("3. a\n4. b", "3. a\n4. b"),
        ("> said\n> so\n\nend", "<blockquote>said\nso</blockquote>\n\nend"),
        ("```\na < b\n```", "<pre>a &lt; b</pre>"),
        ("```c++ title\nx\n```", '<pre><code class="language-c++">x</code></pre>'),
        ('```"><script>\nx\n```', "<pre>x</pre>"),
        ("[here](https://a.example/?x=1&y=2)", '<a href="https://a.example/?x=1&amp;y=2">here</a>'),
        ("![a cat](https://a.example/cat.png)", '<a href="https://a.example/cat.png">a cat</a>'),
        ("[run](javascript:alert)", "[run](javascript:alert)"),
        ("<b>raw</b> & <script>", "&lt;b&gt;raw&lt;/b&gt; &amp; &lt;script&gt;"),
        ("a\n\n---\n\nb", "a\n\n———\n\nb"),
        ("**bold `code` bold**", "<b>bold </b><code>code</code><b> bold</b>"),
        ("At nine ~~[3]~~ [1].", "At nine <s>[3]</s> [1]."),
    ],
)
def test_markdown_becomes_the_html_that_telegram_knows(markdown: str, html: str) -> None:
    assert write_html(render_markdown(markdown)) == html


def test_a_table_is_shown_in_columns() -> None:
    written = write_html(render_markdown("| name | n |\n|---|---|\n| **a** | 1 |\n| long one | 22 |"))
    assert written == "<pre>name      n\na         1\nlong one  22</pre>"
    assert align_table([["a"], ["b", "c"]]) == "a\nb  c"


def test_a_list_in_a_quote_stays_in_it() -> None:
    assert write_html(render_markdown("> - a\n> - b")) == "<blockquote>• a\n• b</blockquote>"


@needs_attacks
def test_every_naughty_string_becomes_html_that_telegram_takes() -> None:
    for text in naughty_strings():
        for markdown in (text, f"**{text}**", f"`{text}`", f"> {text}", f"[x]({text})", f"```{text}\n{text}\n```"):
            for part in split_runs(render_markdown(markdown)):
                assert read_html(write_html(part)) == plain_text(part)


def test_what_would_take_long_is_shown_as_it_was_written() -> None:
    text = "*" * (MAX_MARKUP_COLUMNS + 1)
    assert plain_text(render_markdown(text)) == text


@pytest.mark.parametrize("text", ["> " * 1900 + "x", "[x]: https://a.example/", "````"])
def test_where_nothing_would_be_left_the_text_is_shown_as_it_was_written(text: str) -> None:
    assert plain_text(render_markdown(text)) == text
