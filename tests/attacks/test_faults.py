"""Every fault of a server ends in a page or one sentence, in time, and costs little memory."""

import os
import re
from pathlib import Path

import pytest

from tests.attacks.faults import FAULTS, PLAIN, SERVER, run_faults


async def test_no_fault_of_a_server_takes_more_than_its_time_and_its_memory() -> None:
    if not SERVER.exists():
        pytest.skip("the server of faults is not on this machine")
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("this system does not tell how much memory a process has had")
    whole = bool(os.environ.get("ATTACK"))
    seconds = 20.0 if whole else 10.0
    ends = await run_faults(seconds, FAULTS if whole else PLAIN)
    assert {fault for fault, end in ends.items() if end.growth > 100e6} == set()
    assert {fault for fault, end in ends.items() if end.seconds > seconds + 1} == set()
    sentence = re.compile(r"\d+ characters|[^\n]{10,200}\.")
    assert {fault: end.said for fault, end in ends.items() if not sentence.fullmatch(end.said)} == {}
