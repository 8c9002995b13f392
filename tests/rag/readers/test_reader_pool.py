import asyncio
import json
import logging
import os
import signal
import sys
import textwrap
import time
from pathlib import Path

import pytest

from rag.readers import ReaderPool, ReadingLimits, read_bytes, read_documents
from rag.readers.pictures.ocr import can_read
from tests.fakes.places import ROOT
from utils.errors import DocumentError

linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")

# A million cells took trafilatura past a minute.
SLOW = b"<html><body><table>" + b"<tr><td>x</td><td>y</td></tr>" * 500_000 + b"</table></body></html>"
# Five million empty lists take 280 MB.
LARGE = b"[" + b"[]," * 5_000_000 + b"0]"


def readers() -> set[int]:
    """The reading processes of this one."""
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    return {
        pid for pid in map(int, children) if "rag.readers.process.worker" in Path(f"/proc/{pid}/cmdline").read_text()
    }


async def started(before: set[int]) -> int:
    """The one reading process that is new."""
    while not (new := readers() - before):
        await asyncio.sleep(0.01)
    [pid] = new
    return pid


async def read(pool: ReaderPool, data: bytes = b"# Herons", kind: str = "text/markdown", name: str = "evil") -> str:
    return (await read_bytes(data, kind, f"https://a.example/{name}", pool=pool)).text


async def refusal(pool: ReaderPool, data: bytes, kind: str, name: str) -> str:
    with pytest.raises(DocumentError) as caught:
        await read(pool, data, kind, name)
    return caught.value.problem


async def test_what_takes_too_long_is_given_up_and_the_next_file_is_read():
    pool = ReaderPool(ReadingLimits(seconds=1, per_mb=0))
    assert await refusal(pool, SLOW, "text/html", "slow.html") == "slow.html was given up after 1 s of reading."
    assert await read(pool) == "# Herons"


async def test_what_needs_too_much_memory_is_given_up_and_the_next_file_is_read():
    pool = ReaderPool(ReadingLimits(memory=150 << 20))
    problem = await refusal(pool, LARGE, "application/json", "large.json")
    assert problem == "large.json needs more than 0.15 GB to be read."
    assert await read(pool) == "# Herons"


def test_an_honest_large_file_gets_more_time():
    limits = ReadingLimits()
    assert [limits.seconds_for(size, "text/html") for size in (0, 5_000_000)] == [10, 15]
    # A scan is read only where there is what reads it.
    assert limits.seconds_for(5_000_000, "application/pdf") == 60 + (limits.per_scan if can_read() else 0)


@linux
async def test_one_process_reads_one_file_after_the_other():
    before, pool = readers(), ReaderPool()
    for _ in range(3):
        await read(pool)
    pid = await started(before)
    assert await refusal(pool, b"", "text/plain", "empty.txt") == "empty.txt is empty."
    await asyncio.gather(*(read(pool, f"# {number}".encode()) for number in range(10)))
    assert readers() - before == {pid}


@linux
async def test_a_cancelled_reading_ends_its_process():
    before, pool = readers(), ReaderPool()
    task = asyncio.create_task(read(pool, SLOW, "text/html"))
    pid = await started(before)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert pid not in readers()
    assert await read(pool) == "# Herons"


@linux
async def test_a_process_that_breaks_down_is_said_and_replaced():
    before, pool = readers(), ReaderPool()
    task = asyncio.create_task(refusal(pool, SLOW, "text/html", "evil.html"))
    os.kill(await started(before), signal.SIGSEGV)
    assert await task == "evil.html cannot be read: its reader broke down."
    assert await read(pool) == "# Herons"


@linux
async def test_a_process_that_ended_while_nobody_used_it_is_not_missed():
    before, pool = readers(), ReaderPool()
    await read(pool)
    os.kill(await started(before), signal.SIGKILL)
    await asyncio.sleep(0.05)
    assert await read(pool) == "# Herons"


async def test_a_slow_file_does_not_hold_up_the_others():
    pool = ReaderPool()
    slow = asyncio.create_task(read(pool, SLOW, "text/html"))
    await asyncio.sleep(0)
    assert await asyncio.gather(*(read(pool) for _ in range(3))) == ["# Herons"] * 3
    assert not slow.done()
    slow.cancel()
    await asyncio.wait([slow])


async def test_who_leaves_the_queue_does_not_spoil_it():
    pool = ReaderPool()
    first = asyncio.create_task(read(pool))
    await asyncio.sleep(0)
    leaving, staying = asyncio.create_task(read(pool)), asyncio.create_task(read(pool))
    await asyncio.sleep(0)
    leaving.cancel()
    assert await asyncio.gather(first, staying) == ["# Herons"] * 2


def records(folder: Path, count: int) -> Path:
    path = folder / "many.jsonl"
    path.write_text("".join(json.dumps({"title": f"record {n}", "text": "herons " * 100}) + "\n" for n in range(count)))
    return path


@linux
async def test_a_file_of_many_records_is_read_as_they_are_wanted(tmp_path):
    before, pool = readers(), ReaderPool()
    documents = read_documents(records(tmp_path, 20_000), pool)
    assert (await anext(documents)).title == "record 0"
    pid = await started(before)
    await asyncio.sleep(0.3)

    def consumed() -> int:
        return int(Path(f"/proc/{pid}/io").read_text().split()[1])

    # It waits until the first are taken: its modules and a pipe's worth have been read, not 14 MB.
    assert consumed() < 6_000_000
    await documents.aclose()
    assert pid not in readers()


async def test_all_records_arrive_in_order(tmp_path):
    titles = [document.title async for document in read_documents(records(tmp_path, 2000))]
    assert titles == [f"record {number}" for number in range(2000)]


@linux
async def test_the_reading_process_ends_with_its_parent(tmp_path):
    script = textwrap.dedent("""
        import asyncio, os
        from pathlib import Path
        from rag.readers import read_bytes

        async def main():
            await read_bytes(b"# x", "text/markdown", "https://a.example/")
            print(Path(f"/proc/self/task/{os.getpid()}/children").read_text(), flush=True)
            await asyncio.sleep(60)

        asyncio.run(main())
    """)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout
    pid = int(await process.stdout.readline())
    process.kill()
    await process.wait()
    end = time.monotonic() + 10
    while Path(f"/proc/{pid}").exists() and time.monotonic() < end:
        await asyncio.sleep(0.02)
    assert not Path(f"/proc/{pid}").exists()


async def test_what_reads_is_imported_in_the_reading_process_alone():
    script = (
        "import asyncio, sys\nfrom rag.readers import read_bytes\n"
        "page = asyncio.run(read_bytes(b'<p>x', 'text/html', 'https://a.example/'))\n"
        "print(page.text, sorted({'trafilatura', 'lxml', 'pypdf', 'docx', 'numpy'} & set(sys.modules)))"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", script, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    out, _ = await process.communicate()
    assert (out.decode().strip(), process.returncode) == ("x []", 0)


# What a reader does that a file has taken over or that has a bug, and what is said of it.
BROKE = "evil.md cannot be read: its reader broke down."
MISDEEDS = {
    "raise ValueError('bad')": BROKE,
    "raise KeyError('bad')": BROKE,
    "raise OSError(5, 'Input/output error')": "evil.md cannot be read: Input/output error.",
    "raise MemoryError": "evil.md needs more than 1 GB to be read.",
    "raise RecursionError": "evil.md is nested too deeply to be read.",
    "raise KeyboardInterrupt": BROKE,
    "sys.exit(3)": BROKE,
    "os._exit(0)": BROKE,
    "os.abort()": BROKE,
    "os.closerange(3, 1000); time.sleep(60)": BROKE,
    "say(b'\\xff' * 8)": BROKE,
    "say(LENGTH.pack(1 << 27) + b'x'); os._exit(0)": BROKE,
    "say(LENGTH.pack(3) + b'{\"x')": BROKE,
    "say(LENGTH.pack(2) + b'[]')": BROKE,
    "say(frame_message({'documents': [['only', 'three', 'parts']]}))": BROKE,
    "say(frame_message({'documents': 5}))": BROKE,
    "say(frame_message({'refused': [1, 2, 3, 4], 'worn': False}))": BROKE,
    "say(frame_message({'done': True, 'worn': False}))": "evil.md holds no text.",
    "time.sleep(60)": "evil.md was given up after 1 s of reading.",
}
EVIL = """
import os, socket, sys, time
sys.path.insert(0, {root!r})
from rag.readers import formats
from rag.readers.process.worker import LENGTH, frame_message
sound = formats.read_one
def say(data):
    socket.socket(fileno=os.dup(int(sys.argv[1]))).sendall(data)
def read_one(data, kind, source, charset):
    if source.endswith("evil.md"):
        {misdeed}
    return sound(data, kind, source, charset)
formats.read_one = read_one
"""


@pytest.mark.parametrize(("misdeed", "told"), MISDEEDS.items())
async def test_whatever_a_reader_does_is_said_in_one_sentence(misdeed, told, tmp_path, monkeypatch, caplog):
    root = ROOT
    (tmp_path / "sitecustomize.py").write_text(EVIL.format(root=str(root), misdeed=misdeed))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    pool = ReaderPool(ReadingLimits(seconds=1) if "sleep" in misdeed else None)
    with caplog.at_level(logging.ERROR, "magpie.readers"):
        assert await refusal(pool, b"# Herons", "text/markdown", "evil.md") == told
    assert await read(pool) == "# Herons"
    tracebacks = [getattr(record, "data", {}).get("traceback", "") for record in caplog.records]
    assert bool(tracebacks and "bad" in tracebacks[0]) == ("bad" in misdeed)
