"""Every broken behaviour of a server of OpenAI's protocol ends in a sound reply or in one clear sentence, and soon."""

import os
from collections.abc import Callable
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import Call, Done, Piece, Text
from chatbot.models.openai.model import OpenAIModel
from chatbot.models.openai.server import ApiServer
from chatbot.models.provider import ModelSurroundings
from chatbot.models.remote.destination import Destination
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from tests.fakes.hostile_openai import ENTRIES, LISTS, MODES, PAGES, SENT_KEY
from tests.fakes.openai import FakeOpenAI
from tools.base import ToolSchema
from utils.errors import ModelError
from utils.network.access import NetworkAccess
from utils.network.api_client import ApiEndpoint

SEARCH = ToolSchema(
    "web_search",
    "Search.",
    {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
)
LARGE = ("stream-of-a-gigabyte", "event-of-a-gigabyte", "answer-of-a-gigabyte")
"""What takes seconds: `make attack` alone runs it."""


def model_at(server: FakeOpenAI, patience: float = 1.0) -> OpenAIModel:
    generation = Generation(request_timeout=patience)
    folder = Path("/nowhere")
    around = ModelSurroundings(folder, generation, NetworkAccess(), ModelState(folder, remember=False))
    where = Destination(ApiEndpoint(server.base_url, "openai", patience), SENT_KEY)
    return OpenAIModel("fake", ApiServer(where, around), generation)


async def ending(server: FakeOpenAI, mode: str) -> str:
    """A failure's kind, the names of the calls, or else the text; anything but that is raised."""
    # So that a bound ends it, and not the time on a slow machine.
    model, pieces = model_at(server, 60.0 if mode in LARGE else 1.0), list[Piece]()
    try:
        async with aclosing(model.reply([Message("user", "Hello?")], [SEARCH])) as reply:
            async for piece in reply:
                pieces.append(piece)
    except ModelError as error:
        assert error.problem and error.remedy
        assert "\n" not in str(error) and len(str(error)) < 900 and SENT_KEY not in repr((error, error.__cause__))
        return type(error).__name__
    finally:
        await model.close()
    assert isinstance(pieces[-1], Done) and sum(isinstance(piece, Done) for piece in pieces) == 1
    called = [piece.call.name for piece in pieces if isinstance(piece, Call)]
    return " ".join(called) if called else "".join(piece.delta for piece in pieces if isinstance(piece, Text))


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode not in LARGE or os.environ.get("ATTACK")])
async def test_every_mode_ends_well(mode: str) -> None:
    answer, ends = MODES[mode]
    async with FakeOpenAI([answer] * 5) as server:
        assert await ending(server, mode) == ends


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
            failed += [mode] if await ending(server, mode) != MODES[mode][1] else []
    assert len(MODES) + len(LISTS) + len(ENTRIES) >= 40
    tally("hostile modes of a server of OpenAI's protocol", len(tried), failed)
