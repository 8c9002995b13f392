"""A run from its plan to its report, on the loopback site with a scripted model."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from chatbot.citations.checker import FittedChecker
from chatbot.citations.sentences import SentenceJudge
from chatbot.citations.stream import CitationCheck
from chatbot.conversation.messages import Message
from chatbot.models.base import WordShares
from chatbot.research.desk import FinishedResearch, ResearchDesk
from rag.embedding.sentence_model import SentenceEmbedder
from tests.fakes.researching import PLAN, QUESTION, ResearchModel, researching
from tests.fakes.site import Site
from utils.errors import ConfigError, ModelUnavailable


async def researched(desk: ResearchDesk, question: str = QUESTION) -> FinishedResearch:
    await desk.plan(question)
    return await desk.carry_out(lambda step: None)


async def test_each_question_of_the_plan_is_searched_noted_and_reported_with_its_source(
    tmp_path: Path, embedder: SentenceEmbedder
) -> None:
    async with Site() as site, researching(tmp_path, site, ResearchModel()) as app:
        finished = await researched(app.chat.research)
        assert site.queries == list(PLAN)
        assert "The bridge was designed by the engineer Ingrid Halvorsen" in finished.report
        assert "412 metres long" in finished.report
        assert "6:45 in the morning" in finished.report
        assert f"<{site.url('/bridge.html')}>, read 20" in finished.report
        body, _, _ = finished.report.partition("## Sources")
        lines = [line for line in body.splitlines() if line.startswith("- ")]
        assert lines and all(line.endswith("]") for line in lines)
        check = CitationCheck(finished.state.make_table(), SentenceJudge(FittedChecker(embedder), QUESTION))
        assert await check.feed(body) + await check.finish() == body
        assert (check.unknown, check.unsupported) == ([], [])
        assert check.cited == sorted({note.number for note in finished.state.notes})


async def test_a_sentence_is_reworded_only_where_its_passage_says_the_rewording(tmp_path: Path) -> None:
    said = {
        "412 metres": "The Ostermark Bridge is 412 metres long and was opened to traffic in May 1931.",
        "6:45": "The first ferry is painted red and sails at 6:45 in the morning with 900 cars.",
    }
    model = ResearchModel(sentence=lambda prompt: next((said[key] for key in said if key in prompt), ""))
    async with Site() as site, researching(tmp_path, site, model) as app:
        report = (await researched(app.chat.research)).report
        assert said["412 metres"] in report
        assert said["6:45"] not in report and "The first boat of the day sails at 6:45" in report


async def test_what_was_not_found_is_searched_in_other_words_and_then_said(tmp_path: Path) -> None:
    model = ResearchModel(
        plan=(PLAN[1], "Who painted the Ostermark Bridge blue?"),
        query="Ostermark Bridge blue paint",
        holds=lambda prompt: "blue" not in prompt,
    )
    async with Site() as site, researching(tmp_path, site, model) as app:
        report = (await researched(app.chat.research)).report
        assert site.queries[-1] == "Ostermark Bridge blue paint"
        missing = report.partition("## What was not found")[2]
        assert "Who painted the Ostermark Bridge blue? (searched for" in missing
        assert "“Ostermark Bridge blue paint”" in missing


async def test_notes_lead_to_further_questions_as_long_as_there_are_rounds(tmp_path: Path) -> None:
    further = "What did Halvorsen use in place of suspension cables?"
    model = ResearchModel(
        plan=PLAN[:2], follow_ups=[(further, PLAN[0], "What is the capital of Peru?"), ("Halvorsen?",)]
    )
    async with Site() as site, researching(tmp_path, site, model, **{"research.rounds": 1}) as app:
        finished = await researched(app.chat.research)
        assert [one.text for one in finished.state.plan] == [*PLAN[:2], further]
        assert site.queries[2:] == [further]
        assert "She used steel arches" in finished.report


async def test_nothing_more_is_looked_up_when_the_minutes_are_up(tmp_path: Path) -> None:
    async with Site() as site, researching(tmp_path, site, ResearchModel(), **{"research.minutes": 1e-6}) as app:
        finished = await researched(app.chat.research)
        assert len(site.queries) == 1
        assert "It ended early: its time was up." in finished.report
        assert f"{PLAN[2]} (not looked up)" in finished.report


async def test_a_run_that_is_stopped_reports_what_there_is(tmp_path: Path) -> None:
    model = ResearchModel(plan=PLAN)
    async with Site() as site, researching(tmp_path, site, model) as app:
        desk = app.chat.research
        await desk.plan(QUESTION)
        finished = await desk.carry_out(lambda step: step.done == 1 and desk.stop())
        assert "It was stopped early." in finished.report
        assert "Ingrid Halvorsen" in finished.report
        assert f"{PLAN[1]} (not looked up)" in finished.report
        assert len(site.queries) <= 2


async def test_a_search_that_fails_is_told_and_the_others_go_on(tmp_path: Path) -> None:
    async with Site() as site, researching(tmp_path, site, ResearchModel()) as app:
        desk = app.chat.research
        await desk.plan(QUESTION)
        await site.switch_off()
        report = (await desk.carry_out(lambda step: None)).report
        assert "Nothing was found that answers this." in report
        assert "## What could not be done" in report and "web\\_search" in report


async def test_what_carries_something_private_is_not_searched_without_consent(tmp_path: Path) -> None:
    secret = "My passport is X4711-99812-KLM-20."
    model = ResearchModel(plan=PLAN[:2], follow_ups=[("Does the Ostermark Bridge know X4711-99812-KLM-20?",)])
    async with Site() as site, researching(tmp_path, site, model) as app:
        await app.chat.memory.add_fact(secret)
        await app.chat.memory.begin_session()
        report = (await researched(app.chat.research)).report
        assert not [query for query in site.queries if "4711" in query]
        assert "Not done, for it needs the user's consent" in report


async def test_tools_that_are_off_are_said_before_anything_is_planned(tmp_path: Path) -> None:
    async with Site() as site, researching(tmp_path, site, ResearchModel(), tools_enabled=False) as app:
        with pytest.raises(ConfigError, match="switched off"):
            await app.chat.research.plan(QUESTION)


async def test_a_run_whose_model_fails_goes_on_later_where_it_was(tmp_path: Path) -> None:
    class Failing(ResearchModel):
        async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
            if "Skerry" in messages[-1].content:
                raise ModelUnavailable("The model is gone.")
            return await super().weigh_words(messages, words)

    async with Site() as site:
        async with researching(tmp_path, site, Failing()) as app:
            with pytest.raises(ModelUnavailable):
                await researched(app.chat.research)
            assert site.queries == list(PLAN)
        async with researching(tmp_path, site, ResearchModel()) as app:
            state = await app.chat.research.take_up("bridge")
            assert [one.outcome for one in state.plan] == ["answered", "answered", "open"]
            finished = await app.chat.research.carry_out(lambda step: None)
            assert site.queries == [*PLAN, PLAN[2]]
            assert "Ingrid Halvorsen" in finished.report and "6:45" in finished.report
            assert not list((tmp_path / "research").iterdir())


async def test_a_finished_run_is_kept_as_a_conversation_with_its_sources(tmp_path: Path) -> None:
    async with Site() as site, researching(tmp_path, site, ResearchModel()) as app:
        finished = await researched(app.chat.research)
        loaded = await app.chat.sessions.load(finished.state.id)
        assert loaded.info.title.startswith("Research: What should I know of the Ostermark Bridge")
        assert loaded.messages[0].content == QUESTION
        assert loaded.messages[-1].content == finished.report
        await app.chat.resume(finished.state.id)
        assert app.chat.agent.conversation.sources.get(1).passage.source == site.url("/bridge.html")
