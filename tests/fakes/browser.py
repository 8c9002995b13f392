"""A real Chromium without a window, that remembers every request of its pages; only what the system has is started."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.async_api import Browser, BrowserContext, Page, async_playwright, expect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed (Debian: apt install chromium)")
in_one_chromium = [needs_chromium, pytest.mark.asyncio(loop_scope="module")]
"""For the tests of a file that share a browser, each with a tab of its own."""
QUIET = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]
PATIENCE_MS = 30_000
expect.set_options(timeout=PATIENCE_MS)
WIDE = (1280, 800)
NARROW = (360, 740)


@dataclass
class Browsing:
    """A tab, and what it asked for and complained of."""

    page: Page
    context: BrowserContext
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def elsewhere(self, origin: str) -> list[str]:
        """Requests to anything but the server; what the page itself made is none."""
        return [url for url in self.requests if not url.startswith((f"{origin}/", "blob:"))]


@asynccontextmanager
async def running_chromium() -> AsyncIterator[Browser]:
    """A browser that ends with the context."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        try:
            yield browser
        finally:
            await browser.close()


@asynccontextmanager
async def browsing(browser: Browser, size: tuple[int, int] = WIDE, **options: Any) -> AsyncIterator[Browsing]:
    """One tab of that size which shares nothing with any other, and ends with the context."""
    width, height = size
    async with await browser.new_context(viewport={"width": width, "height": height}, **options) as context:
        context.set_default_timeout(PATIENCE_MS)
        tab = Browsing(await context.new_page(), context)
        context.on("request", lambda request: tab.requests.append(request.url))
        tab.page.on("pageerror", lambda error: tab.complaints.append(str(error)))
        tab.page.on("console", lambda said: tab.complaints.append(said.text) if said.type == "error" else None)
        tab.page.on("dialog", lambda dialog: tab.complaints.append(f"dialog: {dialog.message}"))
        yield tab
