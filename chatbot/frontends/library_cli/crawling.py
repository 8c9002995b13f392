"""`magpie rag ingest ADDRESS --depth N`: a web site goes in; what was left out of it is told at the end."""

import asyncio
from contextlib import aclosing
from typing import Any
from urllib.parse import urlsplit

from chatbot.engine.network import make_page_client, make_reach, make_renderer
from chatbot.frontends.library_cli.interruption import INGEST_INTERRUPTED, stop_on_interrupt
from chatbot.frontends.library_cli.job import Job, wrap_text
from chatbot.frontends.library_cli.search import short_source
from chatbot.library.crawl import SiteIngest, SiteRequest, SiteSummary, open_crawler
from chatbot.library.progress import counted, is_url
from tools.web.crawling.crawl_store import PageRecord
from tools.web.crawling.outcomes import LEFT_OUT_WORDS, REPLACED_OUTCOMES, PageOutcome
from utils.errors import ConfigError, LibraryError, NetworkError
from utils.text import one_line

SHOWN = 20
"""Addresses of a kind that are listed."""


async def crawl(job: Job) -> int:
    """Take in the sites that were named; the exit code: 1 where something failed, 130 after Ctrl-C."""
    arguments = job.arguments
    if wrong := [target for target in arguments.targets if not is_url(target)]:
        raise ConfigError(f"--depth is for the addresses of web sites, and {wrong[0]} is none.", "Leave --depth out.")
    if job.library.read_only:
        raise LibraryError("Nothing can be added: this run is private, or the library only read.")
    codes = []
    for url in arguments.targets:
        pages = arguments.pages or job.config.crawl.pages
        try:
            codes.append(await _take_in_site(job, SiteRequest(url, arguments.depth, pages, arguments.whole_site)))
        except NetworkError as error:
            # The other sites have nothing to do with it.
            job.print_aside(str(error))
            codes.append(1)
        if codes[-1] == INGEST_INTERRUPTED:
            break
    return max(codes, default=0)


async def _take_in_site(job: Job, request: SiteRequest) -> int:
    reach = make_reach(job.config, job.print_aside)
    client = make_page_client(job.config, reach, "crawl")
    renderer = make_renderer(job.config, reach, client)
    crawler = await asyncio.to_thread(open_crawler, job.library, job.config, client, request, job.print_aside, renderer)
    try:
        gone = job.config.crawl.remove_gone
        work = SiteIngest(job.library, crawler, job.config.rag.collection, remove_gone=gone)
        report = SiteReport(job, request, work)
        return await report.run_to_end()
    finally:
        await asyncio.to_thread(crawler.store.close)


class SiteReport:
    """What is told of a site while it is taken in, and at its end."""

    def __init__(self, job: Job, request: SiteRequest, work: SiteIngest) -> None:
        self._job = job
        self._request = request
        self._work = work
        self._trouble: NetworkError | None = None
        self._visited = 0

    async def run_to_end(self) -> int:
        """Carry the work out, and tell how far it is and what it came to; the exit code."""
        if self._work.crawler.store.unfinished:
            self._job.print_aside("Going on where the last run was broken off.")
        with stop_on_interrupt(self._work.stop, self._job, "this page") as presses:
            try:
                await self._follow_work()
                if self._work.summary.chunks and not presses:
                    self._job.line.show("bringing the vector index up to date")
                    await self._job.library.catch_up()
            except asyncio.CancelledError:
                # The second Ctrl-C; what was done until then is told all the same.
                if not presses:
                    raise
            except NetworkError as error:
                if not self._visited:
                    raise
                self._trouble = error
        self._job.line.clear()
        advice = "" if presses else await self._work.language_advice()
        return self._finish(advice, interrupted=bool(presses))

    async def _follow_work(self) -> None:
        async with aclosing(self._work.run()) as visits:
            async for visit in visits:
                self._visited += 1
                if self._job.arguments.verbose and not self._job.as_json:
                    self._job.print_text(_visit_line(visit))
                self._job.line.show(await asyncio.to_thread(self._progress_text, visit))

    def _progress_text(self, visit: PageRecord) -> str:
        crawler, summary = self._work.crawler, self._work.summary
        waiting = crawler.store.count_waiting(crawler.limits.depth)
        rate = crawler.client.requests / max(summary.seconds, 0.1)
        pages = counted(summary.pages + summary.unchanged, "page")
        # All are on one site, and the line is short.
        path = urlsplit(visit.address)._replace(scheme="", netloc="").geturl()
        return f"{pages}, {waiting:,} in the queue, {rate:.1f} requests/s - {path}"

    def _finish(self, advice: str, *, interrupted: bool) -> int:
        summary = self._work.summary
        if self._job.as_json:
            self._job.print_json(self._fields(summary, advice, interrupted))
        else:
            self._print_summary(summary, advice)
        if interrupted:
            return INGEST_INTERRUPTED
        return 1 if self._trouble or summary.failed or not summary.pages + summary.unchanged else 0

    def _fields(self, summary: SiteSummary, advice: str, interrupted: bool) -> dict[str, Any]:
        return {
            "site": self._request.url,
            "pages": summary.pages,
            "chunks": summary.chunks,
            "unchanged": summary.unchanged,
            "gone": summary.gone,
            "replaced": summary.replaced,
            "outcomes": {str(one): count for one, count in summary.outcomes.items() if one},
            "waiting": summary.waiting,
            "deeper": summary.deeper,
            "failures": [{"address": address, "reason": reason} for address, reason in summary.failures],
            "ending": summary.ending,
            "requests": summary.requests,
            "seconds": round(summary.seconds, 3),
            "warnings": [one for one in (advice, str(self._trouble or "")) if one],
            "interrupted": interrupted,
        }

    def _print_summary(self, summary: SiteSummary, advice: str) -> None:
        job = self._job
        _list_pages(job, "Failed:", summary.failures, summary.failed)
        _list_pages(job, "No longer on the site:", [(address, "") for address in summary.gone], len(summary.gone))
        job.print_text(wrap_text(("" if summary.ending else "Stopped. ") + str(summary), 0))
        if left := summary.left_out():
            job.print_text(wrap_text(f"Left out: {', '.join(left)}.", 0))
        if beyond := self._beyond(summary):
            job.print_text(wrap_text(f"Not asked for: {', '.join(beyond)}.", 0))
        job.out.flush()
        for told in (self._start_trouble(), str(self._trouble or ""), self._how_to_go_on(summary), advice):
            if told:
                job.print_aside(wrap_text(told, 0))

    def _beyond(self, summary: SiteSummary) -> list[str]:
        """What was not asked for, as it lies past a limit."""
        limits = {"pages": f"past the limit of {self._request.pages:,} pages", "requests": "past the limit of requests"}
        found = (
            [f"{summary.waiting:,} {limits[summary.ending]}"] if summary.waiting and summary.ending in limits else []
        )
        deeper = f"{summary.deeper:,} more than {counted(self._request.depth, 'link')} away"
        return [*found, deeper] if summary.deeper else found

    def _start_trouble(self) -> str:
        """Why the first page led nowhere, where it did."""
        crawler, start = self._work.crawler, self._work.crawler.scope.start.url
        outcome = crawler.store.outcome_of(start)
        if outcome == PageOutcome.OFF_SITE:
            reason = next((why for address, why in crawler.store.list_outcome(outcome, SHOWN) if address == start), "")
            return f"{one_line(start, 200)} {one_line(reason, 300)}: name the address that is meant."
        if outcome not in LEFT_OUT_WORDS or outcome in REPLACED_OUTCOMES:
            return ""
        return f"The first page was left out: {one_line(start, 200)} ({LEFT_OUT_WORDS[outcome]})."

    def _how_to_go_on(self, summary: SiteSummary) -> str:
        if summary.ending:
            return ""
        waiting = "1 address is" if summary.waiting == 1 else f"{summary.waiting:,} addresses are"
        return f"{waiting} still in the queue: the same command goes on there."


def _visit_line(visit: PageRecord) -> str:
    reason = f" ({one_line(visit.reason, 200)})" if visit.reason else ""
    return f"{visit.outcome:<10} {one_line(visit.address, 300)}{reason}"


def _list_pages(job: Job, heading: str, pages: list[tuple[str, str]], total: int) -> None:
    """List addresses on standard error, with why they stand there."""
    if not pages:
        return
    job.out.flush()
    job.print_aside(heading)
    for address, reason in pages[:SHOWN]:
        job.print_aside(f"  {short_source(address)}" + (f"\n{wrap_text(one_line(reason, 500), 4)}" if reason else ""))
    if total > SHOWN:
        job.print_aside(f"  and {total - SHOWN:,} more")
