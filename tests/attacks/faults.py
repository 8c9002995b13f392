"""Pages from a server that does everything wrong: how each ends, how long it took, and what memory it cost.

    ends = await run_faults(20.0)      # all of them under the real limits: a minute and a half

Run as a module it is the process that opens the pages, so that its memory can be told from that of whoever asks.
"""

import asyncio
import json
import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.places import ROOT
from tools.settings import FetchSettings
from tools.web.fetch import Fetcher
from tools.web.page_cache import PageCache
from utils.errors import MagpieError
from utils.network.addresses import public_web
from utils.network.http import Client, ExchangeLimits

SERVER = ROOT.parent / "shared/attacks/http/faultserver.py"
SLOW = ("slowheaders", "slowbody", "hang")
# A gigabyte of zeros each, which the server packs first.
VAST = ("gzipbomb", "deflatebomb", "brbomb", "zstdbomb")
PLAIN = (
    *("ok", "reset", "closemid", "wronglen", "shortcl", "negcl", "chunkbad", "chunkhuge", "gziplayers", "gzipcorrupt"),
    *("gziptrail", "inf", "infheaders", "hugeheader", "headers10k", "redirloop", "redir?to=/ok", "redirN?n=20"),
    *("redirfile", "redirmeta", "204", "304", "401", "403", "429", "500", "503ra", "100x50", "http09", "nocl", "ctlie"),
    *("charsetlie", "utf16", "utf7", "badcharset", "nul", "bomut8", "setcookies", "refresh", "ansi", "inject"),
    *("100mb", "empty"),
)
FAULTS = (*PLAIN, *SLOW, *VAST[1:], "gzipbomb")


@dataclass(frozen=True)
class End:
    """How one page ended: its text's length, or the sentence that was said; seconds, and bytes that memory grew by."""

    said: str
    seconds: float
    growth: int


@asynccontextmanager
async def fault_server() -> AsyncIterator[str]:
    """Its `host:port`."""
    process = await asyncio.create_subprocess_exec(sys.executable, str(SERVER), "0", stdout=asyncio.subprocess.PIPE)
    assert process.stdout
    try:
        yield (await process.stdout.readline()).decode().rpartition("//")[2].strip()
    finally:
        process.kill()
        await process.wait()


async def run_faults(seconds: float, faults: tuple[str, ...] = FAULTS) -> dict[str, End]:
    """Open all these pages one after the other in a process of its own; `seconds` for each."""
    async with fault_server() as host:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.attacks.faults", host, str(seconds), *faults),
            stdout=asyncio.subprocess.PIPE,
            cwd=ROOT,
        )
        said, _ = await process.communicate()
    return {fault: End(**end) for fault, end in json.loads(said).items()}


async def open_all(host: str, seconds: float, faults: list[str]) -> dict[str, dict[str, object]]:
    """What `End` holds of each."""
    with tempfile.TemporaryDirectory() as folder:
        client = Client(public_web([host]), ExchangeLimits(seconds))
        fetcher = Fetcher(client, PageCache(Path(folder), 0), FetchSettings(timeout=seconds))
        # What is imported at the first page is no growth that a page made.
        await outcome(fetcher, f"http://{host}/ok")
        ends: dict[str, dict[str, object]] = {}
        for fault in faults:
            before, start = reset_peak(), time.perf_counter()
            said = await outcome(fetcher, f"http://{host}/{fault}")
            took = time.perf_counter() - start
            ends[fault] = {"said": said.replace(host, "HOST"), "seconds": took, "growth": peak() - before}
        return ends


async def outcome(fetcher: Fetcher, url: str) -> str:
    """The page's length, or the sentence that the user or the model is told."""
    try:
        return f"{len((await fetcher.fetch(url)).text)} characters"
    except MagpieError as error:
        return error.problem


def reset_peak() -> int:
    """Forget the most memory that this process has had, and return what it has now, in bytes."""
    Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> int:
    """The most memory that this process has had since then."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert found
    return int(found[1]) * 1024


if __name__ == "__main__":
    ends = asyncio.run(open_all(sys.argv[1], float(sys.argv[2]), sys.argv[3:]))
    sys.stdout.write(json.dumps(ends))
