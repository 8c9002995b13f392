"""Asking search engines in turn: refusal, failure and an empty answer are told apart; it knows no single engine."""

import asyncio
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from rag.search.selection import interleave
from tools.settings import SearchSettings
from utils.faults import record_fault

Period = Literal["day", "week", "month", "any"]
State = Literal["found", "empty", "offline", "throttled", "failed", "late", "unreachable", "resting"]
TROUBLE_STATES: tuple[State, ...] = ("offline", "throttled", "failed", "late", "unreachable", "resting")
"""What can stand in the way of an answer; the first one that did is told."""


@dataclass(frozen=True)
class Query:
    """What to look for."""

    text: str
    news: bool = False
    period: Period = "any"


@dataclass(frozen=True)
class SearchResult:
    """One result; all of it is text from outside, cleaned and on one line."""

    title: str
    url: str
    snippet: str
    date: str = ""


@dataclass(frozen=True)
class EngineReport:
    """How one engine did."""

    engine: str
    state: State
    detail: str = ""
    local: bool = False
    """Whether it is on this machine, and asked whatever may leave it."""


@dataclass(frozen=True)
class SearchResults:
    """What a search brought, and how each engine that was asked did."""

    results: tuple[SearchResult, ...]
    reports: tuple[EngineReport, ...]

    @property
    def state(self) -> State:
        """`found`; `empty` only if every engine that was asked had nothing; else the trouble that stood in the way."""
        if self.results:
            return "found"
        return find_trouble(self.reports) or "empty"

    @property
    def why_local(self) -> State | None:
        """What stood in the way of every engine but those on this machine; None where one answered."""
        others = [report for report in self.reports if not report.local]
        answered = any(report.state in ("found", "empty") for report in others)
        return None if answered else find_trouble(others)


def find_trouble(reports: Sequence[EngineReport]) -> State | None:
    """What stood in the way of an answer; None where nothing did."""
    states = {report.state for report in reports}
    return next((trouble for trouble in TROUBLE_STATES if trouble in states), None)


class EngineError(Exception):
    """An engine did not answer the question; `state` says in which way."""

    def __init__(self, state: State, detail: str = "") -> None:
        super().__init__(f"{state}: {detail}")
        self.state = state
        self.detail = detail


class SearchEngine(Protocol):
    """Something that can be asked."""

    @property
    def name(self) -> str:
        """What the user calls it."""
        ...

    async def search(self, query: Query) -> list[SearchResult]:
        """The results, best first, empty if there are none; raises `EngineError`."""
        ...


class Searcher:
    """Asks engines one after the other until one has results.

    One that fails makes room for the next at once; one that keeps silent for a third of the time is joined by the next
    while it is still waited for. Whoever turned us away or failed is passed over for a while. Those that are `local`
    are asked beside them, every time: what they find stands among the results of the others.
    """

    def __init__(
        self,
        engines: Sequence[SearchEngine],
        settings: SearchSettings,
        clock: Callable[[], float] = time.monotonic,
        local: Sequence[SearchEngine] = (),
    ) -> None:
        self._engines = tuple(engines)
        self._local = tuple(local)
        self._settings = settings
        self._clock = clock
        self._rest_ends: dict[str, float] = {}

    async def search(self, query: Query) -> SearchResults:
        """What was found, or why nothing was, in `timeout` seconds."""
        resting = [engine for engine in self._engines if self._rest_ends.get(engine.name, 0) > self._clock()]
        ready = [engine for engine in self._engines if engine not in resting]
        reports = [EngineReport(engine.name, "resting") for engine in resting]
        async with asyncio.TaskGroup() as group:
            beside = [group.create_task(self._ask_local(engine, query)) for engine in self._local]
            results = await self._race_engines(ready, query, reports)
        for report in reports:
            if report.state in ("throttled", "failed", "late"):
                self._rest_ends[report.engine] = self._clock() + self._settings.engine_rest
        on_this_machine = [task.result() for task in beside]
        found = interleave([_usable_results(results), *(local for _, local in on_this_machine)])
        return SearchResults(tuple(found), (*reports, *(report for report, _ in on_this_machine)))

    async def _ask_local(self, engine: SearchEngine, query: Query) -> tuple[EngineReport, list[SearchResult]]:
        task = asyncio.create_task(engine.search(query))
        try:
            done, _ = await asyncio.wait({task}, timeout=self._settings.timeout)
            report, found = _read_outcome(task, engine.name) if done else (EngineReport(engine.name, "late"), [])
        finally:
            task.cancel()
        return replace(report, local=True), found

    async def _race_engines(
        self, ready: list[SearchEngine], query: Query, reports: list[EngineReport]
    ) -> list[SearchResult]:
        loop = asyncio.get_running_loop()
        end = loop.time() + self._settings.timeout
        running: dict[asyncio.Task[list[SearchResult]], str] = {}
        queue = list(ready)
        results: list[SearchResult] = []
        try:
            while (queue or running) and not results and loop.time() < end:
                if queue:
                    engine = queue.pop(0)
                    running[asyncio.create_task(engine.search(query))] = engine.name
                patience = self._settings.timeout / 3 if queue else math.inf
                wait = max(0.0, min(end - loop.time(), patience))
                await asyncio.wait(running, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
                results = _collect_done(running, reports)
            if not results:
                reports += [EngineReport(name, "late") for name in running.values()]
        finally:
            for task in running:
                task.cancel()
        return results


def _collect_done(
    running: dict[asyncio.Task[list[SearchResult]], str], reports: list[EngineReport]
) -> list[SearchResult]:
    """The results of the first engine that has some; takes out who is done, and who was overtaken as late."""
    results: list[SearchResult] = []
    overtaken: list[str] = []
    for task, name in list(running.items()):
        if not task.done():
            overtaken.append(name)
            continue
        del running[task]
        report, found = _read_outcome(task, name)
        reports.append(report)
        if found and not results:
            results = found
            reports += [EngineReport(late, "late") for late in overtaken]
    return results


def _read_outcome(task: asyncio.Task[list[SearchResult]], name: str) -> tuple[EngineReport, list[SearchResult]]:
    try:
        found = task.result()
    except EngineError as error:
        return EngineReport(name, error.state, error.detail), []
    except Exception as error:  # noqa: BLE001 - the other engines are asked whatever this one did
        return EngineReport(name, "failed", record_fault(error, name).problem), []
    return EngineReport(name, "found" if found else "empty"), found


def _usable_results(results: list[SearchResult]) -> tuple[SearchResult, ...]:
    """Results that lead to a web address, each address once."""
    by_url: dict[str, SearchResult] = {}
    for result in results:
        if result.url.startswith(("http://", "https://")):
            by_url.setdefault(result.url, result)
    return tuple(by_url.values())
