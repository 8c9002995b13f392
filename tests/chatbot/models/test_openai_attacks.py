"""Every broken behaviour of a server of OpenAI's protocol ends in a sound reply or in one clear sentence, and soon."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chatbot.models.openai.model import OpenAIModel
from chatbot.models.openai.server import ApiServer
from chatbot.models.provider import ModelSurroundings
from chatbot.models.remote.destination import Destination
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.fakes.endings import SENT_KEY, ending, patience
from tests.fakes.hostile_openai import ENTRIES, LISTS, MODES, PAGES
from tests.fakes.openai import FakeOpenAI
from utils.errors import ModelError
from utils.network.access import NetworkAccess
from utils.network.api_client import ApiEndpoint

LARGE = ("stream-of-a-gigabyte", "event-of-a-gigabyte", "answer-of-a-gigabyte")
"""What takes seconds: `make attack` alone runs it."""


def model_at(server: FakeOpenAI, patience: float = 1.0) -> OpenAIModel:
    generation = Generation(request_timeout=patience)
    folder = Path("/nowhere")
    around = ModelSurroundings(folder, generation, NetworkAccess(), ModelState(folder, remember=False))
    where = Destination(ApiEndpoint(server.base_url, "openai", patience), SENT_KEY)
    return OpenAIModel("fake", ApiServer(where, around), generation)


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode not in LARGE or os.environ.get("ATTACK")])
async def test_every_mode_ends_well(mode: str) -> None:
    answer, ends = MODES[mode]
    async with FakeOpenAI([answer] * 5) as server:
        assert await ending(model_at(server, patience(mode))) == ends


@pytest.mark.parametrize("mode", sorted(LISTS))
async def test_a_list_of_models_that_is_none_is_one_sentence(mode: str) -> None:
    async with FakeOpenAI(listed=LISTS[mode]) as server:
        model = model_at(server)
        with pytest.raises(ModelError) as caught:
            await model.describe()
        await model.close()
    assert caught.value.remedy and "\n" not in str(caught.value)


@pytest.mark.parametrize("entry", ENTRIES)
async def test_what_a_list_says_of_a_model_is_taken_as_far_as_it_makes_sense(entry: dict[str, Any]) -> None:
    async with FakeOpenAI(listed=[{"id": "fake", **entry}], paths=PAGES) as server:
        model = model_at(server)
        assert (await model.describe()).context_window > 0
        assert await model.count_tokens("some words") >= 0
        await model.close()


@pytest.mark.skipif(not os.environ.get("ATTACK"), reason="the table of `make attack` alone needs them at once")
@pytest.mark.timeout(1800)
async def test_the_attacks_are_counted(tally: Callable[[str, int, list[str]], None]) -> None:
    tried = [mode for mode in MODES if mode not in LARGE or os.environ.get("ATTACK")]
    failed = []
    for mode in tried:
        async with FakeOpenAI([MODES[mode][0]] * 5) as server:
            failed += [mode] if await ending(model_at(server, patience(mode))) != MODES[mode][1] else []
    assert len(MODES) + len(LISTS) + len(ENTRIES) >= 40
    tally("hostile modes of a server of OpenAI's protocol", len(tried), failed)
