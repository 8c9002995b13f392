"""The page in a real Chromium: asked, watched, stopped, agreed to, gone on with after a reload."""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Browser, Page, Route, expect

from chatbot.models.base import Done, Text, Thinking
from tests.fakes.api_server import LOOKING, RunningApi, configured, running_api
from tests.fakes.browser import NARROW, WIDE, Browsing, browsing, in_one_chromium
from tests.fakes.model import USAGE, ScriptedModel, calls, says

pytestmark = in_one_chromium
URL = "https://collect.example/4471"


async def ask(page: Page, text: str) -> None:
    """Type a question once the answer before it is there, and send it with the keyboard."""
    await expect(page.get_by_role("button", name="Send")).to_be_visible()
    await page.get_by_label("Your question").fill(text)
    await page.keyboard.press("Enter")


def at_peace(tab: Browsing, api: RunningApi) -> None:
    """Nothing was asked of anybody else, and the browser had nothing to complain of."""
    assert tab.elsewhere(api.url) == [] and tab.complaints == []


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_a_question_is_asked_and_a_source_is_looked_at(
    tmp_path: Path, chromium: Browser, size: tuple[int, int]
) -> None:
    async with running_api(configured(tmp_path)) as api, browsing(chromium, size) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        await ask(page, "When does the ferry leave?")
        await expect(page.locator(".answer")).to_have_text("It leaves at nine 1.")
        await expect(page.locator(".tool.done")).to_contain_text("look_up ferry 2 passages")
        note = page.get_by_role("button", name="Source 1: Ferry timetable")
        await note.hover()
        card = page.get_by_role("tooltip")
        await expect(card).to_contain_text("The ferry leaves at nine.")
        await page.keyboard.press("Escape")
        await expect(card).to_be_hidden()
        await page.get_by_label("Your question").focus()
        await expect(page.get_by_role("region", name="Sources")).to_contain_text("Ferry timetable ferries.example")
        wide = await page.evaluate("document.documentElement.scrollWidth")
        assert wide <= size[0]
        at_peace(tab, api)


async def test_a_wrong_number_is_struck_and_that_is_said_again_after_a_reload(
    tmp_path: Path, chromium: Browser
) -> None:
    replies = [calls(LOOKING), says("It leaves at nine [1]. It is red [7].")]
    async with (
        running_api(configured(tmp_path), lambda _: ScriptedModel(list(replies))) as api,
        browsing(chromium) as tab,
    ):
        page = tab.page
        await page.goto(f"{api.url}/")
        await ask(page, "When does the ferry leave?")
        told = page.locator(".notice.warning")
        await expect(told).to_have_text("The answer cites a source 7 that does not exist.")
        await expect(page.locator(".answer del")).to_have_text("[7]")
        await page.reload()
        await expect(told).to_have_text("The answer cites a source 7 that does not exist.")
        at_peace(tab, api)


async def test_a_source_is_shown_to_the_keyboard_and_opens_in_its_surroundings(
    exported: Path, chromium: Browser
) -> None:
    # Where the first search had to load PyTorch, beside other tests it took longer than the page is waited for.
    async with running_api(configured(exported)) as api, browsing(chromium) as tab:
        text = "# Ferries\n\nBefore it.\n\nThe ferry leaves at nine.\n\nAfter it.\n"
        await api.client.post("/api/library/ingest", json={"text": text, "title": "Ferries"})
        page = tab.page
        await page.goto(f"{api.url}/")
        await page.get_by_role("tab", name="Library").click()
        await page.get_by_label("Search the library").fill("When does the ferry leave?")
        await page.locator("#library-list .snippet").first.wait_for()
        await page.locator("#library-list .entry").first.click()
        around = page.get_by_role("region", name="Text around the passage")
        await expect(around).to_contain_text("Before it.")
        await expect(around).to_contain_text("After it.")
        await page.keyboard.press("Escape")
        await ask(page, "When does the ferry leave?")
        await page.locator(".sources").wait_for()
        await page.keyboard.press("Shift+Tab")
        await page.get_by_role("button", name="Source 1: Ferry timetable").press("Tab")
        await page.keyboard.press("Shift+Tab")
        await expect(page.get_by_role("tooltip")).to_contain_text("The ferry leaves at nine.")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("dialog", name="Ferry timetable")).to_contain_text("its document is not in")


@pytest.mark.parametrize(
    ("pressed", "told"), [("Allow once", "Allowed"), ("Do not allow", "Not allowed")], ids=["allowed", "denied"]
)
async def test_what_would_leave_is_shown_whole_and_waits_for_a_button(
    tmp_path: Path, chromium: Browser, pressed: str, told: str
) -> None:
    opening = calls(("fetch_url_content", {"url": URL}))
    script = [calls(LOOKING), opening, says("Done.")]
    async with (
        running_api(configured(tmp_path), lambda _: ScriptedModel(list(script))) as api,
        browsing(chromium) as tab,
    ):
        await tab.page.goto(f"{api.url}/")
        await ask(tab.page, "When?")
        consent = tab.page.get_by_role("group", name="Your consent is needed")
        await expect(consent).to_contain_text(URL)
        await consent.get_by_role("button", name=pressed).click()
        await expect(tab.page.get_by_text(f"{told}: {URL}")).to_be_visible()
        await expect(tab.page.locator(".answer")).to_contain_text("Done.")
        at_peace(tab, api)


async def test_an_answer_is_stopped_and_the_question_put_otherwise(tmp_path: Path, chromium: Browser) -> None:
    held: Any = [Text("It leaves "), None]
    script = [held, says("Four crowns.")]
    async with (
        running_api(configured(tmp_path), lambda _: ScriptedModel(list(script))) as api,
        browsing(chromium) as tab,
    ):
        page = tab.page
        await page.goto(f"{api.url}/")
        await ask(page, "When?")
        await expect(page.locator(".answer")).to_have_text("It leaves")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("alert")).to_contain_text("The answer was stopped.")
        assert api.service.answering.running == 0
        await page.get_by_role("button", name="Edit").click()
        await expect(page.get_by_label("Your question")).to_have_value("When?")
        await expect(page.locator(".turn")).to_have_count(0)


async def test_thinking_is_folded_and_a_bar_says_how_full_the_context_is(tmp_path: Path, chromium: Browser) -> None:
    script = [[Thinking("Boats, timetables."), *says("At nine.")]]
    async with (
        running_api(configured(tmp_path), lambda _: ScriptedModel(list(script))) as api,
        browsing(chromium) as tab,
    ):
        page = tab.page
        await page.goto(f"{api.url}/")
        await ask(page, "When?")
        await expect(page.locator(".answer")).to_have_text("At nine.")
        thought = page.get_by_text("Boats, timetables.")
        await expect(thought).to_be_hidden()
        await page.locator("summary", has_text="Thinking").click()
        await expect(thought).to_be_visible()
        bar = page.get_by_role("img", name="Context:")
        await expect(bar).to_have_attribute(
            "aria-label", re.compile(r"^Context: [\d,]+ of 4,096 tokens\. .*question \d")
        )
        await expect(page.locator("#context-text")).to_have_text(re.compile(r"^\d+ % of the context$"))
        at_peace(tab, api)


async def test_a_reload_goes_on_with_the_answer_under_way(tmp_path: Path, chromium: Browser) -> None:
    going = asyncio.Event()

    class Waiting(ScriptedModel):
        async def reply(self, *args: Any, **options: Any) -> Any:
            if self.replies:
                async for piece in super().reply(*args, **options):
                    yield piece
                return
            yield Text("Four ")
            await going.wait()
            yield Text("crowns.")
            yield Done(USAGE)

    first = [says("At nine.")]
    async with running_api(configured(tmp_path), lambda _: Waiting(list(first))) as api, browsing(chromium) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        await ask(page, "When?")
        await expect(page.locator(".answer")).to_have_text("At nine.")
        await ask(page, "And the price?")
        await expect(page.locator(".answer").last).to_have_text("Four")
        await page.reload()
        await expect(page.locator(".asked-text")).to_have_text(["When?", "And the price?"])
        await expect(page.locator(".answer")).to_have_text(["At nine.", "Four"])
        going.set()
        await expect(page.locator(".answer")).to_have_text(["At nine.", "Four crowns."])
        await expect(page.get_by_label("Stop")).to_be_hidden()
        await page.reload()
        await expect(page.locator(".answer")).to_have_text(["At nine.", "Four crowns."])
        at_peace(tab, api)


async def test_a_token_is_asked_for_once_and_kept_in_the_tab(tmp_path: Path, chromium: Browser) -> None:
    async with running_api(configured(tmp_path, **{"serve.require_token": True})) as api, browsing(chromium) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        dialog = page.get_by_role("dialog", name="A token is needed")
        await dialog.get_by_label("Token").fill("wrong")
        await page.keyboard.press("Enter")
        await expect(dialog).to_contain_text("That token lets nobody in.")
        await dialog.get_by_label("Token").fill(api.service.tokens.add("ann"))
        await page.keyboard.press("Enter")
        await expect(dialog).to_be_hidden()
        await ask(page, "When does the ferry leave?")
        await expect(page.locator(".answer")).to_have_text("It leaves at nine 1.")
        await page.reload()
        await expect(page.locator(".answer")).to_have_text("It leaves at nine 1.")
        await expect(dialog).to_be_hidden()


async def test_a_cut_connection_is_gone_on_with_after_the_last_event_that_arrived(
    tmp_path: Path, chromium: Browser
) -> None:
    asked_after: list[str | None] = []

    async def cut(route: Route) -> None:
        response = await route.fetch()
        blocks = (await response.text()).split("\n\n")
        # All but the last event, and the last one cut in two.
        await route.fulfill(response=response, body="\n\n".join(blocks[:-2]) + "\n\n" + blocks[-2][:20])

    async def watch(route: Route) -> None:
        asked_after.append(await route.request.header_value("last-event-id"))
        await route.continue_()

    async with running_api(configured(tmp_path)) as api, browsing(chromium) as tab:
        await tab.page.route("**/api/chat", cut)
        await tab.page.route("**/api/chat/*/events", watch)
        await tab.page.goto(f"{api.url}/")
        await ask(tab.page, "When does the ferry leave?")
        await expect(tab.page.locator(".sources")).to_contain_text("Ferry timetable")
        await expect(tab.page.locator(".answer")).to_have_text(["It leaves at nine 1."])
        [last] = asked_after
        assert last is not None and int(last) > 3
        at_peace(tab, api)


@pytest.mark.parametrize("is_back", [False, True], ids=["gone", "begun anew"])
async def test_where_the_server_was_ended_in_mid_answer_that_is_said_and_the_page_goes_on(
    tmp_path: Path, chromium: Browser, is_back: bool
) -> None:
    async def cut(route: Route) -> None:
        response = await route.fetch()
        await route.fulfill(response=response, body=(await response.text()).split("\n\n")[0] + "\n\n")

    async def fail(route: Route) -> None:
        error = {"problem": "There is no such answer.", "remedy": "", "code": "no_chat"}
        await (route.fulfill(status=404, json={"error": error}) if is_back else route.abort())

    async with running_api(configured(tmp_path)) as api, browsing(chromium) as tab:
        page = tab.page
        await page.route("**/api/chat", cut)
        await page.route(re.compile(r"/api/chat/."), fail)
        await page.goto(f"{api.url}/")
        await ask(page, "When does the ferry leave?")
        if not is_back:
            await expect(page.get_by_role("status").filter(has_text="trying to go on")).to_be_attached()
            await page.keyboard.press("Escape")
        told = "The server was ended in the middle" if is_back else "Magpie cannot be reached."
        await expect(page.get_by_role("alert")).to_contain_text(told)
        await page.unroute_all()
        await page.get_by_role("button", name="Edit").click()
        await expect(page.get_by_label("Your question")).to_have_value("When does the ferry leave?")
