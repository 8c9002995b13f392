"""Files on the page: they go with a question, or into the library, from where they are taken out again."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.chatbot.frontends.http_api.page.test_chat_page import ask, at_peace
from tests.fakes.api_server import configured, running_api
from tests.fakes.browser import NARROW, WIDE, browsing, in_one_chromium
from tests.fakes.model import ScriptedModel, says
from tests.fakes.site import Site

pytestmark = [*in_one_chromium, pytest.mark.usefixtures("quick_embedder")]
DROP = """([selector, name, text]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name, { type: "text/markdown" }));
    const target = document.querySelector(selector);
    const event = (kind) => new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true });
    target.dispatchEvent(event("dragover"));
    target.dispatchEvent(event("drop"));
}"""
PRICES = "A ride costs four crowns."


async def attach(page: Page, name: str, content: bytes) -> None:
    """Choose a file by the paperclip."""
    async with page.expect_file_chooser() as choosing:
        await page.get_by_role("button", name="Attach files").click()
    await (await choosing.value).set_files({"name": name, "mimeType": "", "buffer": content})


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
async def test_a_file_goes_with_a_question_and_again_with_the_same_one(
    tmp_path: Path, chromium: Browser, size: tuple[int, int]
) -> None:
    model = ScriptedModel([says("Four crowns [1]."), says("It is four [1]."), says("Four.")])
    async with running_api(configured(tmp_path), lambda _: model) as api, browsing(chromium, size) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        await attach(page, "prices.txt", PRICES.encode())
        await attach(page, "other.txt", b"Herons wait for fish.")
        chips = page.get_by_role("list", name="To be attached").get_by_role("listitem")
        await expect(chips).to_have_count(2)
        await page.get_by_role("button", name="Do not attach other.txt").click()
        await expect(chips).to_have_count(1)
        assert await page.evaluate("document.documentElement.scrollWidth") <= size[0]
        await ask(page, "What does it cost?")
        await expect(page.locator(".answer")).to_have_text("Four crowns 1.")
        await expect(page.get_by_role("region", name="Sources")).to_contain_text("prices.txt")
        await expect(chips).to_have_count(0)
        attached = page.get_by_role("list", name="Attached", exact=True)
        await expect(attached).to_have_text("prices.txt")
        await page.reload()
        await expect(attached).to_have_text("prices.txt")
        await page.get_by_role("button", name="Ask again").click()
        await expect(page.locator(".answer")).to_have_text(["It is four 1."])
        await page.get_by_role("button", name="Edit").click()
        await expect(page.get_by_role("status").filter(has_text="Attach again what went with it")).to_be_visible()
        await expect(page.get_by_label("Your question")).to_have_value("What does it cost?")
        at_peace(tab, api)
    prompts = [next(each for each in reversed(messages) if each.is_question).prompt_text for messages, _ in model.sent]
    assert len(prompts) == 2 and all(PRICES in prompt and "Herons" not in prompt for prompt in prompts)


async def test_a_file_that_cannot_be_read_is_told_and_comes_back_to_be_edited(
    tmp_path: Path, chromium: Browser
) -> None:
    async with running_api(configured(tmp_path), lambda _: ScriptedModel([])) as api, browsing(chromium) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        await attach(page, "odd.bin", b"\0\1" * 50)
        await ask(page, "What is it?")
        await expect(page.get_by_role("alert")).to_contain_text("odd.bin")
        await page.get_by_role("button", name="Edit").click()
        await expect(page.get_by_role("list", name="To be attached")).to_contain_text("odd.bin")
        await expect(page.get_by_label("Your question")).to_have_value("What is it?")
        assert tab.elsewhere(api.url) == []


async def test_files_that_are_too_large_together_are_told_and_kept_to_be_edited(
    tmp_path: Path, chromium: Browser
) -> None:
    configuration = configured(tmp_path, **{"serve.max_body_bytes": 100_000})
    async with running_api(configuration, lambda _: ScriptedModel([])) as api, browsing(chromium) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        await attach(page, "long.txt", b"x" * 3_000_000)
        await ask(page, "What is it?")
        await expect(page.get_by_role("alert")).to_contain_text("The body is larger than 100,000 bytes.")
        await page.get_by_role("button", name="Edit").click()
        await expect(page.get_by_role("list", name="To be attached")).to_contain_text("long.txt")


async def test_many_files_go_into_the_library_though_one_of_them_is_too_large(
    tmp_path: Path, chromium: Browser
) -> None:
    configuration = configured(tmp_path, **{"serve.max_body_bytes": 100_000})
    async with running_api(configuration) as api, browsing(chromium) as tab:
        page = tab.page
        await page.goto(f"{api.url}/")
        await page.get_by_role("tab", name="Library").click()
        small = [{"name": f"note-{n}.txt", "mimeType": "", "buffer": f"Heron {n} waits.".encode()} for n in range(55)]
        large = {"name": "large.txt", "mimeType": "", "buffer": b"x" * 9_000_000}
        await page.get_by_label("Files for the library").set_input_files([large, *small])
        await expect(page.get_by_text("55 documents added.")).to_be_visible()
        await expect(page.locator("#ingest .notice.warning")).to_have_text(
            "large.txt: The body is larger than 100,000 bytes. Send less, or raise serve.max_body_bytes."
        )
        await expect(page.locator("#library-state")).to_contain_text("55 documents")


async def test_what_is_dropped_on_the_question_goes_with_it_and_not_into_the_library(
    tmp_path: Path, chromium: Browser
) -> None:
    async with (
        running_api(configured(tmp_path), lambda _: ScriptedModel([says("Four [1].")])) as api,
        browsing(chromium) as tab,
    ):
        page = tab.page
        await page.goto(f"{api.url}/")
        await page.evaluate(DROP, ["#question", "prices.md", PRICES])
        await expect(page.get_by_role("list", name="To be attached")).to_contain_text("prices.md")
        await ask(page, "What does it cost?")
        await expect(page.locator(".answer")).to_have_text("Four 1.")
        assert (await api.client.get("/api/library/documents")).json()["total"] == 0
        at_peace(tab, api)


async def test_a_page_is_added_by_its_address_and_taken_out_once_that_is_confirmed(
    tmp_path: Path, chromium: Browser
) -> None:
    async with Site() as site:
        configuration = configured(tmp_path, **{"fetch.allow_hosts": [site.host]})
        async with running_api(configuration) as api, browsing(chromium) as tab:
            page = tab.page
            await page.goto(f"{api.url}/")
            await page.get_by_role("tab", name="Library").click()
            address = page.get_by_label("Address of a page")
            await address.fill(site.url("/bridge.html"))
            await address.press("Enter")
            await expect(page.get_by_text("1 document added.")).to_be_visible()
            [document] = (await api.client.get("/api/library/documents")).json()["documents"]
            entries = page.locator("#library-list .entry")
            await expect(entries).to_contain_text(document["title"])
            await address.fill("file:///etc/passwd")
            await address.press("Enter")
            assert not await address.evaluate("one => one.checkValidity()")
            take_out = page.get_by_role("button", name=f"Take out: {document['title']}")
            await take_out.click()
            dialog = page.get_by_role("dialog", name="out of the library for good?")
            await dialog.get_by_role("button", name="Cancel").click()
            await expect(entries).to_have_count(1)
            await take_out.click()
            await dialog.get_by_role("button", name="Take out").click()
            await expect(entries).to_have_count(0)
            await expect(page.get_by_text("Nothing is in the library yet.")).to_be_visible()
            at_peace(tab, api)
