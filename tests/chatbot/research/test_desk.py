"""Research beside a chat: in the background, stopped, cut off, gone on with."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from chatbot.conversation.events import Notice, Progress
from chatbot.conversation.messages import Message
from chatbot.models.base import WordShares
from chatbot.trust.consent import Decision, Request
from tests.fakes.researching import PLAN, QUESTION, ResearchModel, researching
from tests.fakes.site import Site
from tests.fakes.site_app import RunningChat
from utils.errors import MagpieError


@dataclass
class WaitingModel(ResearchModel):
    """Reads what the ferry's page says for ever."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        if "Skerry" in messages[-1].content:
            self.reached.set()
            await asyncio.Event().wait()
        return await super().weigh_words(messages, words)


async def next_notice(app: RunningChat) -> Notice:
    """What is told of the research next."""
    while not (isinstance(news := await app.notices.get(), Notice) and news.text.startswith("The re")):
        pass
    return news


async def test_a_run_goes_on_in_the_background_and_its_end_is_told(tmp_path: Path) -> None:
    async with Site() as site, researching(tmp_path, site, ResearchModel()) as app:
        desk = app.chat.research
        await desk.plan(QUESTION)
        state = desk.begin()
        with pytest.raises(MagpieError, match="under way already"):
            await desk.plan("And what of the lighthouse?")
        progress = []
        while not (isinstance(news := await app.notices.get(), Notice) and news.text.startswith("The re")):
            progress.append(news)
        assert Progress("Researching", 1, 4) in progress and Progress("Researching", 1, 1) in progress[-2:]
        assert "/research report shows it" in news.text and f"/resume {state.id}" in news.text
        assert desk.finished is not None and "Ingrid Halvorsen" in desk.finished.report
        assert desk.under_way is None and not app.chat.begun


async def test_a_run_that_is_stopped_in_the_middle_of_a_step_reports_at_once(tmp_path: Path) -> None:
    model = WaitingModel()
    async with Site() as site, researching(tmp_path, site, model) as app:
        desk = app.chat.research
        await desk.plan(QUESTION)
        desk.begin()
        await model.reached.wait()
        assert desk.stop()
        assert "(it was stopped)" in (await next_notice(app)).text
        assert desk.finished is not None
        assert "412 metres" in desk.finished.report and f"{PLAN[2]} (not looked up)" in desk.finished.report
        assert not desk.stop()


async def test_a_run_that_the_end_of_magpie_cut_off_goes_on_in_the_next_one(tmp_path: Path) -> None:
    model = WaitingModel()
    async with Site() as site:
        async with researching(tmp_path, site, model) as app:
            await app.chat.research.plan(QUESTION)
            app.chat.research.begin()
            await model.reached.wait()
        async with researching(tmp_path, site, ResearchModel()) as app:
            desk = app.chat.research
            [cut_off] = await desk.unfinished()
            assert cut_off.question == QUESTION and len(cut_off.notes) == 2
            assert await desk.take_up() == cut_off
            desk.begin()
            assert "The report on" in (await next_notice(app)).text
            assert desk.finished is not None and "6:45" in desk.finished.report
            assert site.queries == [*PLAN, PLAN[2]]
            assert await desk.unfinished() == []


async def test_a_private_run_leaves_nothing_on_the_disk(tmp_path: Path) -> None:
    async with Site() as site, researching(tmp_path, site, ResearchModel(), private=True) as app:
        await app.chat.research.plan(QUESTION)
        finished = await app.chat.research.carry_out(lambda step: None)
        assert "Halvorsen" in finished.report
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "config.json"]
    assert not [path for path in kept if b"Halvorsen" in path.read_bytes()]
    assert not (tmp_path / "research").exists()


async def test_a_run_under_way_is_taken_up_by_no_other_chat(tmp_path: Path) -> None:
    model = WaitingModel()
    async with Site() as site, researching(tmp_path, site, model) as app:
        await app.chat.research.plan(QUESTION)
        app.chat.research.begin()
        await model.reached.wait()
        async with researching(tmp_path, site, ResearchModel()) as other:
            assert await other.chat.research.unfinished() == []
            with pytest.raises(MagpieError, match="goes on elsewhere"):
                await other.chat.research.take_up()


async def test_runs_that_were_cut_off_can_be_deleted(tmp_path: Path) -> None:
    model = WaitingModel()
    async with Site() as site:
        async with researching(tmp_path, site, model) as app:
            await app.chat.research.plan(QUESTION)
            app.chat.research.begin()
            await model.reached.wait()
        async with researching(tmp_path, site, ResearchModel()) as app:
            assert await app.chat.research.forget() == 1
            with pytest.raises(MagpieError, match="There is no research that was cut off"):
                await app.chat.research.take_up()


@pytest.mark.parametrize("background", [True, False])
async def test_the_user_is_asked_what_may_leave_only_where_they_wait_for_the_report(
    tmp_path: Path, background: bool
) -> None:
    asked: list[str] = []

    async def allow(request: Request) -> Decision:
        asked.append(request.sent)
        return "once"

    private = "Does the Ostermark Bridge know X4711-99812-KLM-20?"
    model = ResearchModel(plan=PLAN[:2], follow_ups=[(private,)])
    async with Site() as site, researching(tmp_path, site, model, allow=allow) as app:
        await app.chat.memory.add_fact("My passport is X4711-99812-KLM-20.")
        await app.chat.memory.begin_session()
        await app.chat.research.plan(QUESTION)
        if background:
            app.chat.research.begin()
            assert "The report" in (await next_notice(app)).text
        else:
            await app.chat.research.carry_out(lambda step: None)
        assert asked == ([] if background else [private])
        assert (private in site.queries) is not background
