import asyncio

from tools.settings import SearchSettings
from tools.web.fallback import EngineError, EngineReport, Query, Searcher, SearchResult, SearchResults, State

A = SearchResult("A", "https://a.example/", "about a")
B = SearchResult("B", "https://b.example/", "about b")


class Scripted:
    """An engine that gives one result list or error a search, after so many seconds."""

    def __init__(self, name: str, *answers: list[SearchResult] | State, seconds: float = 0) -> None:
        self.name = name
        self.answers = list(answers)
        self.seconds = seconds
        self.asked = 0

    async def search(self, query: Query) -> list[SearchResult]:
        self.asked += 1
        await asyncio.sleep(self.seconds)
        answer = self.answers.pop(0)
        if isinstance(answer, str):
            raise EngineError(answer, "because")
        return answer


def searcher(*engines: Scripted, timeout: float = 5, clock: list[float] | None = None) -> Searcher:
    now = clock or [0.0]
    return Searcher(engines, SearchSettings(timeout=timeout, engine_rest=300), lambda: now[0])


async def test_the_first_engine_with_results_is_enough() -> None:
    first, second = Scripted("first", [A, B, A]), Scripted("second", [B])
    assert await searcher(first, second).search(Query("q")) == SearchResults((A, B), (EngineReport("first", "found"),))
    assert second.asked == 0


async def test_one_that_fails_or_has_nothing_makes_room_for_the_next() -> None:
    engines = Scripted("one", "throttled"), Scripted("two", []), Scripted("three", [B])
    assert await searcher(*engines).search(Query("q")) == SearchResults(
        (B,),
        (EngineReport("one", "throttled", "because"), EngineReport("two", "empty"), EngineReport("three", "found")),
    )


async def test_a_silent_engine_is_joined_by_the_next_and_counts_as_late() -> None:
    silent, quick = Scripted("silent", [A], seconds=60), Scripted("quick", [B])
    assert await searcher(silent, quick, timeout=0.3).search(Query("q")) == SearchResults(
        (B,), (EngineReport("quick", "found"), EngineReport("silent", "late"))
    )


async def test_the_time_holds_for_all_engines_together() -> None:
    slow = [Scripted(name, [A], seconds=60) for name in ("one", "two")]
    found = await searcher(*slow, timeout=0.3).search(Query("q"))
    assert (found.state, found.reports) == ("late", (EngineReport("one", "late"), EngineReport("two", "late")))


async def test_an_engine_that_failed_is_passed_over_for_a_while() -> None:
    clock = [0.0]
    failing = Scripted("failing", "failed", [A])
    asker = searcher(failing, Scripted("other", [B], [B]), clock=clock)
    states = [[r.state for r in (await asker.search(Query("q"))).reports]]
    clock[0] = 299
    states.append([r.state for r in (await asker.search(Query("q"))).reports])
    clock[0] = 301
    states.append([r.state for r in (await asker.search(Query("q"))).reports])
    assert states == [["failed", "found"], ["resting", "found"], ["found"]]


async def test_without_a_network_nobody_is_passed_over_afterwards() -> None:
    asker = searcher(Scripted("only", "unreachable", [A]))
    assert [(await asker.search(Query("q"))).state for _ in range(2)] == ["unreachable", "found"]


async def test_empty_is_said_only_when_every_engine_had_nothing() -> None:
    assert (await searcher(Scripted("a", []), Scripted("b", [])).search(Query("q"))).state == "empty"
    assert (await searcher(Scripted("a", []), Scripted("b", "throttled")).search(Query("q"))).state == "throttled"
    assert (await searcher(Scripted("a", "failed"), Scripted("b", "unreachable")).search(Query("q"))).state == "failed"


async def test_results_that_lead_to_no_web_address_are_left_out() -> None:
    odd = SearchResult("odd", "javascript:alert(1)", "")
    assert (await searcher(Scripted("a", [odd, A])).search(Query("q"))).results == (A,)


async def test_engines_on_this_machine_answer_beside_the_others_whatever_becomes_of_them() -> None:
    local = Scripted("local", [B], [B], "failed")
    engines = Scripted("one", [A], "unreachable", []), Scripted("two", "throttled", [])
    beside = Searcher(engines, SearchSettings(), lambda: 0.0, [local])
    both, alone, broken = [await beside.search(Query("q")) for _ in range(3)]
    assert (both.results, both.why_local) == ((A, B), None)
    assert (alone.results, alone.state, alone.why_local) == ((B,), "found", "throttled")
    assert (broken.results, broken.reports[-1]) == ((), EngineReport("local", "failed", "because", local=True))
    # It is asked again at once: what is on this machine turns nobody away.
    assert local.asked == 3


async def test_what_is_on_this_machine_is_not_lost_while_the_others_keep_silent() -> None:
    silent, local = Scripted("silent", [A], seconds=60), Scripted("local", [B])
    found = await Searcher([silent], SearchSettings(timeout=0.3), lambda: 0.0, [local]).search(Query("q"))
    assert (found.results, found.why_local) == ((B,), "late")
