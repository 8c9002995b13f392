"""The summary that the next question would have to wait for is written before it comes."""

import asyncio
from typing import Any

import pytest

from chatbot.conversation.events import AnswerDelta, Answered, Notice, Progress, TurnEvent
from chatbot.models.base import ModelInfo, Text
from chatbot.turn.agent import Agent
from chatbot.turn.ports import Hooks
from tests.chatbot.window.test_compaction import LABEL, agent, talked, told
from tests.fakes.model import ScriptedModel, says
from utils.errors import ModelUnavailable


def model_of(chat: Agent) -> ScriptedModel:
    assert isinstance(chat.model, ScriptedModel)
    return chat.model


async def settled() -> None:
    """What goes on in the background has had its turn."""
    for _ in range(20):
        await asyncio.sleep(0)


def without_progress(events: list[TurnEvent]) -> list[type[Any]]:
    return [type(event) for event in events if not isinstance(event, Progress)]


async def test_the_next_question_does_not_wait_for_a_summary_that_is_there() -> None:
    chat = talked(agent(says("Short."), says("Yes.")), 5)
    await chat.prepare_room()
    await settled()
    assert len(model_of(chat).sent) == 1
    assert chat.conversation.compactions == []
    events = await told(chat.ask("And now?"))
    assert events[:2] == [Progress(LABEL, 0, 500), Progress(LABEL, 500, 500)]
    assert without_progress(events) == [Notice, AnswerDelta, Answered]
    assert chat.conversation.compactions[0].summary.startswith("Short.")
    assert len(model_of(chat).sent) == 2


async def test_a_question_that_comes_while_it_is_written_waits_for_the_rest_alone() -> None:
    chat = talked(agent(says("The user ", "counts."), says("Yes.")), 5)
    await chat.prepare_room()
    events = await told(chat.ask("And now?"))
    assert without_progress(events) == [Notice, AnswerDelta, Answered]
    assert chat.conversation.compactions[0].summary.startswith("The user counts.")
    assert len(model_of(chat).sent) == 2


async def test_nothing_is_written_ahead_where_the_window_has_room_or_it_is_switched_off() -> None:
    for chat in (talked(agent(window=4096), 5), talked(agent(compact=False), 5)):
        await chat.prepare_room()
        await settled()
        assert model_of(chat).sent == []


async def test_a_summary_that_failed_ahead_of_the_question_is_written_for_it() -> None:
    chat = talked(agent([ModelUnavailable("The server is gone.")], says("Short."), says("Yes.")), 5)
    await chat.prepare_room()
    await settled()
    assert without_progress(await told(chat.ask("And now?"))) == [Notice, AnswerDelta, Answered]
    assert chat.conversation.compactions[0].summary.startswith("Short.")


async def test_a_model_that_cannot_be_had_for_it_is_told_of_once_it_is_needed() -> None:
    missing = [True, True, False]
    other = ScriptedModel([says("Short.")], window=1024)

    async def summariser(_: str) -> ScriptedModel:
        if missing.pop(0):
            raise ModelUnavailable("There is no such model.")
        return other

    chat = talked(agent(says("Yes."), hooks=Hooks(summariser=summariser), compact_model="small"), 5)
    await chat.prepare_room()
    with pytest.raises(ModelUnavailable):
        await told(chat.compact_now())
    await told(chat.compact_now())
    assert chat.conversation.compactions[0].summary.startswith("Short.")


async def test_what_is_no_longer_said_is_not_in_it() -> None:
    chat = talked(agent(says("Long ago."), says("Short."), says("Yes.")), 5)
    await chat.prepare_room()
    await settled()
    chat.clear()
    talked(chat, 6)
    await told(chat.ask("And now?"))
    assert chat.conversation.compactions[0].summary.startswith("Short.")


async def test_a_model_on_another_machine_reads_nothing_ahead() -> None:
    chat = talked(agent(says("Short.")), 5)
    model_of(chat).info = ModelInfo("far", "openai", 1024, host="api.example.org")
    await chat.prepare_room()
    await settled()
    assert model_of(chat).sent == []


@pytest.mark.parametrize("pieces", [[Text("The user "), None], [None]])
async def test_it_is_given_up_when_the_chat_ends(pieces: list[Any]) -> None:
    chat = talked(agent(pieces), 5)
    await chat.prepare_room()
    await settled()
    await asyncio.wait_for(chat.compactor.close(), 5)
    assert chat.conversation.compactions == []
