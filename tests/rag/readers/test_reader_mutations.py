"""Whatever becomes of a file or page on its way, reading it ends in its text or in one sentence, and nothing else."""

import asyncio
import os
import random
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from rag.readers import ReaderPool, read_bytes, read_documents
from tests.fakes.documents import CHARSETS, PAGE, seeds, spoilt
from tools.settings import FetchSettings
from tools.web.fetch import Fetcher
from tools.web.page_cache import PageCache
from utils.errors import MagpieError
from utils.network.addresses import public_web
from utils.network.http import Client

# `make torture` sets it; `make test` reads a thousand of them.
FULL = bool(os.environ.get("TORTURE"))
FILES = 250_000 if FULL else 900
PAGES = 3000 if FULL else 100
SENTENCE = re.compile(r"\S[^\n]{5,600}\.")


async def texts(pool: ReaderPool, path: Path, data: bytes, *, sent: bool) -> AsyncIterator[str]:
    """What a file holds, from the disk or as a server sends it."""
    if sent:
        yield (await read_bytes(data, "application/octet-stream", f"https://a.example/{path.name}", pool=pool)).text
        return
    path.write_bytes(data)
    async for document in read_documents(path, pool):
        yield document.text


async def end_of(found: AsyncIterator[str]) -> str:
    """How reading ends: `text`, `sentence`, or what it should not be."""
    try:
        read = [text async for text in found]
    except MagpieError as error:
        if "its reader broke down" in str(error):
            return f"BROKEN {error}"
        return "sentence" if SENTENCE.fullmatch(str(error)) else f"NO SENTENCE {error}"
    except Exception as error:  # noqa: BLE001 - any other would have ended the program
        return f"END {type(error).__name__}: {error}"
    return "text" if read and all(text.strip() for text in read) else "NO TEXT"


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """A site of spoilt pages, each by its seed, and of a sound one at /sound; its host."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name = (await reader.readuntil(b"\r\n\r\n")).split()[1][1:].decode()
        kind, body = spoilt_page(int(name)) if name.isdecimal() else ("text/html", PAGE.encode())
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode() + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", 0) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


def spoilt_page(seed: int) -> tuple[str, bytes]:
    """What a server says that a page is, and the page."""
    chance = random.Random(seed)
    charset = chance.choice(CHARSETS)
    return f"text/html; charset={charset}" if charset else "text/html", spoilt(PAGE.encode(), chance)


async def opened(fetcher: Fetcher, url: str) -> AsyncIterator[str]:
    """A page as a search opens it: by the guarded client, and into the cache, from which it is read once more."""
    page = await fetcher.fetch(url)
    assert await fetcher.fetch(url) == page
    yield page.text


def judged(ends: dict[str, str]) -> Counter[str]:
    """How many ended how, none of them as it should not."""
    assert {case: end for case, end in ends.items() if end not in {"text", "sentence"}} == {}
    return Counter(ends.values())


@pytest.mark.timeout(120 + FILES)
async def test_no_spoilt_file_of_any_format_ends_anything_but_its_own_reading(tmp_path, torture_report) -> None:
    (tmp_path / "queries.jsonl").write_text("")
    pool, ends, kinds = ReaderPool(), dict[str, str](), list(seeds().items())
    for seed in range(FILES):
        name, sound = kinds[seed % len(kinds)]
        chance = random.Random(seed)
        found = texts(pool, tmp_path / name, spoilt(sound, chance), sent=chance.random() < 0.5)
        ends[f"{seed} {name}"] = await end_of(found)
    for name, sound in kinds:
        assert await end_of(texts(pool, tmp_path / name, sound, sent=False)) == "text"
    told = judged(ends)
    torture_report(f"{FILES:,} spoilt files of {len(kinds)} kinds: {told['text']:,} read, {told['sentence']:,} refused")


@pytest.mark.timeout(120 + PAGES)
async def test_no_spoilt_page_ends_anything_but_its_own_reading(tmp_path, torture_report) -> None:
    ends = dict[str, str]()
    async with serving() as host:
        settings = FetchSettings(allow_hosts=(host,))
        fetcher = Fetcher(Client(public_web(settings.allow_hosts)), PageCache(tmp_path, 24), settings)
        for seed in range(PAGES):
            ends[f"{seed} {spoilt_page(seed)[0]}"] = await end_of(opened(fetcher, f"http://{host}/{seed}"))
        assert await end_of(opened(fetcher, f"http://{host}/sound")) == "text"
    told = judged(ends)
    torture_report(f"{PAGES:,} spoilt pages: {told['text']:,} read, {told['sentence']:,} refused")
