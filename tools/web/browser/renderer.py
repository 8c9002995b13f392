"""Has pages rendered, and makes the requests of their scripts, as the guard allows them."""

import asyncio
import logging
import os
import shutil
import sys
import tempfile
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import msgspec

from tools.web.browser.messages import BrowserMessage, PageOrder, PageRequest, RenderedPage, RequestAnswer
from utils.children import child_environment, start_supervised
from utils.errors import DocumentError, MagpieError
from utils.faults import in_background
from utils.network.addresses import parse_url
from utils.network.http import Client, Response
from utils.paths import CODE_FOLDER
from utils.text import one_line

log = logging.getLogger("magpie.browser")

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
AT_ONCE = 2
"""Pages that are rendered at once: each is a browser of its own, of some 300 MB."""
MAX_REQUESTS = 60
"""Requests of one page; the others fail."""
REQUESTS_AT_ONCE = 6
ENDING = 5.0
"""Seconds that the browser may take to be ended."""
SETTLING = 0.5
"""Part of a page's time after which it is taken as it is, though its scripts go on asking."""
_PASSED_ON = frozenset(
    {"content-type", "content-security-policy", "x-content-type-options", "cross-origin-resource-policy"}
)
_CROSS_ORIGIN = "access-control-"


def find_browser() -> str | None:
    """The program of a Chromium of the system, empty for one of playwright's own; None where there is nothing."""
    if not find_spec("playwright"):
        return None
    for name in PROGRAMS:
        if program := shutil.which(name):
            return program
    caches = (Path.home() / ".cache", Path.home() / "Library" / "Caches")
    return "" if any(any((one / "ms-playwright").glob("chromium*")) for one in caches) else None


class PageRenderer:
    """Renders pages; `client` asks their own servers, `others` all others.

    Both differ by what the user opened to pages on purpose: a page from elsewhere has no business there.
    """

    def __init__(self, client: Client, others: Client, *, user_agent: str, seconds: float, max_bytes: int) -> None:
        self._client = client
        self._others = others
        self._user_agent = user_agent
        self._seconds = seconds
        self._max_bytes = max_bytes
        self._room = asyncio.Semaphore(AT_ONCE)

    async def render(self, response: Response) -> Response:
        """A page as its scripts leave it; raises `DocumentError` where that brings nothing."""
        host = parse_url(response.url).host
        program = await asyncio.to_thread(find_browser)
        if program is None:
            raise DocumentError(
                f"{host} needs a browser.", "Install Chromium, and pip install 'magpie-assistant[browser]'."
            )
        async with self._room:
            folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="magpie-browser-")
            try:
                async with asyncio.timeout(self._seconds), self._started() as process:
                    visit = _Visit(process, self._client, self._others, response, self._max_bytes)
                    page = await visit.follow(self._make_order(response, program, folder))
            except TimeoutError:
                page = RenderedPage(failure=f"it took longer than {self._seconds:g} s")
            finally:
                await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        if page.failure:
            log.info("page was not rendered", extra={"data": {"host": host, "why": page.failure}})
            raise DocumentError(f"{host} was not rendered: {one_line(page.failure, 200)}.")
        html = page.html.encode(errors="replace")
        return replace(response, body=html, content_type="text/html; charset=utf-8")

    def _make_order(self, response: Response, program: str, folder: str) -> PageOrder:
        headers = passed_on(response)
        settling = SETTLING * self._seconds
        return PageOrder(
            response.url, headers, response.body, program, self._user_agent, settling, self._max_bytes, folder
        )

    @asynccontextmanager
    async def _started(self) -> AsyncIterator[Process]:
        """The process beside the browser; with it ends whatever was started below it."""
        # A line holds a page whose every character is escaped, or an answer in base64.
        limit = 6 * self._max_bytes + (1 << 20)
        program = [sys.executable, "-P", "-m", "tools.web.browser.page_process", str(limit)]
        environment = child_environment(str(CODE_FOLDER), {})
        try:
            process, lifeline = await start_supervised(program, stderr=DEVNULL, env=environment, limit=limit)
        except OSError as error:
            raise DocumentError(f"No browser can be started: {error.strerror}.", "Close other programs.") from error
        try:
            yield process
        finally:
            os.close(lifeline)
            with suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), ENDING)


class _Visit:
    """One page while it is rendered."""

    def __init__(self, process: Process, client: Client, others: Client, response: Response, max_bytes: int) -> None:
        assert process.stdin and process.stdout
        self._stdin, self._stdout = process.stdin, process.stdout
        self._clients = {True: client, False: others}
        self._origin = parse_url(response.url).origin
        self._left = max_bytes
        self._requests = 0
        self._slots = asyncio.Semaphore(REQUESTS_AT_ONCE)

    async def follow(self, order: PageOrder) -> RenderedPage:
        """Have it rendered, and answer what it asks for."""
        answers: set[asyncio.Task[None]] = set()
        try:
            self._say(order)
            while line := await self._stdout.readline():
                message = msgspec.json.decode(line, type=BrowserMessage)
                if message.page:
                    return message.page
                if message.request:
                    answers.add(in_background(self._answer(message.request), "Answering a page"))
        except (msgspec.MsgspecError, ValueError, OSError) as error:
            # More than a line may hold, or what was never meant to be said.
            log.warning("The browser said what cannot be understood: %s", error)
        finally:
            for answer in answers:
                answer.cancel()
        return RenderedPage(failure="its browser broke down")

    async def _answer(self, request: PageRequest) -> None:
        self._requests += 1
        answer = RequestAnswer(request.number)
        if self._requests <= MAX_REQUESTS and self._left > 0:
            # What the guard refuses, or does not come, is what any page may meet.
            with suppress(MagpieError):
                async with self._slots:
                    answer = await self._load(request)
        self._say(answer)

    async def _load(self, request: PageRequest) -> RequestAnswer:
        own = parse_url(request.url).origin == self._origin
        response = await self._clients[own].get(request.url)
        self._left -= len(response.body)
        if self._left < 0:
            return RequestAnswer(request.number)
        return RequestAnswer(request.number, response.status, passed_on(response), response.body)

    def _say(self, message: PageOrder | RequestAnswer) -> None:
        self._stdin.write(msgspec.json.encode(message) + b"\n")


def passed_on(response: Response) -> dict[str, str]:
    """The headers of an answer that the page's scripts need, and those that keep them in."""
    return {
        name: value
        for name, value in {**response.headers, "content-type": response.content_type}.items()
        if name in _PASSED_ON or name.startswith(_CROSS_ORIGIN)
    }
