"""What is kept, on the page: the library with dropped files, conversations, memory, models."""

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser, Route, expect

from chatbot.engine.people import OWNER
from tests.chatbot.frontends.http_api.page.test_chat_page import ask, at_peace
from tests.fakes.api_server import configured, running_api
from tests.fakes.browser import NARROW, browsing, in_one_chromium
from tests.fakes.model import ScriptedModel, says
from tests.fakes.openai import FakeOpenAI, Said
from tests.fakes.profiles import write_profile

pytestmark = in_one_chromium
DROP = """([name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name, { type: "text/markdown" }));
    const event = (kind) => new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
    document.body.dispatchEvent(event("dragover"));
    document.body.dispatchEvent(event("drop"));
}"""


@pytest.mark.usefixtures("quick_embedder")
async def test_a_dropped_file_is_read_found_and_opened(tmp_path: Path, chromium: Browser) -> None:
    async with running_api(configured(tmp_path)) as api, browsing(chromium) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        text = "# Herons\n\nHerons stand still until a fish comes by.\n"
        await page.evaluate(DROP, ["herons.md", text])
        await expect(page.get_by_text("1 document added.")).to_be_visible(timeout=20_000)
        await expect(page.locator("#library-list")).to_contain_text("herons.md")
        await page.get_by_label("Search the library").fill("Where do herons stand still?")
        await expect(page.locator("#library-list .snippet")).to_contain_text("Herons stand still")
        await page.locator("#library-list .entry").click()
        dialog = page.get_by_role("dialog", name="Herons")
        await expect(dialog.locator("mark")).to_contain_text("Herons stand still")
        await page.keyboard.press("Escape")
        await page.evaluate(DROP, ["empty.md", ""])
        await expect(page.locator("#ingest .notice.warning")).to_contain_text("empty.md")
        at_peace(tab, api)


async def test_conversations_are_found_opened_renamed_copied_and_deleted(tmp_path: Path, chromium: Browser) -> None:
    async with running_api(configured(tmp_path)) as api, browsing(chromium) as tab:
        page = tab.page
        await api.ask("When does the ferry leave?")
        await api.ask("What do herons eat?")
        await page.goto(f"{api.url}/")
        entries = page.locator("#history-list .entry")
        await expect(entries).to_have_count(2)
        await page.get_by_label("Search conversations").fill("herons")
        await expect(entries).to_have_count(1)
        await entries.click()
        await expect(page.locator(".asked-text")).to_have_text("What do herons eat?")
        await expect(page.locator(".sources")).to_contain_text("Ferry timetable")
        await expect(page.locator("#status")).to_be_empty()
        await page.get_by_text("More", exact=True).click()
        await page.get_by_role("button", name="Rename").click()
        await page.get_by_role("dialog").get_by_role("textbox").fill("Birds")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Birds")).to_be_visible()
        await page.get_by_text("More", exact=True).click()
        async with page.expect_download() as saved:
            await page.get_by_role("button", name="Export as Markdown").click()
        assert "What do herons eat?" in Path(await (await saved.value).path()).read_text(encoding="utf-8")
        await page.get_by_text("More", exact=True).click()
        before = page.url
        await page.get_by_role("button", name="Branch off a copy").click()
        await expect(page.get_by_role("status").filter(has_text="You go on in a copy.")).to_be_visible()
        assert page.url != before
        await page.get_by_text("More", exact=True).click()
        await page.get_by_role("button", name="Delete").click()
        await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        await expect(page.get_by_role("heading", name="New conversation")).to_be_visible()
        await page.get_by_label("Search conversations").fill("")
        await expect(entries).to_have_count(2)
        at_peace(tab, api)


async def test_whoever_searches_while_the_page_is_still_loading_goes_on_typing_there(
    tmp_path: Path, chromium: Browser
) -> None:
    async with running_api(configured(tmp_path)) as api, browsing(chromium) as tab:
        page, typed = tab.page, asyncio.Event()

        async def wait_for_typing(route: Route) -> None:
            await typed.wait()
            await route.continue_()

        await page.route("**/api/profiles", wait_for_typing)
        await page.goto(f"{api.url}/")
        search = page.get_by_label("Search conversations")
        await search.click()
        await page.keyboard.insert_text("her")
        async with page.expect_response("**/api/research"):
            typed.set()
        await page.keyboard.insert_text("ons")
        await expect(search).to_have_value("herons")
        await expect(page.locator("#question")).to_have_value("")
        at_peace(tab, api)


async def test_a_question_is_asked_again_in_the_place_of_the_first_answer(tmp_path: Path, chromium: Browser) -> None:
    script = [says("At nine."), says("At ten.")]
    async with running_api(configured(tmp_path), lambda _: ScriptedModel(script)) as api, browsing(chromium) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        await ask(page, "When?")
        await expect(page.locator(".answer")).to_have_text("At nine.")
        await page.get_by_role("button", name="Ask again").click()
        await expect(page.locator(".answer")).to_have_text(["At ten."])
        await page.reload()
        await expect(page.locator(".answer")).to_have_text(["At ten."])
        await expect(page.locator(".asked-text")).to_have_text(["When?"])


async def test_facts_are_added_agreed_to_and_forgotten_in_the_drawer_of_a_narrow_screen(
    tmp_path: Path, chromium: Browser
) -> None:
    async with running_api(configured(tmp_path)) as api, browsing(chromium, NARROW) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        opener = page.get_by_role("button", name="Conversations, library and memory")
        await opener.click()
        await page.get_by_role("tab", name="History").press("ArrowLeft")
        await page.get_by_role("tab", name="Research").press("ArrowLeft")
        await expect(page.get_by_role("tab", name="Memory")).to_be_focused()
        await page.get_by_label("Something to remember").fill("I am vegetarian")
        await page.keyboard.press("Enter")
        await expect(page.locator("#memory-list")).to_contain_text("I am vegetarian")
        await page.get_by_role("button", name="Forget: I am vegetarian").click()
        await expect(page.locator("#memory-state")).to_have_text("Nothing is remembered of you yet.")
        await page.keyboard.press("Escape")
        await expect(opener).to_be_focused()
        at_peace(tab, api)


async def test_a_reminder_is_told_on_the_page_when_it_is_due(tmp_path: Path, chromium: Browser) -> None:
    async with running_api(configured(tmp_path)) as api, browsing(chromium, NARROW) as tab:
        page = tab.page
        reminders = (await api.service.chats.desk(OWNER)).reminders
        now = reminders.clock()
        await reminders.add_reminder("in 20 minutes tea")
        await reminders.add_reminder("in 3 hours ring Ann")
        await page.clock.install()
        await page.goto(f"{api.url}/")
        await page.get_by_role("button", name="Conversations, library and memory").click()
        await page.get_by_role("tab", name="Memory").click()
        await page.get_by_role("button", name="Cancel: ring Ann").click()
        await expect(page.locator("#reminders-list li")).to_have_count(1)
        await page.keyboard.press("Escape")
        reminders.clock = lambda: now + 1201
        await page.clock.run_for(21_000)
        await expect(page.get_by_role("log", name="Reminders")).to_contain_text("Reminder: tea")
        assert await page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
        await page.get_by_role("button", name="Done: Reminder: tea").click()
        await expect(page.get_by_role("log", name="Reminders")).to_be_empty()
        await expect(page.get_by_label("Your question")).to_be_focused()
        at_peace(tab, api)


async def test_another_model_answers_once_it_is_chosen(tmp_path: Path, chromium: Browser) -> None:
    async with FakeOpenAI([Said("Hello from the other one.")] * 5) as server:
        configuration = configured(tmp_path, **{"openai.base_url": server.base_url})
        async with running_api(configuration) as api, browsing(chromium) as tab:
            page = tab.page
            await page.goto(f"{api.url}/")
            await page.get_by_label("Model").select_option("openai:fake")
            await ask(page, "Who are you?")
            await expect(page.locator(".answer")).to_contain_text("the model openai:fake answers here")
            at_peace(tab, api)


async def test_a_profile_greets_and_says_how_answers_are_made_once_it_is_chosen(
    tmp_path: Path, chromium: Browser
) -> None:
    write_profile(tmp_path, "clerk", {}, system="Answer as a clerk.", greeting="Answers as a **clerk**.")
    model = ScriptedModel([says("Yes."), says("No.")])
    async with running_api(configured(tmp_path), lambda _: model) as api, browsing(chromium) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        profile = page.get_by_label("Profile")
        await expect(profile).to_have_value("default")
        await profile.select_option("clerk")
        await expect(page.locator("#welcome strong")).to_have_text("clerk")
        await ask(page, "Is it?")
        await expect(page.locator(".answer").last).to_have_text("Yes.")
        await profile.select_option("default")
        await ask(page, "Is it?")
        await expect(page.locator(".answer").last).to_have_text("No.")
        assert ["Answer as a clerk." in messages[0].content for messages, _ in model.sent] == [True, False]
        at_peace(tab, api)
