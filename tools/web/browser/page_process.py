"""The process beside the browser: has one page rendered, and asks Magpie for whatever the page asks for.

It makes no connection itself, and the browser has none: its proxy is a port at which nothing listens, no name is
resolved, and what is not answered here fails; where the system lets it, both have no network at all. What either takes
of memory is limited by the system.
"""

import asyncio
import itertools
import os
import resource
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec
from playwright.async_api import Browser, Error, Page, Playwright, Route, WebSocketRoute, async_playwright
from playwright.async_api import TimeoutError as PageTimeout

from tools.web.browser.messages import (
    FEW_CHARACTERS,
    BrowserMessage,
    PageOrder,
    PageRequest,
    RenderedPage,
    RequestAnswer,
)
from utils.platform import leave_network

BROWSER_MEMORY = 2 << 30
"""Bytes that each process of the browser may write to."""
WANTED = frozenset({"document", "script", "xhr", "fetch"})
"""What a page asks for that its text can depend on."""
LOOK_PAUSE, ENOUGH_QUIET, LONG_QUIET = 0.1, 0.5, 2.0
"""Seconds between two looks, and without a request after which a page is taken to be whole."""
CLOSED_IN = (
    # A port of this machine at which nothing listens, and no name or address that leads anywhere, itself included.
    "--proxy-server=http://127.0.0.1:1",
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--disable-quic",
    "--dns-prefetch-disable",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--no-pings",
    "--disable-background-networking",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-gpu",
    "--disable-remote-fonts",
    "--mute-audio",
    "--no-first-run",
    "--js-flags=--max-old-space-size=512",
)


class PageBrowser:
    """Renders the page of an order; `ask` tells Magpie what it asks for."""

    def __init__(self, order: PageOrder, lines: asyncio.StreamReader) -> None:
        self._order = order
        self._lines = lines
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[RequestAnswer]] = {}
        self._opened = False
        self._last = 0.0
        """When it last asked for something."""

    async def render(self) -> str:
        """Its HTML once it is quiet, or its time is over; raises playwright's `Error`."""
        answers = asyncio.create_task(self._take_answers())
        try:
            async with async_playwright() as playwright:
                browser = await self._launch(playwright)
                page = await self._open_page(browser)
                with suppress(TimeoutError, PageTimeout):
                    async with asyncio.timeout(self._order.seconds):
                        # One that its script leads elsewhere is never loaded, nor read to its end.
                        await page.goto(self._order.url, wait_until="commit", timeout=1000 * self._order.seconds)
                        await self._wait_until_quiet(page)
                html = await page.content()
                await browser.close()
                return html
        finally:
            answers.cancel()

    async def _wait_until_quiet(self, page: Page) -> None:
        """Wait until nothing was asked for during a moment, a longer one while it is read or has hardly any text."""
        begun = time.monotonic()
        while True:
            await asyncio.sleep(LOOK_PAUSE)
            quiet = time.monotonic() - max(begun, self._last)
            if not self._waiting and quiet >= ENOUGH_QUIET:
                text = await page.locator("body").inner_text()
                reading = await page.evaluate("document.readyState") == "loading"
                if quiet >= LONG_QUIET or (len(text) >= FEW_CHARACTERS and not reading):
                    return

    async def _launch(self, playwright: Playwright) -> Browser:
        folder = self._order.folder
        return await playwright.chromium.launch(
            executable_path=self._order.program or None,
            args=CLOSED_IN,
            # The superuser can have none, as in most containers.
            chromium_sandbox=os.geteuid() != 0,
            env={"PATH": os.environ.get("PATH", os.defpath), "HOME": folder, "TMPDIR": folder},
            downloads_path=folder,
            # Whoever ordered the page has the clock.
            timeout=0,
        )

    async def _open_page(self, browser: Browser) -> Page:
        context = await browser.new_context(
            user_agent=self._order.user_agent, service_workers="block", accept_downloads=False
        )
        await context.route("**/*", self._answer)
        await context.route_web_socket("**/*", _refuse_socket)
        page = await context.new_page()
        context.on("page", _close_page)
        return page

    async def _answer(self, route: Route) -> None:
        request = route.request
        # What is answered when the page is closed already is of no use to anybody.
        with suppress(Error):
            if request.is_navigation_request() and request.frame.parent_frame is None:
                await self._answer_navigation(route)
                return
            wanted = request.method == "GET" and request.resource_type in WANTED
            answer = await self._ask(request.url) if wanted else RequestAnswer(0)
            self._last = time.monotonic()
            if answer.status:
                await route.fulfill(status=answer.status, headers=dict(answer.headers), body=answer.body)
            else:
                await route.abort("blockedbyclient")

    async def _answer_navigation(self, route: Route) -> None:
        """The page itself; where its scripts lead to another one it stays, for that one was not asked for."""
        if self._opened:
            await route.abort("aborted")
        else:
            self._opened = True
            await route.fulfill(headers=dict(self._order.headers), body=self._order.body)

    async def _ask(self, url: str) -> RequestAnswer:
        number = next(self._numbers)
        answer: asyncio.Future[RequestAnswer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answer
        say(BrowserMessage(request=PageRequest(number, url)))
        try:
            return await answer
        finally:
            del self._waiting[number]

    async def _take_answers(self) -> None:
        while line := await self._lines.readline():
            answer = msgspec.json.decode(line, type=RequestAnswer)
            waiting = self._waiting.get(answer.number)
            if waiting and not waiting.done():
                waiting.set_result(answer)


async def _refuse_socket(socket: WebSocketRoute) -> None:
    await socket.close()


async def _close_page(page: Page) -> None:
    with suppress(Error):
        await page.close()


def say(message: BrowserMessage) -> None:
    """Tell Magpie."""
    sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
    sys.stdout.buffer.flush()


async def main() -> None:
    """Render the page that the first line orders."""
    lines = asyncio.StreamReader(limit=int(sys.argv[1]))
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    order = msgspec.json.decode(await lines.readline(), type=PageOrder)
    resource.setrlimit(resource.RLIMIT_DATA, (BROWSER_MEMORY, BROWSER_MEMORY))
    os.chdir(Path(order.folder))
    try:
        html = await PageBrowser(order, lines).render()
    except Error as error:
        say(BrowserMessage(page=RenderedPage(failure=error.message.splitlines()[0])))
        return
    page = RenderedPage(html) if len(html) <= order.max_characters else RenderedPage(failure="the page is too large")
    say(BrowserMessage(page=page))


if __name__ == "__main__":
    leave_network()
    asyncio.run(main())
