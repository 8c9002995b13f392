"""The embedded engine, watched from outside where no network is, as every command is in `test_alone.py`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Tally
from tests.end_to_end import alone_engine
from tests.end_to_end.alone import walk, why_not
from tests.end_to_end.test_alone import did_not, left_in, wrongly
from tests.fakes import observer


@pytest.mark.model
@pytest.mark.timeout(1600)
async def test_the_embedded_engine_asks_for_nothing_and_leaves_nothing_either(
    tmp_path: Path, exports: Path, keep_states: Callable[[Path], Path], tally: Tally
) -> None:
    if reason := why_not() or observer.why_not():
        pytest.skip(reason)
    (tmp_path / "data").mkdir()
    # How a first one is made is watched among the commands.
    (tmp_path / "data" / "onnx").symlink_to(exports)
    seen = await walk(tmp_path, tmp_path / "data", alone_engine.__name__)
    assert did_not(seen, alone_engine.RUNS) == {}
    assert seen.keys() == alone_engine.RUNS.keys()
    keep_states(tmp_path / alone_engine.READ)
    tally(
        "the embedded engine in a network that leads nowhere",
        len(seen),
        wrongly(seen, alone_engine.RUNS) + left_in(tmp_path),
    )
