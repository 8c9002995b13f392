"""A process of its own that adds documents to a library and searches it: `python library_process.py FOLDER NAME COUNT`.

Each document that is acknowledged is printed, then each that a search from this process does not find.
"""

import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from rag.documents import Document
from rag.library import Library
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder

MUST = SearchOptions(mode="vector", min_similarity=0.5)
SETTINGS = RagSettings(chunk_size=100, chunk_overlap=20)


def document(name: str, number: int) -> Document:
    """Five chunks, each with words that no other has."""
    text = "\n\n".join(f"{name}{number}part{part} " * 6 for part in range(5))
    return Document(f"/{name}/{number}", f"{name}{number}", text, "file")


async def missing(library: Library, name: str, number: int) -> list[str]:
    """Chunks of a document that a search for their words does not find first."""
    wanted = [f"{name}{number}part{part}" for part in range(5)]
    found = [await library.search(word, 1, MUST) for word in wanted]
    return [word for word, passages in zip(wanted, found, strict=True) if not passages or word not in passages[0].text]


async def main(folder: Path, name: str, count: int) -> None:
    library = await Library.open(folder, SETTINGS, WordEmbedder())
    for number in range(count):
        await library.add(document(name, number))
        sys.stdout.write(f"{name} {number}\n")
        sys.stdout.flush()
        for word in await missing(library, name, number):
            sys.stdout.write(f"missing {word}\n")
    await library.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
