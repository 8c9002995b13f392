"""Of many chats some are answered at once; the others wait for their turn, are told so, and none is lost."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from chatbot.engine.chat import Chat
from chatbot.frontends.telegram.chat import OTHERS_FIRST, STOPPED
from chatbot.models.base import Piece, Text
from chatbot.research.desk import OTHERS_ARE_FIRST
from tests.fakes.app import PAGE
from tests.fakes.model import ScriptedModel, says
from tests.fakes.researching import ResearchModel
from tests.fakes.telegram import ANN, BOB, GROUP, FakeTelegram
from tests.fakes.telegram_bot import ScriptedEngine, configure, person, running
from tools.base import ToolResult, tool

HELD = [Text("It leaves at "), None]
"""A reply that begins and never ends."""


async def test_who_is_one_too_many_is_told_and_answered_next(server: FakeTelegram, tmp_path: Path) -> None:
    models: dict[str, Any] = {person(): ScriptedModel([HELD]), person(BOB): ScriptedModel([says("At ten.")])}
    async with running(ScriptedEngine(configure(tmp_path, server, **{"telegram.max_answers": 1}), models)):
        await server.say("When does it leave?")
        await server.shows("It leaves at")
        await server.say("And back?", user=BOB)
        waits = await server.shows(OTHERS_FIRST, BOB)
        # What is told at once is told at once.
        await server.say("/help@magpie_test_bot", chat=GROUP)
        await server.shows("Commands", GROUP)
        assert not models[person(BOB)].sent
        await server.say("/stop")
        await server.shows("At ten.", BOB)
        await server.settles(BOB)
    # The message that said so has become the answer.
    assert (len(server.messages[BOB]), waits.text) == (1, "At ten.")


async def test_who_waits_can_take_the_question_back(server: FakeTelegram, tmp_path: Path) -> None:
    models: dict[str, Any] = {person(): ScriptedModel([HELD]), person(BOB): ScriptedModel([says("At ten.")])}
    async with running(ScriptedEngine(configure(tmp_path, server, **{"telegram.max_answers": 1}), models)):
        await server.say("When does it leave?")
        await server.shows("It leaves at")
        await server.say("And back?", user=BOB)
        await server.shows(OTHERS_FIRST, BOB)
        await server.say("/stop", user=BOB)
        await server.shows(STOPPED, BOB)
        await server.say("And now?", user=BOB)
        await server.until(lambda: len(server.messages[BOB]) == 2)
        await server.say("/stop")
        await server.shows("At ten.", BOB)
    assert [sent[0][-1].content for sent in models[person(BOB)].sent] == ["And now?"]


async def test_a_restart_loses_nobody_who_waits(server: FakeTelegram, tmp_path: Path) -> None:
    models: dict[str, Any] = {person(): ScriptedModel([HELD]), person(BOB): ScriptedModel([says("At ten.")])}
    configuration = configure(tmp_path, server, **{"telegram.max_answers": 1})
    async with running(ScriptedEngine(configuration, models)):
        await server.say("When does it leave?")
        await server.shows("It leaves at")
        await server.say("And back?", user=BOB)
        await server.shows(OTHERS_FIRST, BOB)
    async with running(ScriptedEngine(configuration, models)):
        await server.shows("At ten.", BOB)
    assert len(models[person(BOB)].sent) == 1


async def test_never_more_are_answered_at_once_and_all_are_answered(server: FakeTelegram, tmp_path: Path) -> None:
    users, under_way, most = range(ANN, ANN + 9), 0, 0
    all_turns_taken = asyncio.Event()

    class Counting(ScriptedModel):
        async def reply(self, *args: Any, **options: Any) -> AsyncGenerator[Piece, None]:
            nonlocal under_way, most
            under_way += 1
            most = max(most, under_way)
            if most == 3:
                all_turns_taken.set()
            await all_turns_taken.wait()
            async for piece in super().reply(*args, **options):
                yield piece
            under_way -= 1

    settings = {"telegram.max_answers": 3, "telegram.allowed_users": list(users)}
    models: dict[str, Any] = {person(user): Counting([says("Yes.")]) for user in users}
    async with running(ScriptedEngine(configure(tmp_path, server, **settings), models)):
        for user in users:
            await server.say("Are you there?", user=user)
        for user in users:
            await server.shows("Yes.", user)
    assert most == 3


async def test_research_waits_for_its_turn_as_answers_do_and_says_so(server: FakeTelegram, tmp_path: Path) -> None:
    reached, going = asyncio.Event(), asyncio.Event()

    async def web_search(query: str) -> ToolResult:
        """Search the web.

        Args:
            query: What to look for.
        """
        reached.set()
        await going.wait()
        return ToolResult("Found:", (PAGE,))

    def give_search(chat: Chat) -> None:
        chat.agent.toolbox.drop_tools(["web_search", "fetch_url_content"])
        chat.agent.toolbox.add_tools([tool(web_search)])

    plan = ("When does the ferry leave?", "What does the ferry cost?")
    models: dict[str, Any] = {
        person(): ScriptedModel([HELD, says("At ten.")]),
        person(BOB): ResearchModel(plan=plan),
    }
    engine = ScriptedEngine(configure(tmp_path, server, **{"telegram.max_answers": 1}), models)
    engine.prepare = give_search
    async with running(engine):
        await server.say("/research When does the ferry leave, and what does it cost?", user=BOB)
        await server.shows("Plan:", BOB)
        await server.say("When does it leave?")
        await server.shows("It leaves at")
        await server.say("/research go", user=BOB)
        await server.shows(OTHERS_ARE_FIRST, BOB)
        # What waits can be looked at and stopped at once.
        await server.say("/research", user=BOB)
        assert (
            "0 notes so far. It waits until others are answered." in (await server.shows("is being looked", BOB)).text
        )
        await server.say("/stop")
        async with asyncio.timeout(60):
            await reached.wait()
        await server.say("And back?")
        await server.shows(OTHERS_FIRST)
        going.set()
        # Between two steps of the research it is answered.
        await server.shows("At ten.")
        await server.shows("/research report shows it", BOB)
