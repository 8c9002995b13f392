"""Every broken behaviour of a server of the Messages API ends in a sound reply or in one clear sentence, and soon."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chatbot.models.anthropic.model import AnthropicModel
from chatbot.models.anthropic.server import ClaudeServer
from chatbot.models.provider import ModelSurroundings
from chatbot.models.remote.destination import Destination
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.fakes.anthropic import FakeAnthropic, Spoken, listed_model
from tests.fakes.endings import SENT_KEY, ending, patience
from tests.fakes.hostile_anthropic import ENTRIES, MODES
from utils.network.access import NetworkAccess
from utils.network.api_client import ApiEndpoint


def model_at(server: FakeAnthropic, seconds: float, entry: dict[str, Any] | None = None) -> AnthropicModel:
    generation, folder = Generation(request_timeout=seconds), Path("/nowhere")
    around = ModelSurroundings(folder, generation, NetworkAccess(), ModelState(folder, remember=False))
    where = Destination(ApiEndpoint(server.base_url, "anthropic", seconds), SENT_KEY)
    entry = listed_model("fake", thinks="adaptive disabled") if entry is None else entry
    return AnthropicModel("fake", ClaudeServer(where, around), generation, entry)


@pytest.mark.parametrize("mode", sorted(MODES))
async def test_every_mode_ends_well(mode: str) -> None:
    answer, ends = MODES[mode]
    async with FakeAnthropic([answer] * 5) as server:
        assert await ending(model_at(server, patience(mode))) == ends


@pytest.mark.parametrize("entry", ENTRIES)
async def test_what_a_list_says_of_a_model_is_taken_as_far_as_it_makes_sense(entry: dict[str, Any]) -> None:
    async with FakeAnthropic([Spoken("Hello")]) as server:
        model = model_at(server, 60.0, {"id": "fake", **entry})
        assert (await model.describe()).context_window > 0
        assert await ending(model) == "Hello"
        assert server.chats[0]["max_tokens"] > 0


@pytest.mark.skipif(not os.environ.get("ATTACK"), reason="the table of `make attack` alone needs them at once")
@pytest.mark.timeout(1800)
async def test_the_attacks_are_counted(tally: Callable[[str, int, list[str]], None]) -> None:
    failed = []
    for mode, (answer, ends) in MODES.items():
        async with FakeAnthropic([answer] * 5) as server:
            failed += [mode] if await ending(model_at(server, patience(mode))) != ends else []
    assert len(MODES) + len(ENTRIES) >= 80
    tally("hostile modes of a server of the Messages API", len(MODES), failed)
