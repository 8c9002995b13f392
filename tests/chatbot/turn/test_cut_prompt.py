"""How often a prompt that was cut is sent again."""

from collections.abc import AsyncGenerator

import pytest

from chatbot.conversation.events import Notice, TurnEvent
from chatbot.turn.cut_prompt import RETRIES, send_until_whole


@pytest.mark.parametrize("cuts", [0, 2, RETRIES, RETRIES + 5])
async def test_a_prompt_is_sent_until_it_is_read_whole_and_not_for_ever(cuts: int) -> None:
    done: list[str] = []

    async def make_fit() -> AsyncGenerator[TurnEvent, None]:
        done.append("fit")
        yield Notice("")

    async def send(again: bool) -> AsyncGenerator[TurnEvent, None]:
        done.append("again" if again else "last")
        yield Notice("")

    for step in send_until_whole(make_fit, send, lambda: done.count("fit") > cuts):
        assert [event async for event in step] == [Notice("")]
    sent = min(cuts, RETRIES) + 1
    expected = [*["again"] * min(sent, RETRIES), *["last"] * (sent - RETRIES)]
    assert done[0::2] == ["fit"] * sent
    assert done[1::2] == expected
