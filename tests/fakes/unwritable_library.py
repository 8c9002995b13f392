"""A process with a library on a small file system: `python unwritable_library.py FOLDER full|read-only clean|killed`.

The library is made, by a process that closes it or is killed, then the disk is filled or is only read from there on;
a fresh process prints as JSON what can be found in it and what came of adding something.
"""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from rag.documents import Document
from rag.library import Library
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from tests.fakes.full_disk import fill
from utils.errors import LibraryError

TEXTS = {"magpie": "Magpies build domed nests of twigs.", "heron": "Herons wait for fish in shallow water."}
ALL = SearchOptions(relevant_only=False)


async def make(data: Path, end: str) -> None:
    library = await Library.open(data, RagSettings(), WordEmbedder())
    for name, text in TEXTS.items():
        await library.add(Document(f"/birds/{name}.md", name, text, "file"))
    if end == "killed":
        os._exit(0)
    while (await library.stats()).index != "ready":
        await asyncio.sleep(0.02)
    await library.close()


async def add(data: Path) -> None:
    library = await Library.open(data, RagSettings(), WordEmbedder())
    await library.add(Document("/birds/owl.md", "owl", "Owls hear mice under the snow.", "file"))
    await library.close()


async def look(data: Path, mend: str) -> None:
    library = await Library.open(data, RagSettings(), WordEmbedder())
    found = [(await library.search(text, 1, ALL))[0].source for text in TEXTS.values()]
    told = ""
    try:
        await library.add(Document("/birds/owl.md", "owl", "Owls hear mice under the snow.", "file"))
    except LibraryError as error:
        told = str(error)
    try:
        diagnosed = str((await library.examine()).findings)
    except LibraryError as error:
        diagnosed = str(error)
    await asyncio.sleep(1)
    found += [passage.source for passage in await library.search("Who hears mice?", 1, ALL)]
    after = 0
    if mend:
        Path(mend).unlink()
        await asyncio.to_thread(subprocess.run, [sys.executable, __file__, str(data), "add"], check=True)
        found += [passage.source for passage in await library.search("Owls hear mice under the snow", 1, ALL)]
        after = await library.add(Document("/birds/crow.md", "crow", "Crows know faces.", "file"))
    await library.close()
    sys.stdout.write(json.dumps({"found": found, "told": told, "diagnosed": diagnosed, "added after": after}))


def main(folder: Path, kind: str, end: str) -> None:
    data = folder / "data"
    step = [sys.executable, __file__, str(data)]
    subprocess.run([*step, "make", end], check=True)
    if kind == "full":
        fill(folder)
    else:
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    subprocess.run([*step, "look", str(folder / "ballast") if kind == "full" else ""], check=True)


if __name__ == "__main__":
    if sys.argv[2] == "make":
        asyncio.run(make(Path(sys.argv[1]), sys.argv[3]))
    elif sys.argv[2] == "add":
        asyncio.run(add(Path(sys.argv[1])))
    elif sys.argv[2] == "look":
        asyncio.run(look(Path(sys.argv[1]), sys.argv[3]))
    else:
        main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
