"""A library that follows folders, and what a test waits for: that it has what they have."""

import asyncio
import random
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from chatbot.conversation.events import Notice, Progress
from chatbot.library.watch import Followed, LibraryWatch
from rag.documents import Document
from rag.folders import find_files
from rag.library import Library
from rag.settings import RagSettings
from tests.fakes.embedder import WordEmbedder
from utils.errors import DocumentError

SETTINGS = RagSettings(chunk_size=100, chunk_overlap=0)
PATIENCE = 60.0


class NoPages:
    """Stands for the fetcher: no page is ever asked for."""

    async def fetch(self, url: str) -> Document:
        raise DocumentError(f"{url} was asked for.")


class FollowingLibrary:
    """An open library and what was told while it followed."""

    def __init__(self, library: Library, embedder: WordEmbedder) -> None:
        self.library = library
        self.embedder = embedder
        self.news: list[Followed | Notice | Progress] = []
        self._told = asyncio.Event()
        self.watch = LibraryWatch(library, NoPages(), self._show)  # type: ignore[arg-type]

    def _show(self, news: Followed | Notice | Progress) -> None:
        self.news.append(news)
        if not isinstance(news, Progress):
            self._told.set()

    @property
    def notices(self) -> list[str]:
        return [one.text for one in self.news if isinstance(one, Notice)]

    @property
    def failures(self) -> list[str]:
        return [Path(name).name for one in self.news if isinstance(one, Followed) for name, _ in one.failures]

    async def until(self, fulfilled: Callable[[], Awaitable[bool]], patience: float = PATIENCE) -> None:
        """Wait until something holds, looked at whenever something is told."""
        async with asyncio.timeout(patience):
            while True:
                self._told.clear()
                if await fulfilled():
                    return
                await self._told.wait()

    async def until_told(self, words: str) -> None:
        async def is_told() -> bool:
            return any(words in one for one in self.notices)

        await self.until(is_told)

    async def texts(self, folder: Path) -> dict[str, str]:
        """What the library has of the files in a folder, by their names there."""
        found = {}
        for path in await self.library.files().paths_within(str(folder)):
            if document := await self.library.find_document(path):
                found[str(Path(path).relative_to(folder))] = document.text.strip()
        return found

    async def until_texts(self, folder: Path, texts: dict[str, str]) -> None:
        async def are_there() -> bool:
            return await self.texts(folder) == texts

        await self.until(are_there)

    async def until_equal(self, folder: Path, patience: float = PATIENCE) -> int:
        """Wait until the library has what the folder has; how many files that are."""

        async def is_equal() -> bool:
            # What takes long is compared last.
            wanted, kept = await texts_in(folder), await self.library.files().paths_within(str(folder))
            if {str(Path(path).relative_to(folder)) for path in kept} != wanted.keys():
                return False
            return await self.texts(folder) == wanted

        await self.until(is_equal, patience)
        return len(await self.texts(folder))


@asynccontextmanager
async def following(data: Path, *folders: Path, settings: RagSettings = SETTINGS) -> AsyncIterator[FollowingLibrary]:
    """A library in `data` that follows folders."""
    embedder = WordEmbedder()
    library = await Library.open(data, settings, embedder)
    follows = FollowingLibrary(library, embedder)
    try:
        for folder in folders:
            await follows.watch.begin(str(folder))
        yield follows
    finally:
        await follows.watch.close()
        await library.close()


async def texts_in(folder: Path) -> dict[str, str]:
    """What stands in the files that a folder has to be read, but for those with nothing in them."""
    files = {str(path.relative_to(folder)): path.read_text().strip() for path in find_files(folder)}
    return {name: text for name, text in files.items() if text}


class Vandal:
    """Changes, moves and deletes files of a folder at random, as editors and people do."""

    def __init__(self, folder: Path, files: int, seed: int) -> None:
        self._folder = folder
        self._files = files
        self._rng = random.Random(seed)
        self.done = 0

    def fill(self) -> None:
        """Write all files at once."""
        for number in range(self._files):
            self._write(self._path(number))

    def act(self) -> None:
        """Do one thing, to one file mostly."""
        act = self._rng.choices(
            [self._write_one, self._save, self._append, self._move, self._delete, self._empty, self._move_folder],
            [30, 20, 10, 20, 15, 2, 1],
        )[0]
        # What it was to be done to may be gone, or lie within itself.
        with suppress(OSError):
            act()
            self.done += 1

    def _path(self, number: int) -> Path:
        return self._folder / f"d{number % 31}" / f"e{number % 7}" / f"file{number}.txt"

    def _pick(self) -> Path:
        return self._path(self._rng.randrange(self._files))

    def _write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self._words())

    def _words(self) -> str:
        return " ".join(f"w{self._rng.randrange(500)}" for _ in range(self._rng.randint(3, 12)))

    def _write_one(self) -> None:
        self._write(self._pick())

    def _save(self) -> None:
        """As editors do: another file, renamed."""
        path = self._pick()
        draft = path.with_name(self._rng.choice([f".{path.name}.swp", f"{path.name}~", f"{path.name}.tmp"]))
        self._write(draft)
        draft.replace(path)

    def _append(self) -> None:
        with self._pick().open("a") as file:
            for _ in range(3):
                file.write(f" {self._words()}")
                file.flush()

    def _move(self) -> None:
        source, target = self._pick(), self._pick()
        target.parent.mkdir(parents=True, exist_ok=True)
        source.replace(target)

    def _delete(self) -> None:
        self._pick().unlink()

    def _empty(self) -> None:
        path = self._pick()
        if path.exists():
            path.write_text("")

    def _move_folder(self) -> None:
        source = self._folder / f"d{self._rng.randrange(31)}"
        target = self._folder / f"d{self._rng.randrange(31)}"
        if self._rng.random() < 0.3:
            shutil.rmtree(source)
        elif not target.exists():
            source.rename(target)
        else:
            source.rename(target / f"in{self._rng.randrange(99)}")
