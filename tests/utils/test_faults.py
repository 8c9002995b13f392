"""What nobody foresaw is said in one sentence, its traceback is in the log, and what runs beside it goes on."""

import asyncio
import logging
from pathlib import Path

import pytest

from utils.errors import Fault, LibraryError, MagpieError
from utils.faults import in_background, record_fault
from utils.log import read_log, start_log


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("x"), "The search failed: a bug of Magpie's own (ValueError)."),
        (KeyError("x"), "The search failed: a bug of Magpie's own (KeyError)."),
        (OSError(5, "Input/output error"), "The search failed: the system says Input/output error."),
        (MemoryError(), "The search failed: there is too little memory."),
        (RecursionError("x"), "The search failed: something is nested too deeply."),
    ],
)
def test_what_nobody_foresaw_is_a_sentence_and_a_traceback_in_the_log(error: Exception, said: str, tmp_path: Path):
    start_log(tmp_path)
    try:
        try:
            raise error
        except (ValueError, LookupError, OSError, MemoryError, RecursionError) as caught:
            failure = record_fault(caught, "The search")
        [entry] = read_log(tmp_path, 5)
    finally:
        logging.basicConfig(handlers=[logging.NullHandler()], force=True)
    assert (type(failure), failure.problem) == (Fault, said)
    assert failure.remedy == "All else goes on; /log tells more."
    assert entry["doing"] == "The search" and type(error).__name__ in str(entry["traceback"])


def test_what_was_foreseen_is_said_as_it_is() -> None:
    error = LibraryError("It is damaged.", "Run the doctor.")
    assert record_fault(error, "The search") is error


@pytest.mark.parametrize("error", [ValueError("x"), LibraryError("It is damaged.")])
async def test_a_failure_in_the_background_is_told_and_ends_nothing(error: Exception, caplog) -> None:
    told: list[MagpieError] = []

    async def work() -> None:
        raise error

    await in_background(work(), "Copying", told.append)
    assert [failure.problem for failure in told] == [
        "It is damaged." if isinstance(error, LibraryError) else "Copying failed: a bug of Magpie's own (ValueError)."
    ]
    assert len(caplog.records) == 1


async def test_work_in_the_background_can_be_cancelled_before_it_begins() -> None:
    task = in_background(asyncio.sleep(60), "Waiting")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
