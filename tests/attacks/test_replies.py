"""No reply, however broken, crashes or stops what looks for tool calls in it and carries them out."""

import os

from tests.attacks.replies import json_kinds, mutated, run_replies
from tests.fakes.attacks import needs_attacks


@needs_attacks
async def test_damaged_replies_and_every_kind_of_json_are_taken_as_what_they_are() -> None:
    assert await run_replies(10_000 if os.environ.get("ATTACK") else 2000) == []


@needs_attacks
def test_the_replies_are_damaged_in_ways_that_repeat() -> None:
    assert len({mutated(seed) for seed in range(500)}) > 400
    assert mutated(7) == mutated(7)
    assert len(json_kinds()) == 318
