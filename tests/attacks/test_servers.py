"""Every broken behaviour of an Ollama server ends a turn with an answer, a told cut, or one clear sentence."""

import asyncio
import os
import re

import pytest

from tests.attacks.servers import MODES, SLOW, run_modes
from tests.conftest import Tally
from tests.fakes.attacks import needs_attacks

SENTENCE = re.compile(r"answered|[^\n]{20,400}\.")


@needs_attacks
@pytest.mark.timeout(700)
async def test_every_mode_of_the_hostile_server_ends_well(tally: Tally) -> None:
    modes = MODES if os.environ.get("ATTACK") else [mode for mode in MODES if mode not in SLOW]
    # What hangs is found; the slow ones take their time, and on a busy machine more of it.
    async with asyncio.timeout(600):
        ends = await run_modes(modes)
    wrong = {mode: said for mode, said in ends.items() if not SENTENCE.fullmatch(said)}
    tally("modes of a broken Ollama server", len(ends), wrong)
    assert len(MODES) == 37


@needs_attacks
async def test_a_slow_reply_is_stopped_at_once() -> None:
    task = asyncio.create_task(run_modes(SLOW))
    await asyncio.sleep(2)
    task.cancel()
    async with asyncio.timeout(5):
        await asyncio.wait({task})
    assert task.cancelled()
