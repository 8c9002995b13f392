"""What tortured processes do to a library, and what must then be true of it; every chunk has a word of its own."""

import asyncio
import random
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from rag.collection import OpenCollection
from rag.documents import Document
from rag.indexes import index_owner
from rag.indexes.local import LocalIndexes
from rag.library import Library
from rag.postgres.search import vector_graph
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.processes import Say
from utils.errors import LibraryError

SETTINGS = RagSettings(chunk_size=100, chunk_overlap=0)
BY_WORDS = SearchOptions(mode="bm25")
BY_MEANING = SearchOptions(mode="vector", min_similarity=0.5)
PARTS = 2
ADDRESS = "postgres_url"
"""File beside a library that is kept in PostgreSQL, with where that is."""
ABSENT = 0
OPENED, BEGUN, DONE, FAULT, STATE, AWAY = "opened", "begun", "done", "fault", "state", "away"

Versions = Mapping[str, tuple[int, ...]]
"""By the name of a document, the versions of it that may be there; `ABSENT` is none."""


def word(name: str, version: int, part: int) -> str:
    """The word that only this chunk has."""
    return f"{name}v{version:06}p{part}"


def document(name: str, version: int) -> Document:
    """Chunks that differ from version to version, but for the first."""
    versions = [1, *[version] * (PARTS - 1)]
    text = "\n\n".join(f"{word(name, versions[part], part)} " * 6 for part in range(PARTS))
    return Document(f"/{name}", name, text.strip(), "file")


def put_into_postgres(folder: Path, address: str) -> None:
    """Have the library of a folder kept in PostgreSQL, by whatever process it is opened."""
    (folder / ADDRESS).touch(0o600)
    (folder / ADDRESS).write_text(address)


async def opened(folder: Path, embedder: WordEmbedder | None = None) -> Library:
    settings = SETTINGS
    if (folder / ADDRESS).exists():
        settings = replace(SETTINGS, backend="postgres", postgres_url_file=str(folder / ADDRESS))
    return await Library.open(folder, settings, embedder or WordEmbedder())


async def with_two_documents(folder: Path) -> Path:
    """A library of two documents, closed in peace."""
    library = await opened(folder)
    await library.add_all([document("ada", 2), document("bob", 2)])
    await ready(library)
    await library.close()
    return folder


async def ready(library: Library) -> None:
    """Wait until the indexes on disk answer, of which a first search shows which are needed."""
    await library.search("anything")
    async with asyncio.timeout(60):
        while (await library.stats()).index != "ready":
            await library.search("anything")
            await asyncio.sleep(0.02)


def local_indexes(shelf: OpenCollection) -> LocalIndexes:
    """The indexes that are on this machine."""
    assert isinstance(shelf.keeper, LocalIndexes)
    return shelf.keeper


@contextmanager
def by_graph() -> Iterator[None]:
    """Have the graph asked for the nearest chunks, as it is in a library that is too large to compare all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_owner, "FULL_SCAN", -1)
        patch.setattr(vector_graph, "COMPARED_CHUNKS", 0)
        yield


def executed(folder: Path, *statements: str) -> None:
    """Change library.db behind everybody's back."""
    with closing(sqlite3.connect(folder / "library.db")) as db, db:
        for statement in statements:
            db.execute(statement)


async def faults(library: Library, name: str, version: int) -> list[str]:
    """What is wrong with a document that has to be there in this version."""
    expected = document(name, version)
    wrong = [] if await library.find_document(expected.source) == expected else [f"{name} is not version {version}"]
    for part in range(PARTS):
        wanted = word(name, version if part else 1, part)
        for options in (BY_WORDS, BY_MEANING):
            found = await library.search(wanted, 1, options)
            if not found or wanted not in found[0].text:
                wrong.append(f"{wanted} is not found, mode {options.mode}")
    return wrong


async def version_of(library: Library, name: str) -> int:
    kept = await library.find_document(f"/{name}")
    if kept is None:
        return ABSENT
    return int(kept.text.split()[-1].removeprefix(f"{name}v").partition("p")[0])


async def wrongs(library: Library, versions: Versions) -> dict[str, int | list[str]]:
    """By document: its version, or what is wrong with it."""
    found: dict[str, int | list[str]] = {}
    for name, allowed in versions.items():
        version = await version_of(library, name)
        wrong = await faults(library, name, version) if version else []
        if version not in allowed:
            wrong.append(f"{name} is version {version}, not {allowed}")
        found[name] = wrong or version
    stats = await library.stats()
    present = sum(version != ABSENT for version in found.values())
    if (stats.documents, stats.chunks) != (present, present * PARTS):
        found["stats"] = [f"{stats.documents} documents and {stats.chunks} chunks, not {present}"]
    return found


async def reopened(say: Say, folder: Path, versions: Versions) -> Library:
    """Open, time the first search, and say which version each document has, or what is wrong with it."""
    started = time.monotonic()
    library = await opened(folder)
    await library.search("anything at all")
    elapsed = time.monotonic() - started
    found = await wrongs(library, versions)
    await ready(library)
    again = await wrongs(library, versions)
    with by_graph():
        await ready(library)
        linked = await wrongs(library, versions)
    told = found if found == again == linked else {**found, "indexes on disk": [f"{again}"], "graph": [f"{linked}"]}
    say((OPENED, elapsed, told))
    return library


async def check(say: Say, folder: Path, versions: Versions) -> None:
    """See to it that everything is there, and leave the library closed."""
    library = await reopened(say, folder, versions)
    await library.close()


async def ingest(say: Say, folder: Path, versions: Versions, seed: int) -> None:
    """Check, then add, change and remove documents, rebuild and reopen, until its server is away."""
    library = await reopened(say, folder, versions)
    try:
        await change_at_random(say, folder, library, versions, seed)
    except LibraryError as error:
        say((AWAY, str(error)))


async def change_at_random(say: Say, folder: Path, library: Library, versions: Versions, seed: int) -> None:
    """Add, change and remove documents, rebuild and reopen, without end."""
    rng = random.Random(seed)
    state = {name: await version_of(library, name) for name in versions}
    for turn in range(1_000_000):
        act = rng.random()
        if act < 0.06:
            say((BEGUN, "rebuild", ABSENT))
            await library.rebuild()
        elif act < 0.14:
            say((BEGUN, "close", ABSENT))
            await library.close()
            library = await opened(folder)
        else:
            await change(say, library, state, rng.choice(list(state)), turn + 2 + seed * 1000)


async def change(say: Say, library: Library, state: dict[str, int], name: str, version: int) -> None:
    """Add a document, or change or remove it; says before and afterwards which version is there."""
    gone = state[name] and version % 3 == 0
    state[name] = ABSENT if gone else version
    say((BEGUN, name, state[name]))
    if gone:
        await library.remove(f"/{name}")
    else:
        await library.add(document(name, version))
    say((DONE, name, state[name]))


async def write(say: Say, folder: Path, names: list[str], turns: int, seed: int) -> None:
    """Change documents of one's own, among other processes; says who holds the indexes."""
    rng = random.Random(seed)
    library = await opened(folder)
    state = dict.fromkeys(names, ABSENT)
    for turn in range(turns):
        name = rng.choice(names)
        await change(say, library, state, name, turn + 2)
        if turn % 5 == 0 and state[name]:
            for fault in await faults(library, name, state[name]):
                say((FAULT, fault))
        say((STATE, (await library.stats()).index))
    await library.close()


async def read(say: Say, folder: Path, names: list[str], stop: Path) -> None:
    """Search for the documents of others until a file says stop; every passage must be of what it says it is."""
    library = await opened(folder)
    rng = random.Random(0)
    searches = 0
    while not stop.exists():
        for options in (BY_WORDS, BY_MEANING, SearchOptions()):
            for passage in await library.search(f"{rng.choice(names)} {word(rng.choice(names), 1, 0)}", 3, options):
                if not passage.text.startswith(passage.title + "v"):
                    say((FAULT, f"{passage}"))
            searches += 1
        say((STATE, (await library.stats()).index))
        await asyncio.sleep(0.02)
    say((DONE, "searches", searches))
    await library.close()
