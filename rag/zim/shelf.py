"""The ZIM archives that the user named: found, described, searched together, and read an article at a time.

Each is opened anew for whatever is asked of it, in the process that reads files: it takes some milliseconds, and a
damaged one ends nothing else.
"""

import asyncio
import importlib.util
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rag.documents import Document
from rag.folders import absolute_path
from rag.readers import SHARED_POOL, ReaderPool
from rag.search.selection import interleave
from rag.search.stop_words import silent_words
from rag.search.tokenization import BY_PAIRS, telling_terms
from rag.zim.address import ArticleAddress, month_of, parse_article
from rag.zim.values import ArchiveFacts, ArchiveRequest, ArticleFound, ArticlesFound, ArticleText
from utils.errors import DocumentError
from utils.files import is_folder
from utils.languages.detection import language_of

NOT_INSTALLED = DocumentError(
    "What reads ZIM archives is not installed.", "Install it: pip install 'magpie-assistant[zim]'"
)
_MAX_WORDS = 12
"""Words of a query that are looked for."""
_MAX_PAIRS = 24
"""Pairs of characters that are looked for where there are no spaces between words."""
_ENDINGS = ("*.zim", "*.zimaa")
"""Archives, and the first parts of those that were split."""


@dataclass(frozen=True)
class ShelvedArchive:
    """An archive that can be asked."""

    name: str
    """Its file's name without the ending, by which its articles are addressed."""
    path: Path
    facts: ArchiveFacts

    @property
    def summary(self) -> str:
        """What it is, in a line: name, title, month, how many articles, and by what they are found."""
        month = month_of(self.facts.date)
        found_by = "found by their words" if self.facts.full_text else "found by their titles alone"
        parts = [self.facts.title, *([month] if month else []), f"{self.facts.articles:,} articles, {found_by}"]
        return f"{self.name}: {', '.join(parts)}"

    @property
    def moment(self) -> str:
        """The day it was made as a moment, ISO 8601; empty where it does not say."""
        return f"{self.facts.date}T00:00:00+00:00" if self.facts.date else ""


@dataclass(frozen=True)
class ShelfState:
    """The archives that can be asked, and a sentence on each that cannot."""

    archives: tuple[ShelvedArchive, ...]
    troubles: tuple[str, ...]


class ZimShelf:
    """Searches and reads the archives at some places, which are files and folders of them.

    `tell` is given sentences for the user on those that cannot be read.
    """

    def __init__(
        self, places: Sequence[Path], tell: Callable[[str], None] = lambda said: None, pool: ReaderPool = SHARED_POOL
    ) -> None:
        self._places = tuple(map(absolute_path, places))
        self._tell = tell
        self._pool = pool
        self._known: dict[tuple[Path, int, int], ArchiveFacts] = {}
        """What was learnt of a file, as long as it is the same."""

    @property
    def is_empty(self) -> bool:
        """Whether the user named none."""
        return not self._places

    async def look(self) -> ShelfState:
        """The archives that there are now; raises nothing."""
        if not self.is_empty and importlib.util.find_spec("libzim") is None:
            return ShelfState((), (str(NOT_INSTALLED),))
        archives: dict[str, ShelvedArchive] = {}
        troubles: list[str] = []
        for path in await asyncio.to_thread(lambda: list(dict.fromkeys(self._files()))):
            try:
                archive = ShelvedArchive(path.stem, path, await self._facts_of(path))
            except DocumentError as error:
                troubles.append(str(error))
                continue
            if archives.setdefault(archive.name, archive) is not archive:
                other = archives[archive.name].path
                troubles.append(f"{path} is left out, for {other} has the same name. Rename one of them.")
        return ShelfState(tuple(archives.values()), tuple(troubles))

    async def search(self, query: str, limit: int) -> list[tuple[ArticleAddress, ArticleFound, ShelvedArchive]]:
        """Articles for a query, those that each archive ranks first before its others.

        Archives in the language of the query come before the others. Raises `DocumentError` where none can be asked.
        """
        state = await self._usable()
        language = language_of(query)
        words = telling_query(query, language)
        asked = await asyncio.gather(*(self._search_one(archive, words, limit) for archive in state.archives))
        if asked and all(isinstance(found, DocumentError) for found in asked):
            raise next(found for found in asked if isinstance(found, DocumentError))
        rows = [
            (
                _speaks(archive.facts, language),
                [(ArticleAddress(archive.name, one.path), one, archive) for one in found],
            )
            for archive, found in zip(state.archives, asked, strict=True)
            if not isinstance(found, DocumentError)
        ]
        own, others = ([found for speaks, found in rows if speaks is wanted] for wanted in (True, False))
        return [*interleave(own), *interleave(others)][:limit]

    async def read(self, address: str) -> Document:
        """The article at an address as a document, redirects in the archive followed; raises `DocumentError`."""
        wanted = parse_article(address)
        state = await self._usable()
        names = (wanted.archive, wanted.archive.lower())
        archive = next((one for one in state.archives if one.name in names or one.name.lower() == names[1]), None)
        if archive is None:
            there = ", ".join(one.name for one in state.archives)
            raise DocumentError(f"There is no archive called {wanted.archive[:100]!r}.", f"There are: {there}.")
        request = ArchiveRequest("article", path=wanted.path)
        article = await self._pool.ask_archive(str(archive.path), request, ArticleText)
        source = str(ArticleAddress(archive.name, article.path))
        return Document(source, article.title, article.text, "web", article.media_type, archive.moment)

    async def _usable(self) -> ShelfState:
        """The archives that can be asked; the user is told of the others. Raises `DocumentError` if there are none."""
        state = await self.look()
        for trouble in state.troubles:
            self._tell(trouble)
        if not state.archives:
            raise DocumentError(state.troubles[0] if state.troubles else "There is no ZIM archive (search.zim_files).")
        return state

    async def _search_one(
        self, archive: ShelvedArchive, words: tuple[str, ...], limit: int
    ) -> tuple[ArticleFound, ...] | DocumentError:
        """What one archive finds; the others are asked whatever is wrong with it, which the user is told."""
        request = ArchiveRequest("search", words, limit)
        try:
            return (await self._pool.ask_archive(str(archive.path), request, ArticlesFound)).found
        except DocumentError as error:
            self._tell(str(error))
            return error

    async def _facts_of(self, path: Path) -> ArchiveFacts:
        """What an archive says of itself, asked once of each state of its file; raises `DocumentError`."""
        try:
            state = await asyncio.to_thread(path.stat)
            key = (path, state.st_mtime_ns, state.st_size)
        except (OSError, ValueError):
            # The process that reads it says what is wrong.
            key = (path, 0, 0)
        if key not in self._known:
            self._known[key] = await self._pool.ask_archive(str(path), ArchiveRequest("facts"), ArchiveFacts)
        return self._known[key]

    def _files(self) -> Iterator[Path]:
        for place in self._places:
            if is_folder(place):
                yield from sorted(file for ending in _ENDINGS for file in place.glob(ending))
            else:
                yield place


def telling_query(query: str, language: str) -> tuple[str, ...]:
    """The words of a query that an index is asked for: what questions begin with stands in every article or in none."""
    if language in BY_PAIRS:
        # Without spaces a question would be one word, which no article has.
        return tuple(dict.fromkeys(telling_terms(query, [language])[0]))[:_MAX_PAIRS]
    words = list(dict.fromkeys(re.findall(r"\w+", query.casefold())))
    silent = silent_words(words, [language or "en"])
    return tuple([word for word in words if word not in silent] or words)[:_MAX_WORDS]


def _speaks(facts: ArchiveFacts, language: str) -> bool:
    """Whether an archive is in a language, its ISO 639-1 code; True where that cannot be told."""
    from babel.core import get_global

    codes = get_global("language_aliases")
    return not language or not facts.languages or language in {codes.get(code, code) for code in facts.languages}
