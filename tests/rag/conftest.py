"""The backends that the tests of the library run against."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.kept_in import KeptIn, kept_in_postgres, kept_in_sqlite
from tests.rag import test_library


@pytest.fixture(params=["sqlite", "postgres"])
def kept_in(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> KeptIn:
    """Has a test run once with each backend, which stands in the `SETTINGS` of its module and beside its library."""
    for module in (request.module, test_library):
        if hasattr(module, "SETTINGS"):
            monkeypatch.setattr(module, "SETTINGS", replace(module.SETTINGS, backend=request.param))
    if request.param == "postgres":
        kept = kept_in_postgres(request.getfixturevalue("postgres"))
        kept.begin(tmp_path)
        return kept
    return kept_in_sqlite(tmp_path)
