"""The backends that the tests of the library run against."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.fakes.postgres import PostgresServer, running_server
from tests.fakes.torture import executed


@dataclass(frozen=True)
class KeptIn:
    """The backend of a test's library, and what changes it behind everybody's back."""

    backend: str
    execute: Callable[..., None]


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
    """Has a test run once with each backend, which stands in the `SETTINGS` of its module."""
    module = request.module
    monkeypatch.setattr(module, "SETTINGS", replace(module.SETTINGS, backend=request.param))
    if request.param == "postgres":
        return KeptIn("postgres", request.getfixturevalue("postgres").execute)
    return KeptIn("sqlite", lambda *statements: executed(tmp_path, *statements))
