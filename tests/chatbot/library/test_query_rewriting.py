import asyncio

import pytest

from chatbot.library.query_rewriting import Rewriter
from chatbot.models.embedded.model import EmbeddedModel
from rag.settings import RagSettings
from tests.fakes.model import ScriptedModel
from utils.errors import ReplyBroken

BROKEN = ReplyBroken("The language model did not finish what it was to fill in.", "Ask again.")


async def test_a_search_gets_the_terms_that_the_model_names_and_asks_for_them_once() -> None:
    model = ScriptedModel([], filled=[{"terms": ["ferry", "departure  time", "harbour"]}])
    rewriter = Rewriter(lambda: model)
    assert [await rewriter.answer_terms("When does it leave?") for _ in range(2)] == [
        "ferry departure time harbour"
    ] * 2
    assert model.filled == []


async def test_a_follow_up_is_written_so_that_it_stands_alone() -> None:
    model = ScriptedModel([], filled=[{"query": "how many members in 2024?\n"}, {"query": "how many ferries in 2024?"}])
    rewriter = Rewriter(lambda: model)
    assert await rewriter.stand_alone("and in 2024?", "how many members in 2023?") == "how many members in 2024?"
    assert await rewriter.stand_alone("and in 2024?", "how many ferries in 2023?") == "how many ferries in 2024?"


@pytest.mark.parametrize("failure", [{}, BROKEN, None])
async def test_what_the_model_fails_to_say_leaves_the_question_as_it_is(
    failure: dict[str, str] | Exception | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatbot.library.query_rewriting.REWRITE_SECONDS", 0.05)
    rewriter = Rewriter(lambda: ScriptedModel([], filled=[failure]))
    assert await rewriter.stand_alone("and in 2024?", "how many members in 2023?") == "and in 2024?"
    assert await Rewriter(lambda: ScriptedModel([], filled=[failure])).answer_terms("how many members?") == ""


async def test_a_failure_is_not_kept() -> None:
    model = ScriptedModel([], filled=[BROKEN, {"terms": ["a", "b", "c"]}])
    rewriter = Rewriter(lambda: model)
    assert [await rewriter.answer_terms("abc?"), await rewriter.answer_terms("abc?")] == ["", "a b c"]


async def test_who_stops_waiting_is_not_held_by_a_slow_model() -> None:
    asked = asyncio.create_task(Rewriter(lambda: ScriptedModel([], filled=[None])).answer_terms("how many?"))
    await asyncio.sleep(0)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked


@pytest.mark.model
async def test_the_smallest_model_names_terms_and_keeps_what_a_follow_up_is_about(
    small_model: EmbeddedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatbot.library.query_rewriting.REWRITE_SECONDS", 150)
    rewriter = Rewriter(lambda: small_model)
    assert len((await rewriter.answer_terms("how do I keep my bicycle chain from rusting in winter")).split()) >= 3
    question = await rewriter.stand_alone("and when was it built?", "how high is the lighthouse of Harrow?")
    assert "lighthouse" in question.lower()


async def test_searches_are_worded_anew_only_where_the_settings_want_that_now() -> None:
    settings = [RagSettings(rewrite_follow_ups=False)]
    model = ScriptedModel([], filled=[{"query": "how many in 2024?"}, {"terms": ["a", "b", "c"]}])
    rewriter = Rewriter(lambda: model, lambda: settings[0])
    assert await rewriter.alone_if_wanted("and in 2024?", "how many in 2023?") == "and in 2024?"
    assert await rewriter.terms_if_wanted("how many?") == ""
    settings[0] = RagSettings(rewrite_queries=True)
    assert await rewriter.alone_if_wanted("and in 2024?", "how many in 2023?") == "how many in 2024?"
    assert await rewriter.terms_if_wanted("how many?") == "a b c"
