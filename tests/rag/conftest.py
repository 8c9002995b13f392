"""The backends that the tests of the library run against."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.kept_in import KeptIn, kept_in_postgres, kept_in_sqlite
from tests.fakes.postgres import PostgresServer, running_server
from tests.rag import test_library


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A PostgreSQL that runs until the tests are over."""
    with running_server() as server:
        yield server


@pytest.fixture
def postgres(postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> PostgresServer:
    """The same with no library in it, named in the environment."""
    postgres_server.empty()
    monkeypatch.setenv("MAGPIE_POSTGRES_URL", postgres_server.address)
    return postgres_server


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
