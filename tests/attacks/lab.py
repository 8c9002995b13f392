"""The guard in a network of its own: name servers that lie, redirects inward, canaries that tell of every visitor.

    report = await run_lab(1_000, folder)      # each address so often; report.hits must be empty
    report = await run_lab(0, folder)          # a client without a guard, once: they must not be

Needs root and network namespaces (`why_not` says what is missing); run as a module it is what runs inside.
"""

import asyncio
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ddgs.engines.duckduckgo import Duckduckgo

from tests.fakes.places import ROOT, SHARED
from tools.settings import SearchSettings
from tools.web.engines import DdgsEngine
from tools.web.fallback import EngineError, Query
from utils.errors import MagpieError
from utils.network.access import NetworkAccess
from utils.network.addresses import public_web
from utils.network.dialer import Dialer
from utils.network.http import Client, ExchangeLimits

SCRIPT = SHARED / "attacks/ssrf/netns_lab.sh"
PUBLIC = "http://pub.test/"
PUBLIC_ADDRESS = "93.184.216.34"
INWARD = (
    "http://169.254.169.254/latest/meta-data/",
    "http://127.0.0.1:11434/api/tags",
    "http://127.0.0.1/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://192.168.1.1/",
    "http://10.0.0.1/",
    "http://0.0.0.0/",
    "http://localhost/",
    "http://2130706433/",
    "http://meta.test/",
    "http://loop.test/",
    "http://v6loop.test/",
    "http://multi.test/",
    "http://rebind.test/",
    f"http://{PUBLIC_ADDRESS}:11434/api/tags",
    "http://metadata.google.internal/computeMetadata/v1/",
    "file:///etc/passwd",
    "//127.0.0.1/",
)
SEARCHES = 10
"""The search engines' client is tried in each tenth run: making one takes a while."""
ATTACKS = (*INWARD[:-1], *(f"{PUBLIC}redir?to={url}" for url in INWARD))


@dataclass(frozen=True)
class Report:
    """What came of it: visitors whom the canaries saw, and how often each address ended in which way."""

    hits: list[str]
    outcomes: dict[str, dict[str, int]]

    @property
    def tried(self) -> int:
        """Attacks that were made."""
        return sum(sum(ends.values()) for url, ends in self.outcomes.items() if not url.endswith(PUBLIC))


def why_not() -> str:
    """Why the lab cannot be had here; empty where it can."""
    if not SCRIPT.exists():
        return "the loopback lab is not on this machine"
    if not shutil.which("unshare") or not shutil.which("ip"):
        return "unshare and ip, which make a network namespace, are not installed"
    tried = subprocess.run(["unshare", "-nm", "true"], capture_output=True, text=True, check=False)
    return f"no network namespace may be made here: {tried.stderr.strip()}" if tried.returncode else ""


async def run_lab(runs: int, folder: Path) -> Report:
    """Try every address so often, inside; `folder` takes what the canaries write."""
    outcomes = json.loads(await run_inside(folder, "tests.attacks.lab", str(runs)))
    return Report((folder / "hits.log").read_text().splitlines(), outcomes)


async def run_inside(folder: Path, module: str, *arguments: str) -> str:
    """The first line that a module prints which runs inside, as the main one; `folder` takes the logs of the lab."""
    process = await asyncio.create_subprocess_exec(
        *("unshare", "-nm", str(SCRIPT), sys.executable, "-m", module, *arguments),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=os.environ | {"LAB": str(folder)},
        cwd=ROOT,
        start_new_session=True,
    )
    try:
        said, trouble = await process.communicate()
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        raise RuntimeError(trouble.decode())
    return said.decode().splitlines()[0]


async def attack(runs: int) -> dict[str, dict[str, int]]:
    """How often each address ended in which way."""
    outcomes: dict[str, Counter[str]] = {}
    # The port of Ollama at an address of this machine that is public.
    await asyncio.start_server(tell_secret, PUBLIC_ADDRESS, 11434)
    for run in range(runs):
        client = Client(public_web(closed_ports={11434}), ExchangeLimits(seconds=10), NetworkAccess())
        for url in (PUBLIC, *ATTACKS):
            outcomes.setdefault(url, Counter())[await outcome(client, url)] += 1
            if run % SEARCHES == 0 and url.startswith("http"):
                outcomes.setdefault(f"search {url}", Counter())[await search(url)] += 1
    return {url: dict(ends) for url, ends in outcomes.items()}


def tell_secret(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """What an Ollama that listens everywhere would say."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nSECRET-CANARY")
    writer.close()


async def outcome(client: Client, url: str) -> str:
    """`public`, `secret`, or the kind of refusal."""
    try:
        body = (await client.get(url)).body
    except MagpieError as error:
        return type(error).__name__
    return "secret" if b"SECRET-CANARY" in body else "public"


async def search(url: str) -> str:
    """What an engine of ddgs gets whose address this is: its client is not Python's, and follows redirects itself."""
    engine_class = type("Inward", (Duckduckgo,), {"search_url": url, "search_method": "GET"})
    engine = DdgsEngine("inward", SearchSettings(), Dialer(NetworkAccess(), public_web(), "inward"), engine_class)
    try:
        await engine.search(Query("words"))
    except EngineError as error:
        return error.state
    return "public"


def go_unguarded() -> dict[str, dict[str, int]]:
    """What a plain client reaches, which follows every name and redirect."""
    found: dict[str, dict[str, int]] = {}
    for url in ("http://loop.test/", f"{PUBLIC}redir?to=http://169.254.169.254/latest/meta-data/"):
        with urllib.request.urlopen(url, timeout=10) as answer:
            found[url] = {"secret" if b"SECRET-CANARY" in answer.read() else "public": 1}
    return found


def wait_for_lab() -> None:
    """Inside: until the lab's servers are there, of which this one is started last; a machine that is busy takes longer
    than the second that the lab gives them. What asks for nothing is no visit.
    """
    until = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("10.0.0.1", 80), 1).close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.05)


if __name__ == "__main__":
    runs = int(sys.argv[1])
    wait_for_lab()
    sys.stdout.write(json.dumps(asyncio.run(attack(runs)) if runs else go_unguarded()) + "\n")
