"""Every fault of a server ends in a page or one sentence, in time, and costs little memory."""

import os
import re
from pathlib import Path

import pytest

from tests.attacks.faults import FAULTS, PLAIN, SERVER, End, run_faults
from tests.conftest import Tally


async def test_no_fault_of_a_server_takes_more_than_its_time_and_its_memory(tally: Tally) -> None:
    if not SERVER.exists():
        pytest.skip("the server of faults is not on this machine")
    if not Path("/proc/self/clear_refs").exists():
        pytest.skip("this system does not tell how much memory a process has had")
    whole = bool(os.environ.get("ATTACK"))
    seconds = 20.0 if whole else 10.0
    ends = await run_faults(seconds, FAULTS if whole else PLAIN)
    sentence = re.compile(r"\d+ characters|[^\n]{10,200}\.")

    def held(end: End) -> bool:
        return end.growth <= 100e6 and end.seconds <= seconds + 1 and sentence.fullmatch(end.said) is not None

    tally("faults of a web server", len(ends), {fault: end for fault, end in ends.items() if not held(end)})
