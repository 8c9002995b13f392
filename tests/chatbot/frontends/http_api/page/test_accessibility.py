"""The page for whoever reads it by ear, by keyboard, from right to left, in the dark or on a small screen."""

from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from tests.chatbot.frontends.http_api.page.test_chat_page import URL, ask
from tests.fakes.api_server import LOOKING, configured, running_api
from tests.fakes.browser import NARROW, WIDE, browsing, in_one_chromium
from tests.fakes.model import ScriptedModel, calls, says
from tests.fakes.node import AXE

pytestmark = [*in_one_chromium, pytest.mark.usefixtures("quick_embedder")]
needs_axe = pytest.mark.skipif(not AXE.exists(), reason="axe-core is not there: `make conformance` fetches it")
ANSWER = """It leaves **at nine** [1] and costs [2]; ~~[7]~~ no.

# Times

| Day | First |
| --- | ---: |
| Mon | 9:00 |

- one
  - two

> quoted

```python
print("nine")
```

![a map](https://example.org/map.png) and [a link](https://example.org/)
"""


async def violations(page: Page) -> list[str]:
    """What axe finds wrong with the page as it is now."""
    found: dict[str, Any] = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    return [
        f"{one['id']}: {[node['html'][:200] + str(node['failureSummary']) for node in one['nodes']]}"
        for one in found["violations"]
    ]


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_axe_finds_nothing_wrong(tmp_path: Path, chromium: Browser, size: tuple[int, int], scheme: str) -> None:
    opening = calls(("fetch_url_content", {"url": URL}))
    script = [calls(LOOKING), says(ANSWER), opening, says("Done.")]
    async with (
        running_api(configured(tmp_path), lambda _: ScriptedModel(list(script))) as api,
        browsing(chromium, size, color_scheme=scheme, reduced_motion="reduce") as tab,
    ):
        page = tab.page
        await page.goto(f"{api.url}/")
        await api.client.post("/api/memory", json={"text": "I am vegetarian"})
        await api.client.post("/api/library/ingest", json={"text": "Herons wait for fish.", "title": "Herons"})
        await page.evaluate(AXE.read_text(encoding="utf-8"))
        assert await violations(page) == []
        await page.get_by_label("Profile").select_option("strudel")
        await expect(page.locator("#greeting")).to_contain_text("music as code")
        await page.get_by_label("Profile").select_option("default")
        file = {"name": f"{'prices of the ferry ' * 4}.txt", "mimeType": "text/plain", "buffer": b"Four crowns."}
        await page.get_by_label("Files to attach").set_input_files([file])
        await expect(page.get_by_role("list", name="To be attached")).to_contain_text("prices")
        assert await violations(page) == []
        await page.get_by_role("button", name="Tools").click()
        await expect(page.get_by_role("dialog", name="Tools")).to_contain_text("look_up")
        assert await violations(page) == []
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("button", name="Tools")).to_be_focused()
        await ask(page, "When does the ferry leave?")
        await page.locator(".sources").wait_for()
        await page.locator(".tool summary").click()
        assert await violations(page) == []
        assert await page.locator("main").evaluate("one => one.scrollWidth <= one.clientWidth")
        await page.locator(".note").first.hover()
        await expect(page.get_by_role("tooltip")).to_be_visible()
        assert await violations(page) == []
        await page.locator(".note").first.focus()
        await page.locator(".note").first.click()
        await page.get_by_role("dialog").wait_for()
        assert await violations(page) == []
        await page.keyboard.press("Escape")
        await ask(page, "Open it.")
        await page.get_by_role("group", name="Your consent is needed").wait_for()
        assert await violations(page) == []
        await page.get_by_role("button", name="Do not allow").click()
        await expect(page.locator(".answer").last).to_contain_text("Done.")
        await page.get_by_text("More", exact=True).click()
        assert await violations(page) == []
        await page.keyboard.press("Escape")
        if size == NARROW:
            await page.get_by_role("button", name="Conversations, library and memory").click()
        tops = await page.get_by_role("tab").evaluate_all("all => new Set(all.map(one => one.offsetTop)).size")
        assert tops == 1
        contents = {"History": "ferry", "Library": "Herons", "Memory": "vegetarian", "Research": "a plan"}
        for tab_name, content in contents.items():
            await page.get_by_role("tab", name=tab_name).click()
            await expect(page.get_by_role("tabpanel")).to_contain_text(content)
            assert await violations(page) == []
            assert await page.evaluate("document.documentElement.scrollWidth") <= size[0]
        await page.get_by_role("tab", name="Library").click()
        await page.get_by_role("button", name="Take out: Herons").click()
        await page.get_by_role("dialog").wait_for()
        assert await violations(page) == []


async def test_a_text_from_right_to_left_stands_so_and_code_does_not(tmp_path: Path, chromium: Browser) -> None:
    arabic = "تغادر العبّارة في التاسعة [1].\n\nEnglish stays left.\n\n- أولاً\n\n```\ncode\n```\n"
    script = [calls(LOOKING), says(arabic)]
    async with (
        running_api(configured(tmp_path), lambda _: ScriptedModel(list(script))) as api,
        browsing(chromium, NARROW) as tab,
    ):
        page = tab.page
        await page.goto(f"{api.url}/")
        await ask(page, "متى تغادر العبّارة؟")
        await page.locator(".sources").wait_for()
        directions = "all => all.map(one => getComputedStyle(one).direction)"
        texts = page.locator(".asked-text, .answer > *")
        assert await texts.evaluate_all(directions) == ["rtl", "rtl", "ltr", "rtl", "ltr"]
        assert await page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]


async def test_all_is_done_with_the_keyboard_and_told_to_a_screen_reader(tmp_path: Path, chromium: Browser) -> None:
    async with running_api(configured(tmp_path)) as api, browsing(chromium) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        await expect(page.get_by_label("Your question")).to_be_focused()
        await page.keyboard.type("When does")
        await page.keyboard.press("Shift+Enter")
        await page.keyboard.type("the ferry leave?")
        await page.keyboard.press("Enter")
        await page.locator(".sources").wait_for()
        await expect(page.locator(".asked-text")).to_have_text("When does\nthe ferry leave?")
        await expect(page.locator("#spoken")).to_contain_text("It leaves at nine")
        await expect(page.get_by_role("status").filter(has_text="Done.")).to_be_attached()
        await page.get_by_role("button", name="Source 1: Ferry timetable").focus()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog", name="Ferry timetable")).to_be_visible()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("button", name="Source 1: Ferry timetable")).to_be_focused()
