"""The page's reader of Markdown, in the browser for which it was written."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio
from playwright.async_api import Browser, Page

from tests.fakes.api_server import configured, running_api
from tests.fakes.browser import browsing, in_one_chromium

pytestmark = in_one_chromium
READ = """async (text) => {
    const { showMarkdown } = await import("/page/markdown.js");
    const root = document.createElement("div");
    const note = (number) => Object.assign(document.createElement("sup"), { textContent: number });
    showMarkdown(root, text, (number) => (number < 3 ? note(number) : null));
    const unread = "dir tabindex role aria-label title target rel referrerpolicy scope".split(" ");
    for (const each of root.querySelectorAll("*")) {
        for (const name of unread) each.removeAttribute(name);
    }
    root.querySelectorAll(".code-head").forEach((one) => one.remove());
    return root.innerHTML;
}"""
READINGS = {
    "a *b* **c** ***d***": "<p>a <em>b</em> <strong>c</strong> <strong><em>d</em></strong></p>",
    "_e_ ~~f~~ snake_case 2 * 3 * 4": "<p><em>e</em> <del>f</del> snake_case 2 * 3 * 4</p>",
    "one\ntwo  \nthree\n\nfour": "<p>one\ntwo<br>three</p><p>four</p>",
    "# A #\n## B\ntext": "<h3>A</h3><h4>B</h4><p>text</p>",
    "- a\n- b\n  - c\n\n1. x\n2. y": "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul><ol><li>x</li><li>y</li></ol>",
    "3. a\n4. b": '<ol start="3"><li>a</li><li>b</li></ol>',
    "- [ ] a\n- [x] b": "<ul><li>☐ a</li><li>☑ b</li></ul>",
    "> a\n> > b": "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>",
    "```py\na < b\n\nc\n```\nd": '<div class="code"><pre><code>a &lt; b\n\nc</code></pre></div><p>d</p>',
    "```\nnot at its end": '<div class="code"><pre><code>not at its end</code></pre></div>',
    "a `b * c` ``d ` e``": "<p>a <code>b * c</code> <code>d ` e</code></p>",
    "|a|b|\n|-|-:|\n|1|2 \\| 3|": '<div class="table"><table><thead><tr><th>a</th><th class="end">b</th></tr></thead>'
    '<tbody><tr><td>1</td><td class="end">2 | 3</td></tr></tbody></table></div>',
    "a [1][2], [1, 2] [7] ~~[1]~~": "<p>a <sup>1</sup><sup>2</sup>, <sup>1</sup><sup>2</sup> [7] <del>[1]</del></p>",
    '[a](https://b.example/c_(d) "e")': '<p><a href="https://b.example/c_(d)">a</a></p>',
    "(https://b.example/x).": '<p>(<a href="https://b.example/x">https://b.example/x</a>).</p>',
    "[a](/b) [c](javascript:d)": "<p><span>a (/b)</span> <span>c (javascript:d)</span></p>",
    "![a](https://b.example/c)": '<p><span class="picture">Picture: a (<a href="https://b.example/c">'
    "https://b.example/c</a>)</span></p>",
    "\\*a\\* &amp; &lt;b&gt; <i>c</i>": "<p>*a* &amp; &lt;b&gt; &lt;i&gt;c&lt;/i&gt;</p>",
    "a\n\n---\n\nb": "<p>a</p><hr><p>b</p>",
    "": "",
}
MANY = 20_000
ENDLESS = {
    **{
        f"many {mark!r}": mark * MANY for mark in ("*", "_", "`", "[", "![", "](", "~~", "<", ">", "> ", "&", "\\", "|")
    },
    "half strong": "**a " * MANY,
    "half code": "`a ``b " * MANY,
    "blanks in a heading": "# " + " " * MANY + "x",
    "blanks in a fence": "```" + " " * MANY + "`",
    "blanks in a link": "[a](" + " " * MANY + "x",
    "blanks in a table": "a|b\n-|-" + " " * MANY + "x",
    "deep lists": "\n".join("  " * depth + "- a" for depth in range(1000)),
    "long table": "a|b\n-|-\n" + "1|2\n" * 2000,
    "open brackets": "[a](b" * MANY,
    "addresses": "https://a.example/" * 2000,
}


@pytest_asyncio.fixture(loop_scope="module")
async def page(tmp_path: Path, chromium: Browser) -> AsyncIterator[Page]:
    async with running_api(configured(tmp_path)) as api, browsing(chromium) as tab:
        await tab.page.goto(f"{api.url}/")
        yield tab.page


async def test_markdown_becomes_the_elements_that_it_means(page: Page) -> None:
    assert {text: await page.evaluate(READ, text) for text in READINGS} == READINGS


async def test_no_text_keeps_the_page_from_going_on(page: Page) -> None:
    for name, text in ENDLESS.items():
        assert await page.evaluate(READ, text), name


async def test_what_stays_the_same_while_a_text_grows_is_not_made_anew(page: Page) -> None:
    same = await page.evaluate(
        """async () => {
            const { showMarkdown } = await import("/page/markdown.js");
            const root = document.createElement("div");
            showMarkdown(root, "# One\\n\\nTwo\\n\\nThr", () => null);
            const [first, second] = root.children;
            showMarkdown(root, "# One\\n\\nTwo\\n\\nThree", () => null);
            return [first === root.children[0], second === root.children[1], root.children[2].textContent];
        }"""
    )
    assert same == [True, True, "Three"]
