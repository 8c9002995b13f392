"""The tool that looks into the library."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Annotated

from pydantic import Field

from rag.library import Library
from rag.search.filters import parse_filters
from rag.search.reranking import Reranking
from rag.search.search import Mode, SearchOptions
from rag.stored import Filters
from tools.base import ToolContext, ToolResult
from utils.errors import ConfigError, LibraryError, ToolError

UNLESS_TOLD = 5
"""Passages that a search brings unless told otherwise."""
NEAREST_SHOWN = 3
"""Passages that are shown where none is near the question."""


@dataclass(frozen=True)
class SearchScope:
    """Where the library is searched in a chat and how, beside what a call says."""

    collections: tuple[str, ...] = ()
    """Empty: the collection of the settings."""
    limit: int = 0
    """Passages unless told otherwise; 0: as many as ever."""
    mode: Mode | None = None
    """None: as the settings say."""


class LibrarySearch:
    """What `search_vector_db` needs: the library, and where it is wanted other words for a question."""

    def __init__(
        self,
        library: Library,
        terms: Callable[[str], Awaitable[str]] | None = None,
        reranking: Reranking | None = None,
        scope: Callable[[], SearchScope] = SearchScope,
    ) -> None:
        self._library = library
        self._scope = scope
        self._terms = terms
        self._reranking = reranking

    async def search_vector_db(
        self,
        context: ToolContext,
        query: str,
        limit: Annotated[int, Field(ge=1, le=20)] = UNLESS_TOLD,
        source: str = "",
        files_only: bool = False,
        filters: Annotated[tuple[str, ...], Field(max_length=20)] = (),
    ) -> ToolResult:
        """Search the user's own library: files they indexed and web pages read before.

        Args:
            query: What to look for, as a phrase or question that stands alone.
            limit: How many passages, 1 to 20; 5 unless told.
            source: Only from this file, folder, page or title; empty for all.
            files_only: Only from the user's files, not from web pages read before.
            filters: All of them must fit: author=Ann, tag=birds, type=pdf, language=de, date=2026-01..2026-03.
        """
        scope = self._scope()
        try:
            if not scope.collections and await self._library.is_empty():
                return ToolResult("The library is empty: nothing has been read or indexed yet.")
            kept = Filters((source,) if source else (), ("file",) if files_only else ())
            options = await self._make_options(query, parse_filters(filters, kept))
            wanted = scope.limit if scope.limit and limit == UNLESS_TOLD else limit
            passages = await self._library.search(query, wanted, options)
            if not passages:
                return await self._nearest_passages(query, options)
        except LibraryError as error:
            raise ToolError(f"The library cannot be searched: {error}") from error
        except ConfigError as error:
            raise ToolError(str(error)) from error
        titles = ", ".join(dict.fromkeys(passage.title for passage in passages))
        return ToolResult(f"Found in the library: {titles}.", tuple(passages))

    async def _make_options(self, query: str, filters: Filters) -> SearchOptions:
        terms, scope = await self._terms(query) if self._terms else "", self._scope()
        also = (terms,) if terms else ()
        return SearchOptions(scope.mode, None, filters, scope.collections, also=also, reranking=self._reranking)

    async def _nearest_passages(self, query: str, options: SearchOptions) -> ToolResult:
        """The user's own passages that are nearest where none is near: they may be worded otherwise, or elsewhere."""
        where = options.filters.sources[0] if options.filters.sources else "the library"
        found = await self._library.search(query, NEAREST_SHOWN, replace(options, relevant_only=False))
        own = tuple(passage for passage in found if passage.origin == "file")
        told = f"Nothing relevant found in {where} about {query!r}."
        if not own:
            return ToolResult(f"{told} Rephrase once, or search the web.")
        return ToolResult(f"{told} These passages of the user's files are nearest and may be about other things:", own)
