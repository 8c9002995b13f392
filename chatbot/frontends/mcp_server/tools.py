"""The tools that the server offers; each calls what the chat's own tools call, and numbers what it finds."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from mcp_types import ToolAnnotations
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from chatbot.conversation.events import Progress
from chatbot.conversation.messages import Source
from chatbot.frontends.mcp_server.retrieval import Retrieval
from chatbot.frontends.serving.values import (
    CollectionStats,
    Failure,
    FoundPassages,
    IndexedSource,
    PageText,
    ServedResult,
    Stats,
    found_passage,
)
from chatbot.library.progress import counted, is_url
from chatbot.window.shrinking import numbered_passage
from rag.documents import Passage
from tools.base import Tool, ToolContext, ToolResult, tool
from utils.errors import ConfigError, ToolError
from utils.text import one_line

if TYPE_CHECKING:
    from rag.stored import Filters

Mode = Literal["bm25", "vector", "hybrid"]
NOTHING = "Nothing relevant found in the library about {query!r}. Try other words."
EMPTY_LIBRARY = "The library is empty: nothing has been read or indexed yet. index_source fills it."


@dataclass(frozen=True)
class Offer:
    """A tool with what a client is told beside its description."""

    tool: Tool
    returns: type
    hints: ToolAnnotations

    @property
    def name(self) -> str:
        """The tool's."""
        return self.tool.schema.name


class RetrievalTools:
    """What searches, reads and indexes; `paths`: whether files of this machine may be indexed."""

    def __init__(self, retrieval: Retrieval, *, paths: bool) -> None:
        self._retrieval = retrieval
        self._paths = paths

    def list_offers(self) -> list[Offer]:
        """Every tool: to add one, name it here and in arguments.py."""
        read = ToolAnnotations(read_only_hint=True, open_world_hint=False)
        # What is found on the web goes into the library, which changes nothing that was there.
        web = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True)
        # A document that has changed takes the place of the older one, and records that are gone go.
        change = web.model_copy(update={"destructive_hint": True})
        return [
            Offer(tool(self.search_library), FoundPassages, read),
            Offer(tool(self.web_search), FoundPassages, web),
            Offer(tool(self.read_page), PageText, web),
            Offer(tool(self.index_source), IndexedSource, change),
            Offer(tool(self.library_stats), Stats, read),
        ]

    async def search_library(
        self,
        query: str,
        max_results: Annotated[int, Field(ge=1, le=50)] = 5,
        mode: Mode | SkipJsonSchema[None] = None,
        source_ids: Annotated[tuple[str, ...], Field(max_length=100)] = (),
        collection: str = "",
        filters: Annotated[tuple[str, ...], Field(max_length=20)] = (),
    ) -> ServedResult:
        """Search the user's own library: files they indexed and web pages read before. Returns numbered passages.

        Args:
            query: What to look for, as a phrase or question that stands alone.
            max_results: How many passages, 1 to 50; 5 unless told.
            mode: By words (bm25), by meaning (vector) or by both (hybrid); as the settings say unless told.
            source_ids: Only from these files, folders, addresses or titles; empty for all.
            collection: Of which collection; empty for the usual one.
            filters: All of them must fit: author=Ann, tag=birds, type=pdf, language=de, date=2026-01..2026-03.
        """
        if not query.strip():
            raise ToolError("The query is empty. Say in a few words what to look for.")
        from rag.search.filters import parse_filters
        from rag.stored import Filters

        try:
            kept = parse_filters(filters, Filters(sources=source_ids))
        except ConfigError as error:
            raise ToolError(str(error)) from error
        passages = await self.find_passages(query, max_results, mode, kept, collection)
        if passages:
            titles = ", ".join(dict.fromkeys(passage.title for passage in passages))
            summary = f"Found in the library: {titles}."
        else:
            library = await self._retrieval.open_library()
            summary = EMPTY_LIBRARY if await library.is_empty() else NOTHING.format(query=query)
        by_words = (mode or self._retrieval.config.rag.search_mode) == "bm25"
        return number_passages(summary, passages, compared=not by_words)

    async def find_passages(
        self, query: str, limit: int, mode: Mode | None = None, kept: "Filters | None" = None, collection: str = ""
    ) -> list[Passage]:
        """Passages of the library, best first."""
        from rag.search.search import SearchOptions
        from rag.stored import Filters

        library = await self._retrieval.open_library()
        name = await self._retrieval.readable_collection(collection)
        options = SearchOptions(mode, filters=kept or Filters(), collections=(name,))
        return await library.search(query, limit, options)

    async def web_search(self, context: ToolContext, query: str) -> ServedResult:
        """Search the web and read the best pages; returns their best passages and a list of further results.

        Args:
            query: What to look for, in a few words that stand alone.
        """
        web = await self._retrieval.web()
        result = await web.web_search(context, query)
        return number_passages(result.text, result.passages)

    async def read_page(
        self,
        context: ToolContext,
        url: str,
        start: Annotated[int, Field(ge=0)] = 0,
        max_characters: Annotated[int, Field(ge=100, le=500_000)] = 20_000,
    ) -> ServedResult:
        """Open a web page or PDF by its address and return its text, a long one in parts.

        Args:
            url: The address, beginning with http:// or https://.
            start: Where to go on reading, in characters; 0 is the beginning.
            max_characters: How much of the text to return; 20000 unless told.
        """
        page = await (await self._retrieval.web()).read_page(context, url)
        text = page.text[start : start + max_characters]
        end = start + len(text)
        value = PageText(page.title, page.source, text, start, end, len(page.text), page.fetched)
        passage = Passage(text, page.source, page.title, page.origin, fetched=page.fetched)
        part = f"Characters {start:,} to {end:,} of {len(page.text):,}."
        more = f" Go on with start={end}." if end < len(page.text) else ""
        return ServedResult(part + more, (passage,), value=value)

    async def index_source(self, context: ToolContext, source: str, collection: str = "") -> ServedResult:
        """Read something into the library, so that search_library finds it: a web page or PDF by its address.

        Over standard input and output also a file, a folder with all that is in it, or a pattern such as notes/**/*.md;
        over HTTP addresses only. What is unchanged is not read twice.

        Args:
            source: What to read: an address, or the absolute path of a file, folder or pattern.
            collection: Into which collection, begun if it is not there yet; empty for the usual one.
        """
        if not source.strip():
            raise ToolError("The source is empty. Name an address, a file or a folder.")
        if not self._paths and not is_url(source):
            raise ToolError("Over HTTP only addresses can be indexed. Name one that begins with https:// or http://.")
        from chatbot.library.ingest import Ingest

        library = await self._retrieval.open_library()
        work = Ingest(
            library, (await self._retrieval.open_parts()).fetcher, self._retrieval.writable_collection(collection)
        )
        async with aclosing(work.run([source])) as steps:
            async for step in steps:
                if isinstance(step, Progress):
                    context.report(progress_text(step))
        summary = work.summary
        failures = [Failure(name, one_line(reason, 500)) for name, reason in summary.failures]
        if not summary.files:
            raise ToolError(failures[0].reason if failures else f"There are no files in {source}.")
        warnings = [advice] if (advice := await work.language_advice()) else []
        counts = summary.files, summary.documents, summary.chunks, summary.unchanged, summary.gone
        value = IndexedSource(*counts, failures, warnings)
        lines = [str(summary), *(f"Not indexed: {failure.name}: {failure.reason}" for failure in failures), *warnings]
        return ServedResult("\n".join(lines), value=value)

    async def library_stats(self, collection: str = "") -> ServedResult:
        """Tell what the library holds: its collections, documents, chunks and size.

        Args:
            collection: Of which collection; empty for the usual one.
        """
        library = await self._retrieval.open_library()
        name = await self._retrieval.readable_collection(collection)
        stats = await library.stats(name)
        there = [
            CollectionStats(one.name, one.documents, one.chunks) for one in await self._retrieval.list_collections()
        ]
        value = Stats(name, stats.documents, stats.chunks, stats.bytes_on_disk, stats.embedding_model, there)
        others = ", ".join(f"{one.name} ({counted(one.documents, 'document')})" for one in there) or "none yet"
        held = f"{counted(stats.documents, 'document')}, {counted(stats.chunks, 'chunk')}"
        return ServedResult(f"{name}: {held}, {stats.bytes_on_disk / 1e6:,.1f} MB. Collections: {others}.", value=value)


def progress_text(step: Progress) -> str:
    """Progress in a line."""
    return f"{step.label}: {step.done:,} of {step.total:,}" if step.total else step.label


def number_passages(summary: str, passages: Sequence[Passage], *, compared: bool = True) -> ServedResult:
    """Passages with their numbers."""
    values = [found_passage(number, passage, compared=compared) for number, passage in enumerate(passages, 1)]
    return ServedResult(summary, tuple(passages), value=FoundPassages(summary, values))


def in_words(result: ToolResult) -> str:
    """A result as a model reads it: the passages under their numbers, as in the chat."""
    sources = [numbered_passage(Source(number, passage)) for number, passage in enumerate(result.passages, 1)]
    return "\n\n".join([result.text, *sources])
