"""Whatever becomes of a file or page on its way, reading it ends in its text or in one sentence, and nothing else."""

import os
import random
import re
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rag.readers import ReaderPool, read_bytes, read_documents
from tests.fakes.documents import CHARSETS, PAGE, seeds, spoilt
from utils.errors import DocumentError

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
    except DocumentError as error:
        if "its reader broke down" in str(error):
            return f"BROKEN {error}"
        return "sentence" if SENTENCE.fullmatch(str(error)) else f"NO SENTENCE {error}"
    except Exception as error:  # noqa: BLE001 - any other would have ended the program
        return f"END {type(error).__name__}: {error}"
    return "text" if read and all(text.strip() for text in read) else "NO TEXT"


async def page(pool: ReaderPool, data: bytes, content_type: str) -> AsyncIterator[str]:
    yield (await read_bytes(data, content_type, "https://a.example/page", pool=pool)).text


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
async def test_no_spoilt_page_ends_anything_but_its_own_reading(torture_report) -> None:
    pool, ends = ReaderPool(), dict[str, str]()
    for seed in range(PAGES):
        chance = random.Random(seed)
        charset = chance.choice(CHARSETS)
        content_type = f"text/html; charset={charset}" if charset else "text/html"
        ends[f"{seed} {charset}"] = await end_of(page(pool, spoilt(PAGE.encode(), chance), content_type))
    assert await end_of(page(pool, PAGE.encode(), "text/html")) == "text"
    told = judged(ends)
    torture_report(f"{PAGES:,} spoilt pages: {told['text']:,} read, {told['sentence']:,} refused")
