"""Random damage to the files of a library, and what a process makes of it; the same seed gives the same damage."""

import json
import logging
import random
import shutil
from collections.abc import Sequence
from pathlib import Path

from rag.documents import Document
from rag.indexes.manifest import MANIFEST
from rag.library import Library
from rag.search.search import SearchOptions
from tests.fakes.processes import Say
from tests.fakes.torture import by_graph, opened, ready
from utils.errors import LibraryError

Answer = list[tuple[str, int, str, float, float]]
"""Source, number and text of each passage, its similarity and its score."""

QUERIES = tuple(
    (query, SearchOptions(mode=mode, relevant_only=False))
    for query in ("bird3 nests in trees", "bird17 part1", "water that bird5 and bird8 drink")
    for mode in ("bm25", "vector", "hybrid")
)
BIRDS = 40


def bird(number: int) -> Document:
    """Two chunks."""
    text = (
        f"bird{number} nests in trees of age {number} with others.\n\n"
        + f"part{number % 7} of bird{number} drinks water. " * 3
    )
    return Document(f"/birds/{number}", f"Bird {number}", text.strip(), "file")


async def answers(library: Library, limit: int = 5) -> list[Answer]:
    found = [await library.search(query, limit, options) for query, options in QUERIES]
    return [
        [(p.source, p.chunk_index, p.text, round(p.similarity, 4), round(p.score, 3)) for p in passages]
        for passages in found
    ]


async def make(say: Say, folder: Path, birds: int) -> None:
    """A library that was closed in peace; says what it answers."""
    library = await opened(folder)
    await library.add_all([bird(number) for number in range(birds)])
    await ready(library)
    say(await answers(library))
    await library.close()


async def suffer(say: Say, sound: Path, folder: Path, seeds: Sequence[int], expected: list[Answer]) -> None:
    """Damage the indexes of copies, and say for each what was done, and what was wrong afterwards."""
    warnings = Warnings()
    for seed in seeds:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(sound, folder)
        done = damage(folder, random.Random(seed))
        say((seed, done))
        warnings.lines.clear()
        say(await wrongs_of(folder, expected, warnings, again=seed % 5 == 0))


async def wrongs_of(folder: Path, expected: list[Answer], warnings: "Warnings", again: bool) -> list[str]:
    library = await opened(folder)
    wrong = [] if await answers(library) == expected else ["wrong before the rebuild"]
    await ready(library)
    wrong += [] if await answers(library) == expected else ["wrong after the rebuild"]
    with by_graph():
        await ready(library)
        wrong += [] if await answers(library) == expected else ["wrong after the rebuild, by the graph"]
    wrong += [] if warnings.lines else ["not found out"]
    await library.close()
    if again:
        warnings.lines.clear()
        library = await opened(folder)
        await ready(library)
        wrong += [] if await answers(library) == expected else ["wrong after reopening"]
        with by_graph():
            await ready(library)
            wrong += [] if await answers(library) == expected else ["wrong after reopening, by the graph"]
        wrong += warnings.lines
        await library.close()
    return wrong


async def suffer_at_heart(say: Say, sound: Path, folder: Path, seeds: Sequence[int], expected: list[Answer]) -> None:
    """Damage library.db in copies; says what was done, and what came of it: an error's words, or how it was."""
    for seed in seeds:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(sound, folder)
        say((seed, damage_file(folder / "library.db", random.Random(seed))))
        say(await verdict(folder, expected))


async def verdict(folder: Path, expected: list[Answer]) -> list[str]:
    """What becomes of searches, of a new document, and of an examination."""
    try:
        library = await opened(folder)
    except LibraryError as error:
        return [str(error)]
    said: list[str] = []
    for number, (query, options) in enumerate(QUERIES):
        try:
            found = await library.search(query, 5, options)
            answer = [(p.source, p.chunk_index, p.text) for p in found]
            said.append("right" if answer == [entry[:3] for entry in expected[number]] else "otherwise")
            said += [f"WRONG: {p}" for p in found if p.text not in bird(int(p.source.split("/")[-1])).text]
        except LibraryError as error:
            said.append(str(error))
    for attempt in (lambda: library.add(bird(1000)), library.examine, library.close):
        try:
            await attempt()
        except LibraryError as error:
            said.append(str(error))
    return list(dict.fromkeys(said))


class Warnings(logging.Handler):
    """What `rag` warns of."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[str] = []
        logging.getLogger("rag").setLevel(logging.INFO)
        logging.getLogger("rag").addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def damage(folder: Path, rng: random.Random) -> str:
    """Do something bad to an index folder; what it was."""
    kind = rng.choice(["flip", "flip", "flip", "cut", "delete", "swap", "manifest", "basis", "folder"])
    index = folder / rng.choice(["chroma", "keywords", "matrix"]) / "rag_documents"
    files = sorted(path for path in index.rglob("*") if path.is_file() and path.name != MANIFEST)
    if kind == "flip":
        return flip(rng.choice([path for path in files if path.stat().st_size]), rng)
    if kind == "cut":
        path = rng.choice([path for path in files if path.stat().st_size])
        path.write_bytes(path.read_bytes()[: rng.randrange(path.stat().st_size)])
        return f"cut {path.name}"
    if kind == "delete":
        path = rng.choice(files)
        path.unlink()
        return f"deleted {path.name}"
    if kind == "swap":
        return swap(files, rng)
    if kind == "folder":
        return replace_folder(index, rng)
    return damage_manifest(index / MANIFEST, kind, rng)


def swap(files: Sequence[Path], rng: random.Random) -> str:
    first = rng.choice(files)
    second = rng.choice([path for path in files if path.read_bytes() != first.read_bytes()])
    ours, theirs = first.read_bytes(), second.read_bytes()
    first.write_bytes(theirs)
    second.write_bytes(ours)
    return f"swapped {first.name} and {second.name}"


def replace_folder(index: Path, rng: random.Random) -> str:
    shutil.rmtree(index)
    if rng.random() < 0.5:
        index.write_bytes(b"no folder")
        return f"a file in the place of {index}"
    return f"deleted {index}"


def damage_manifest(path: Path, kind: str, rng: random.Random) -> str:
    manifest = json.loads(path.read_text())
    if kind == "basis":
        key = rng.choice(sorted(manifest["basis"]))
        manifest["basis"][key] = rng.choice([7, "7", None, [], manifest["basis"][key] * 2 or 1])
        path.write_text(json.dumps(manifest))
        return f"{key} of the manifest is {manifest['basis'][key]!r}"
    text = rng.choice(
        [rng.randbytes(200), b"", b"[]", b"{}", b"null", path.read_bytes()[:-9], b'{"basis": 1, "files": 2}']
    )
    path.write_bytes(text)
    return f"the manifest is {text[:20]!r}"


def damage_file(path: Path, rng: random.Random) -> str:
    kind = rng.choice(["flip", "flip", "cut", "zeros"])
    if kind == "flip":
        return flip(path, rng)
    content = path.read_bytes()
    at = rng.randrange(len(content))
    if kind == "cut":
        path.write_bytes(content[:at])
        return f"cut at {at}"
    length = min(rng.choice([512, 4096, 20_000]), len(content) - at)
    path.write_bytes(content[:at] + bytes(length) + content[at + length :])
    return f"{length} zeros at {at}"


def flip(path: Path, rng: random.Random) -> str:
    """Change 1 to 100 random bytes."""
    content = bytearray(path.read_bytes())
    places = rng.sample(range(len(content)), min(len(content), rng.randint(1, 100)))
    for place in places:
        content[place] ^= rng.randint(1, 255)
    path.write_bytes(content)
    return f"{len(places)} bytes of {path.name}"
