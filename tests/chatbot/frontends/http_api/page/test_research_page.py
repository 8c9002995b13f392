"""Research on the page: its plan is changed, it is looked up, and its report is read in a conversation."""

import asyncio
import itertools
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from tests.chatbot.frontends.http_api.page.test_chat_page import at_peace
from tests.chatbot.frontends.http_api.test_research import cut_off, researching_api
from tests.fakes.browser import NARROW, browsing, in_one_chromium
from tests.fakes.researching import PLAN, QUESTION

pytestmark = [*in_one_chromium, pytest.mark.usefixtures("quick_embedder")]
REWORDED = "Who drew the plans of the Ostermark Bridge?"


async def planned_entries(page: Page) -> Locator:
    """The questions of the plan that is made of the question typed into an open page."""
    await page.get_by_role("button", name="Conversations, library and memory").click()
    await page.get_by_role("tab", name="Research").click()
    await page.get_by_label("What to find out").fill(QUESTION)
    await page.keyboard.press("Enter")
    entries = page.locator("#research-plan li")
    await expect(entries).to_have_count(len(PLAN))
    return entries


@pytest.mark.parametrize("stopped", [True, False], ids=["stopped", "to its end"])
async def test_a_plan_is_changed_looked_up_and_its_report_opened(
    tmp_path: Path, chromium: Browser, stopped: bool
) -> None:
    going = asyncio.Event()
    asked = itertools.count()
    # Whatever is asked behind the plan waits: what is asked first depends on what the searches bring.
    waiting = {"before": lambda prompt: going.wait() if next(asked) else None}
    async with researching_api(tmp_path, **waiting) as api, browsing(chromium, NARROW) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        entries = await planned_entries(page)
        await page.get_by_role("button", name=f"Drop: {PLAN[1]}").click()
        await expect(entries).to_have_count(len(PLAN) - 1)
        await page.get_by_role("button", name=f"Change: {PLAN[0]}").click()
        await page.get_by_role("dialog", name="Question 1 of the plan").get_by_role("textbox").fill(REWORDED)
        await page.keyboard.press("Enter")
        await expect(entries.first).to_contain_text(REWORDED)
        await page.get_by_label("Another question for the plan").fill("How old is the Ostermark Bridge?")
        await page.keyboard.press("Enter")
        await expect(entries).to_have_count(len(PLAN))
        assert await page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
        await page.get_by_role("button", name="Look it up").click()
        await expect(page.locator("#research-state")).to_contain_text("of 3 looked up")
        stop = page.get_by_role("button", name="Stop, and report what there is")
        if stopped:
            # It waits where it is: what is stopped only once it has gone on may have ended before.
            await stop.click()
        else:
            await expect(stop).to_be_visible()
            going.set()
        await page.get_by_role("button", name="Report: What should I know").click()
        await expect(page.locator(".asked-text")).to_have_text(QUESTION)
        if stopped:
            await expect(page.locator(".answer")).to_contain_text("It was stopped early.")
        else:
            await expect(page.locator(".answer .note").first).to_be_visible()
        at_peace(tab, api)


async def test_what_the_end_of_the_server_cut_off_is_gone_on_with_or_deleted(tmp_path: Path, chromium: Browser) -> None:
    await cut_off(tmp_path, QUESTION)
    await cut_off(tmp_path, "Who designed the Ostermark Bridge?")
    async with researching_api(tmp_path) as api, browsing(chromium, NARROW) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        await page.get_by_role("button", name="Conversations, library and memory").click()
        await page.get_by_role("tab", name="Research").click()
        await page.get_by_role("button", name="Go on with: What should I know").click()
        report = page.get_by_role("button", name="Report: What should I know")
        await expect(report).to_be_visible()
        await page.get_by_role("button", name="Delete what was cut off").click()
        assert await page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await expect(page.get_by_role("button", name="Go on with:")).to_have_count(0)
        await report.click()
        await expect(page.locator(".asked-text")).to_have_text(QUESTION)
        at_peace(tab, api)


async def test_how_it_was_before_the_plan_is_not_shown_after_it(tmp_path: Path, chromium: Browser) -> None:
    planned, told = asyncio.Event(), asyncio.Event()

    async def late(route: Route) -> None:
        if route.request.method == "GET" and not told.is_set():
            told.set()
            before = await route.fetch()
            await planned.wait()
            await route.fulfill(response=before)
        else:
            await route.continue_()

    async with researching_api(tmp_path) as api, browsing(chromium, NARROW) as tab:
        page = tab.page
        await page.route("**/api/research", late)
        await page.goto(f"{api.url}/")
        await told.wait()
        entries = await planned_entries(page)
        async with page.expect_response("**/api/research"):
            planned.set()
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        await expect(entries).to_have_count(len(PLAN))
