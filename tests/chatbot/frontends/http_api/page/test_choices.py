"""What is chosen for a conversation on the page stays chosen for it; two tabs of one conversation show the same."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, expect

from tests.chatbot.frontends.http_api.page.test_chat_page import ask, at_peace
from tests.fakes.api_server import configured, running_api
from tests.fakes.browser import NARROW, browsing, in_one_chromium
from tests.fakes.model import ScriptedModel, says
from tests.fakes.profiles import write_profile

pytestmark = [*in_one_chromium, pytest.mark.usefixtures("quick_embedder")]


async def test_profile_and_tools_stay_as_they_were_chosen_for_a_conversation(tmp_path: Path, chromium: Browser) -> None:
    write_profile(tmp_path, "clerk", {}, system="Answer as a clerk.", greeting="Answers as a **clerk**.")
    model = ScriptedModel([says("Yes."), says("No."), says("Perhaps.")])
    async with running_api(configured(tmp_path), lambda _: model) as api, browsing(chromium, NARROW) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        profile = page.get_by_label("Profile")
        await profile.select_option("clerk")
        await page.get_by_role("button", name="Tools").click()
        tools = page.get_by_role("dialog", name="Tools")
        await tools.get_by_label("look_up").uncheck()
        assert await page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
        await page.keyboard.press("Escape")
        await ask(page, "Is it?")
        await expect(page.locator(".answer").last).to_have_text("Yes.")
        await expect(page).to_have_url(re.compile("#"))
        first = page.url
        await page.reload()
        await expect(profile).to_have_value("clerk")
        await expect(page.get_by_role("button", name="Tools: 1 off")).to_be_visible()
        await api.client.post("/api/chat", json={"message": "Is it?", "stream": False})
        [other] = [
            one["id"]
            for one in (await api.client.get("/api/sessions")).json()["sessions"]
            if not first.endswith(one["id"])
        ]
        await page.goto(f"{api.url}/#{other}")
        await expect(profile).to_have_value("default")
        await page.goto(first)
        await expect(profile).to_have_value("clerk")
        await ask(page, "Is it still?")
        await expect(page.locator(".answer").last).to_have_text("Perhaps.")
        at_peace(tab, api)
    assert ["Answer as a clerk." in messages[0].content for messages, _ in model.sent] == [True, False, True]
    assert ["look_up" in tools for _, tools in model.sent] == [False, True, False]


async def test_what_was_said_in_another_tab_is_shown_before_something_of_it_is_taken_back(
    tmp_path: Path, chromium: Browser
) -> None:
    model = ScriptedModel([says("One."), says("Two."), says("Three.")])
    async with running_api(configured(tmp_path), lambda _: model) as api, browsing(chromium) as tab:
        page, other = tab.page, await tab.context.new_page()
        await page.goto(f"{api.url}/")
        await ask(page, "First?")
        await expect(page.locator(".answer")).to_have_text(["One."])
        await expect(page).to_have_url(re.compile("#"))
        await other.goto(page.url)
        await expect(other.locator(".answer")).to_have_text(["One."])
        await ask(other, "Second?")
        await expect(other.locator(".answer")).to_have_text(["One.", "Two."])
        await page.get_by_role("button", name="Edit").click()
        await expect(page.get_by_role("status").filter(has_text="went on elsewhere")).to_be_attached()
        await expect(page.locator(".answer")).to_have_text(["One.", "Two."])
        await page.get_by_role("button", name="Edit").click()
        await expect(page.get_by_label("Your question")).to_have_value("Second?")
        await expect(page.locator(".answer")).to_have_text(["One."])
        # As when its window comes to the front again.
        await other.evaluate("dispatchEvent(new Event('focus'))")
        await expect(other.locator(".answer")).to_have_text(["One."])
        at_peace(tab, api)


async def test_an_answer_is_copied_where_the_browser_keeps_the_clipboard_from_pages_without_tls(
    tmp_path: Path, chromium: Browser
) -> None:
    answer: Any = says("Nine.\n\n```\ncode\n```\n")
    async with running_api(configured(tmp_path), lambda _: ScriptedModel([answer])) as api, browsing(chromium) as tab:
        page = tab.page
        await page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        await tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        await page.goto(f"{api.url}/")
        await ask(page, "When?")
        await page.locator(".flow > .turn-tools").get_by_role("button", name="Copy").click()
        await expect(page.get_by_role("button", name="Copied")).to_be_focused()
        await page.get_by_label("Your question").press("Control+v")
        await expect(page.get_by_label("Your question")).to_have_value("Nine.\n\n```\ncode\n```\n")
        at_peace(tab, api)
