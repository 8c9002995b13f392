"""Fixed beginnings of prompts, read ahead while nobody asks."""

import asyncio

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import WordShares
from chatbot.models.pipeline import prefixes
from chatbot.models.pipeline.prefixes import PrefixedModel
from tests.fakes.deciding import DecidingModel

BEGINNINGS = [[Message("system", name)] for name in ("one", "two", "three")]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefixes, "QUIET_SECONDS", 0.2)


class SlowModel(DecidingModel):
    """Answers when it is allowed to."""

    def __init__(self) -> None:
        super().__init__([])
        self.allowed = asyncio.Event()

    async def weigh_words(self, messages: list[Message], words: list[str]) -> WordShares:
        await self.allowed.wait()
        return await super().weigh_words(messages, words)


async def test_what_is_read_ahead_waits_while_a_turn_asks() -> None:
    model = SlowModel()
    prefixed = PrefixedModel(model, BEGINNINGS)
    asked = asyncio.create_task(prefixed.weigh_words([*BEGINNINGS[1], Message("user", "?")], ["yes"]))
    await asyncio.sleep(0)
    ahead = asyncio.create_task(prefixed.warm_up())
    await asyncio.sleep(0.3)
    assert model.warmed == ["two"]
    model.allowed.set()
    await asyncio.gather(asked, ahead)
    assert model.warmed == ["two", "one", "three"]


async def test_of_a_model_that_keeps_only_the_last_prompt_the_first_beginning_is_read_ahead_and_no_other() -> None:
    model = DecidingModel([], keeps_beginnings=False)
    prefixed = PrefixedModel(model, BEGINNINGS)
    await prefixed.warm_up()
    await prefixed.weigh_words([*BEGINNINGS[1], Message("user", "?")], ["yes"])
    assert model.warmed == ["one"]
    # What was asked is worth more than what would be read in its place.
    await prefixed.warm_up()
    assert model.warmed == ["one"]


async def test_a_first_beginning_that_became_another_one_is_warmed_up_once_more() -> None:
    model = DecidingModel([])
    first = [Message("system", "before")]
    prefixed = PrefixedModel(model, BEGINNINGS, lambda: first)
    for _ in range(2):
        await prefixed.weigh_words([*first, Message("user", "?")], ["yes"])
    first = [Message("system", "after")]
    for _ in range(2):
        await prefixed.weigh_words([*first, Message("user", "?")], ["yes"])
    assert model.warmed == ["before", "after"]
    await prefixed.warm_up()
    assert model.warmed == ["before", "after", "one", "two", "three"]
