"""The guard against name servers that lie and redirects inward, in a network namespace of its own."""

import os
from pathlib import Path

import pytest

from tests.attacks.lab import PUBLIC, run_lab, why_not
from tests.conftest import Tally


async def test_nothing_inside_is_ever_reached_from_a_page(tmp_path: Path, tally: Tally) -> None:
    if reason := why_not():
        pytest.skip(reason)
    runs = 1_000 if os.environ.get("ATTACK") else 5
    report = await run_lab(runs, tmp_path)
    tally("addresses, redirects and name servers that lead inward", report.tried, report.hits)
    assert report.outcomes.pop(PUBLIC) == {"public": runs}
    assert set(report.outcomes.pop(f"search {PUBLIC}")) == {"public"}
    ends = {end for counts in report.outcomes.values() for end in counts}
    # The name that alternates may show its public face; nothing else opens.
    shown = {url for url, counts in report.outcomes.items() if "public" in counts}
    assert ends <= {"AddressRefused", "Unreachable", "public", "failed", "unreachable"}
    assert {url for url in shown if "rebind.test" not in url} == set()


async def test_the_canaries_see_whoever_comes(tmp_path: Path) -> None:
    if reason := why_not():
        pytest.skip(reason)
    report = await run_lab(0, tmp_path)
    assert [hit.split()[0] for hit in report.hits] == ["127.0.0.1:80", "169.254.169.254:80"]
    assert set(map(str, report.outcomes.values())) == {"{'secret': 1}"}
