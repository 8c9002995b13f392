"""Texts of a model, a page and a file that would run or load something in the page: they are shown as they are."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from rag.documents import Passage
from tests.chatbot.frontends.http_api.page.test_chat_page import ask
from tests.fakes.api_server import ScriptedEngine, configured, running_api
from tests.fakes.browser import browsing, in_one_chromium
from tests.fakes.model import ScriptedModel, calls, says
from tools.base import ToolContext, ToolResult, tool

pytestmark = in_one_chromium
EVIL = "https://evil.example"
HTML = [
    "<script>window.ran=1</script>",
    f"<img src={EVIL}/a.png onerror=window.ran=1>",
    f"<svg onload=window.ran=1><image href={EVIL}/b.png /><script>window.ran=1</script></svg>",
    f"<iframe src={EVIL}/c srcdoc='<script>parent.ran=1</script>'></iframe>",
    f"<link rel=stylesheet href={EVIL}/d.css><style>@import '{EVIL}/e.css';*{{background:url({EVIL}/f)}}</style>",
    f"<meta http-equiv=refresh content='0;url={EVIL}'><base href={EVIL}/>",
    f"<form action={EVIL}><button formaction=javascript:window.ran=1 autofocus onfocus=window.ran=1>x</button></form>",
    "<details open ontoggle=window.ran=1><summary>x</summary></details>",
    "<math><mtext><table><mglyph><style><img src=x onerror=window.ran=1>",
    f"<video src={EVIL}/g autoplay onloadstart=window.ran=1></video><object data={EVIL}/h></object>",
]
MARKDOWN = [
    f"![a picture]({EVIL}/m1.png) and ![]({EVIL}/m2.png)",
    f"![data](data:image/svg+xml;base64,PHN2Zz4=) [![nested]({EVIL}/m3.png)]({EVIL}/m4)",
    "[one](javascript:window.ran=1) [two](JaVaScRiPt:window.ran=1) [three](java\tscript:window.ran=1)",
    "[four](data:text/html,<script>window.ran=1</script>) [five](vbscript:x) [six](file:///etc/passwd)",
    "[seven](&#106;avascript:window.ran=1) [eight](<javascript:window.ran=1>) <javascript:window.ran=1>",
    f'[nine]({EVIL}/" onmouseover="window.ran=1) [ten](//evil.example/x) [eleven](blob:{EVIL}/x)',
    "`<img src=x onerror=window.ran=1>`\n\n```html\n<script>window.ran=1</script>\n```",
    '```"><img src=x onerror=window.ran=1>\ncode\n```',
    "| <img src=x onerror=window.ran=1> | b |\n| --- | --- |\n| <script>window.ran=1</script> | c |",
    f"[ref]: {EVIL}/r\n\n![ref] [ref][ref]",
    "<a href='javascript:window.ran=1'>click</a> <constructor> __proto__ [__proto__](__proto__)",
]
HOSTILE = "\n\n".join(HTML + MARKDOWN)
NAME = "<img src=x onerror=window.ran=1>\u202egnp.exe"
PASSAGE = Passage(HOSTILE, f"{EVIL}/page?<script>", NAME, "web", heading=("<svg onload=window.ran=1>",))
SCRIPTED = Passage("Steal.", "javascript:window.ran=1", "A script", "web")


async def look_up(context: ToolContext, query: str) -> ToolResult:
    """Look something up.

    Args:
        query: What to look for.
    """
    context.report(HTML[1])
    return ToolResult(HOSTILE, (PASSAGE, SCRIPTED))


def hostile_model(_: str = "") -> ScriptedModel:
    """Calls with markup, answers with more of it."""
    return ScriptedModel([calls(("look_up", {"query": HTML[1]})), says(*HOSTILE, " At nine [1] or ten [2].")])


async def open_hostile(chat: Any) -> None:
    """Give a chat the tool whose pages are hostile."""
    chat.agent.toolbox.drop_tools(["look_up"])
    chat.agent.toolbox.add_tools([tool(look_up)])


@pytest.fixture
def hostile_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every chat finds the hostile page."""
    opened = ScriptedEngine.chat

    async def chat(self: ScriptedEngine, *args: Any, **options: Any) -> Any:
        made = await opened(self, *args, **options)
        await open_hostile(made)
        return made

    monkeypatch.setattr(ScriptedEngine, "chat", chat)


async def untouched(tab: Any, url: str) -> None:
    """Nothing ran, nothing was asked for elsewhere, and no element came of the texts."""
    page = tab.page
    assert await page.evaluate("window.ran") is None
    assert tab.elsewhere(url) == []
    strange = "img, iframe, object, embed, video, audio, form:not([id]), style, base, link:not([href^='/page/']), math"
    assert await page.locator(strange).count() == 0
    assert await page.locator("script:not([src='/page/app.js'])").count() == 0
    hrefs = await page.locator("a[href]").evaluate_all("all => all.map(one => [one.getAttribute('href'), one.rel])")
    for href, rel in hrefs:
        assert href.startswith(("https://", "http://", "mailto:", "#question")), href
        assert href == "#question" or rel == "noopener noreferrer"
    assert page.url.startswith(url)


@pytest.mark.usefixtures("hostile_tools")
async def test_nothing_that_a_model_or_a_page_wrote_runs_or_loads_anything(tmp_path: Path, chromium: Browser) -> None:
    async with running_api(configured(tmp_path), hostile_model) as api, browsing(chromium) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        await ask(page, HTML[1])
        await page.locator(".sources").wait_for()
        await expect(page.locator(".answer")).to_contain_text("<script>window.ran=1</script>")
        await expect(page.locator(".answer")).to_contain_text(f"Picture: a picture ({EVIL}/m1.png)")
        await page.locator(".tool summary").click()
        await page.locator(".note").first.hover()
        await expect(page.get_by_role("tooltip")).to_contain_text("<img src=x onerror=window.ran=1>")
        await untouched(tab, api.url)
        await page.locator(".note").first.click()
        await expect(page.locator("#document-text")).to_contain_text("window.ran=1")
        await untouched(tab, api.url)
        await page.keyboard.press("Escape")
        await page.locator(".note").last.click()
        await expect(page.locator("#document-where")).to_contain_text("javascript:window.ran=1")
        await untouched(tab, api.url)
        await page.reload()
        await page.locator(".sources").wait_for()
        await untouched(tab, api.url)


async def test_a_file_whose_name_and_text_are_hostile_is_only_read(tmp_path: Path, chromium: Browser) -> None:
    async with running_api(configured(tmp_path)) as api, browsing(chromium) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        await page.get_by_role("tab", name="Library").click()
        svg = f"<svg xmlns='http://www.w3.org/2000/svg' onload='parent.ran=1'><image href='{EVIL}/x.png'/></svg>"
        files = [
            {"name": "<img src=x onerror=window.ran=1>.md", "mimeType": "text/markdown", "buffer": HOSTILE.encode()},
            {"name": "\u202e<svg onload=window.ran=1>.html", "mimeType": "text/html", "buffer": HOSTILE.encode()},
            {"name": "picture.svg", "mimeType": "image/svg+xml", "buffer": svg.encode()},
        ]
        await page.locator("#file-input").set_input_files(files)
        await expect(page.locator("#ingest")).to_contain_text("added", timeout=90_000)
        await page.get_by_label("Search the library").fill("window ran script")
        await page.locator("#library-list .snippet").first.wait_for()
        await untouched(tab, api.url)
        for entry in await page.locator("#library-list .entry").all():
            await entry.click()
            await untouched(tab, api.url)
            await page.keyboard.press("Escape")


async def test_the_browser_itself_refuses_what_the_page_does_not_have(tmp_path: Path, chromium: Browser) -> None:
    """Were there a hole in the page, its headers would still hold."""
    async with running_api(configured(tmp_path)) as api, browsing(chromium) as tab:
        await tab.page.goto(f"{api.url}/")
        refused = await tab.page.evaluate(
            """async (evil) => {
                const told = [];
                document.addEventListener("securitypolicyviolation", (event) => told.push(event.effectiveDirective));
                const add = (tag, fields) => document.body.append(Object.assign(document.createElement(tag), fields));
                add("img", { src: `${evil}/x.png` });
                add("iframe", { src: `${evil}/x` });
                add("link", { rel: "stylesheet", href: `${evil}/x.css` });
                await fetch(`${evil}/x`).catch(() => told.push("fetch failed"));
                try { document.body.innerHTML = "<b>x</b>"; } catch { told.push("no html"); }
                try { add("script", { text: "window.ran = 1" }); } catch { told.push("no script"); }
                await new Promise((resolve) => setTimeout(resolve, 200));
                return told;
            }""",
            EVIL,
        )
        assert {"img-src", "frame-src", "style-src-elem", "connect-src", "fetch failed", "no html"} <= set(refused)
        assert await tab.page.evaluate("window.ran") is None
