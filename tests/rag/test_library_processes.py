import asyncio
import sys
from asyncio.subprocess import PIPE, Process, create_subprocess_exec
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from rag.library import Library
from tests.fakes import library_process
from tests.fakes.embedder import WordEmbedder

SCRIPT = Path(library_process.__file__)


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Callable[[str, int], Awaitable[Process]]]:
    """Starts processes that add to the library in tmp_path; what still runs at the end is killed."""
    processes: list[Process] = []

    async def started(name: str, count: int) -> Process:
        process = await create_subprocess_exec(sys.executable, SCRIPT, str(tmp_path), name, str(count), stdout=PIPE)
        processes.append(process)
        return process

    yield started
    for process in processes:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def opened(folder: Path) -> Library:
    return await Library.open(folder, library_process.SETTINGS, WordEmbedder())


async def ready(library: Library) -> None:
    while (await library.stats()).index != "ready":
        await asyncio.sleep(0.02)
        await library.search("anything")


async def test_processes_that_write_and_search_one_folder_at_once_lose_nothing(tmp_path, start):
    processes = [await start(name, 12) for name in ("ada", "bob", "eve")]
    for name, process in zip(("ada", "bob", "eve"), processes, strict=True):
        out, _ = await process.communicate()
        assert out.decode().splitlines() == [f"{name} {number}" for number in range(12)]
    library = await opened(tmp_path)
    for _ in ("exact search", "Chroma"):
        lost = [await library_process.missing(library, name, n) for name in ("ada", "bob", "eve") for n in range(12)]
        assert [word for words in lost for word in words] == []
        await ready(library)
    assert (await library.stats()).chunks == 3 * 12 * 5
    await library.close()


async def test_what_one_process_adds_or_removes_the_other_notices(tmp_path):
    owner, other = await opened(tmp_path), await opened(tmp_path)
    await owner.add(library_process.document("ada", 1))
    await ready(owner)
    await other.add(library_process.document("bob", 1))
    assert await library_process.missing(owner, "bob", 1) == []
    assert await library_process.missing(other, "ada", 1) == []
    assert (await other.stats()).index == "elsewhere"
    await other.remove("/ada/1")
    assert await owner.search("ada1part1", 0, library_process.MUST) == []
    await owner.remove("/bob/1")
    assert await other.search("bob1part1", 0, library_process.MUST) == []
    await owner.close()
    await other.add(library_process.document("eve", 1))
    await ready(other)
    assert await library_process.missing(other, "eve", 1) == []
    await other.close()


async def test_a_rebuild_that_another_process_orders_is_carried_out_by_the_owner(tmp_path):
    owner, other = await opened(tmp_path), await opened(tmp_path)
    await owner.add(library_process.document("ada", 1))
    await ready(owner)
    assert await other.rebuild() == 5
    assert await library_process.missing(owner, "ada", 1) == []
    await ready(owner)
    assert await library_process.missing(owner, "ada", 1) == []
    await other.close()
    await owner.close()


@pytest.mark.parametrize("after", [0, 3, 7])
async def test_a_killed_process_leaves_a_library_with_all_that_was_acknowledged(tmp_path, start, after):
    process = await start("ada", 1000)
    acknowledged: list[int] = []
    while len(acknowledged) <= after:
        acknowledged.append(int((await process.stdout.readline()).split()[1]))
    await asyncio.sleep(0.01 * after)
    process.kill()
    rest, _ = await process.communicate()
    acknowledged += [int(line.split()[1]) for line in rest.decode().splitlines() if line.startswith("ada")]
    library = await opened(tmp_path)
    for _ in ("exact search", "Chroma"):
        assert [word for n in acknowledged for word in await library_process.missing(library, "ada", n)] == []
        await ready(library)
    stats = await library.stats()
    assert stats.chunks == stats.documents * 5 and stats.documents in (len(acknowledged), len(acknowledged) + 1)
    await library.close()


async def test_many_processes_may_begin_a_library_at_the_same_moment(start):
    async def begun() -> int:
        process = await start("ada", 0)
        return await process.wait()

    assert await asyncio.gather(*(begun() for _ in range(5))) == [0] * 5
