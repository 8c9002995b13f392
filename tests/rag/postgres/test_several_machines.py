"""Folders stand for machines here: all have one library."""

import asyncio
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from rag.library import Library
from tests.fakes.kept_in import kept_in_postgres
from tests.fakes.postgres import PostgresServer
from tests.fakes.torture import document, faults, opened, put_into_postgres
from utils.errors import LibraryError


@pytest.fixture
async def machines(tmp_path: Path, postgres: PostgresServer):
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    kept_in_postgres(postgres).begin(tmp_path / "here")
    put_into_postgres(tmp_path / "there", postgres.address)
    machines = [await opened(tmp_path / name) for name in ("here", "there")]
    yield machines
    for one in machines:
        await one.close()


async def test_what_one_machine_changes_the_next_search_of_the_other_finds(machines: list[Library]) -> None:
    here, there = machines
    await here.add(document("ada", 2))
    assert await faults(there, "ada", 2) == []
    await there.add(document("ada", 3))
    assert await faults(here, "ada", 3) == []
    await here.remove("/ada")
    assert await there.search("adav000003p1") == []


async def test_a_machine_that_searches_keeps_nothing_of_the_library(machines: list[Library], tmp_path: Path) -> None:
    here, there = machines
    await here.add(document("ada", 2))
    assert await faults(there, "ada", 2) == []
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["postgres_url"]


async def test_what_both_add_at_once_is_there_once(machines: list[Library]) -> None:
    names = [f"ada{number}" for number in range(12)]
    added = await asyncio.gather(
        *(one.add(document(name, 2)) for one in machines for name in random.sample(names, len(names)))
    )
    assert sorted(added) == [0] * len(names) + [2] * len(names)
    for one in machines:
        assert [fault for name in names for fault in await faults(one, name, 2)] == []
        assert ((await one.stats()).documents, (await one.stats()).chunks) == (12, 24)


async def test_a_server_that_is_killed_loses_nothing_that_was_acknowledged_and_goes_on(
    machines: list[Library], postgres: PostgresServer
) -> None:
    here, there = machines
    acknowledged = list[str]()

    async def write(library: Library, name: str) -> None:
        for number in range(200):
            try:
                await library.add(document(f"{name}{number}", 2))
            except LibraryError:
                return
            acknowledged.append(f"{name}{number}")

    writing = [asyncio.create_task(write(one, name)) for one, name in ((here, "ada"), (there, "bob"))]
    while len(acknowledged) < 10:
        await asyncio.sleep(0.01)
    postgres.kill()
    with pytest.raises(LibraryError, match=r"^The library's PostgreSQL ") as caught:
        await here.search("anything")
    assert caught.value.remedy.startswith("Look whether it runs")
    await asyncio.gather(*writing)
    await asyncio.to_thread(postgres.revive)
    for one in machines:
        assert [fault for name in acknowledged for fault in await faults(one, name, 2)] == []
    assert (await here.examine()).is_sound


@pytest.fixture
def patience(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Says how many seconds are waited for a connection; before the machines are there, two."""

    def wait(seconds: float) -> None:
        monkeypatch.setattr("rag.postgres.database.CONNECTION_PATIENCE", seconds)

    wait(2)
    return wait


async def test_a_server_that_was_away_for_long_is_found_soon_after_it_is_back(
    patience: Callable[[float], None], machines: list[Library], postgres: PostgresServer
) -> None:
    here, _ = machines
    await here.add(document("ada", 2))
    postgres.kill()
    for _ in range(5):
        with pytest.raises(LibraryError, match=r"^The library's PostgreSQL "):
            await here.search("anything")
    await asyncio.to_thread(postgres.revive)
    patience(10)
    assert await faults(here, "ada", 2) == []
