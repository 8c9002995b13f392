"""ZIM archives as a search engine: what is asked of it leaves the machine nowhere."""

from rag.zim.shelf import ZimShelf
from tools.web.fallback import EngineError, Query, SearchResult
from utils.errors import DocumentError
from utils.text import one_line

ARCHIVE_RESULTS = 10
"""Articles that a search asks for, of all archives together."""


class ArchiveEngine:
    """Searches the archives that the user named: their articles' titles and, where an archive has an index, words."""

    name = "archives"

    def __init__(self, shelf: ZimShelf) -> None:
        self._shelf = shelf

    async def search(self, query: Query) -> list[SearchResult]:
        """The articles, best first; raises `EngineError`."""
        try:
            found = await self._shelf.search(query.text, ARCHIVE_RESULTS)
        except DocumentError as error:
            raise EngineError("failed", one_line(error.problem)) from error
        return [
            SearchResult(one_line(article.title), str(address), one_line(article.snippet, 500), archive.moment)
            for address, article, archive in found
        ]
