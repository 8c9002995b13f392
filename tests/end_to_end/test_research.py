"""Research with the real embedded model, on the loopback site: whatever it plans, what is reported is borne out."""

from pathlib import Path

import pytest

from chatbot.citations.checker import FittedChecker
from chatbot.citations.sentences import SentenceJudge
from chatbot.citations.stream import CitationCheck
from rag.embedding.sentence_model import SentenceEmbedder
from tests.fakes.site import Site
from tests.fakes.site_app import magpie

QUESTION = "Who designed the Ostermark Bridge, and how long is it?"


@pytest.mark.model
@pytest.mark.timeout(900)
async def test_the_embedded_model_researches_and_every_sentence_of_the_report_holds(
    prepared_dir: Path, embedder: SentenceEmbedder
) -> None:
    small = {"backend": "embedded", "embedded.size": "0.5b", "context_window": 4096}
    short = {"research.questions": 2, "research.rounds": 0, "rag.enabled": False}
    async with Site() as site, magpie(prepared_dir, site, **small, **short) as app:
        desk = app.chat.research
        assert 1 <= len((await desk.plan(QUESTION)).plan) <= 2
        finished = await desk.carry_out(lambda step: None)
        body, _, sources = finished.report.partition("## Sources")
        told = [line for line in body.partition("## What was not found")[0].splitlines() if line.startswith("- ")]
        assert all(line.endswith("]") for line in told)
        check = CitationCheck(finished.state.make_table(), SentenceJudge(FittedChecker(embedder), QUESTION))
        assert await check.feed(body) + await check.finish() == body
        assert (check.unknown, check.unsupported) == ([], [])
        assert bool(told) == bool(sources)
        loaded = await app.chat.sessions.load(finished.state.id)
        assert loaded.messages[-1].content == finished.report
