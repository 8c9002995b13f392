"""A model that is still being chosen: one choice for all who wait, and another one after a choice that failed."""

import asyncio

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import Done, LanguageModel, ReplyOptions, Text
from chatbot.models.lazy import LazyModel
from tests.fakes.model import USAGE, ScriptedModel, says
from utils.errors import ModelUnavailable


async def test_all_who_wait_for_the_choice_get_the_same_model_and_their_options_reach_it() -> None:
    chosen: list[ScriptedModel] = []

    async def choose() -> LanguageModel:
        await asyncio.sleep(0)
        chosen.append(ScriptedModel([says("Yes.")]))
        return chosen[-1]

    model = LazyModel(choose)
    info, count = await asyncio.gather(model.describe(), model.count_tokens("two words"))
    pieces = [piece async for piece in model.reply([Message("user", "Hm?")], (), ReplyOptions(5, 0.5))]
    assert (info.name, count, pieces) == ("scripted", 2, [Text("Yes."), Done(USAGE)])
    assert [one.manners for one in chosen] == [[(5, 0.5)]]


async def test_a_choice_that_failed_is_made_again_and_nothing_is_closed_that_was_not_chosen() -> None:
    answers: list[LanguageModel | ModelUnavailable] = [ModelUnavailable("Nobody is there.", ""), ScriptedModel([])]

    async def choose() -> LanguageModel:
        answer = answers.pop(0)
        if isinstance(answer, ModelUnavailable):
            raise answer
        return answer

    model = LazyModel(choose)
    await model.close()
    with pytest.raises(ModelUnavailable):
        await model.warm_up([])
    await model.warm_up([])
    assert not answers
