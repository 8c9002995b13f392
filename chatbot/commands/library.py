"""The commands on the library: index, search, status, rebuild, remove."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.events import Event, Listing, Notice, Progress
from utils.errors import ConfigError, DocumentError, NetworkError
from utils.text import one_line

if TYPE_CHECKING:
    from chatbot.app import App
    from rag.documents import Document
    from rag.library import Library

Report = Callable[[int, int], None]

_EXCERPT = 160
_INDEX = {
    "ready": "Chroma, open here",
    "building": "Chroma, being made; exact search answers meanwhile",
    "elsewhere": "Chroma, open in another Magpie; exact search answers here",
    "not open": "Chroma, not needed yet",
}


@dataclass
class Summary:
    """What indexing came to."""

    documents: int = 0
    chunks: int = 0
    unchanged: int = 0
    failures: list[tuple[str, str]] = field(default_factory=list)
    """What could not be indexed, and why."""
    started: float = field(default_factory=time.monotonic)

    def __str__(self) -> str:
        parts = [f"Indexed {counted(self.documents, 'document')}, {counted(self.chunks, 'chunk')}"]
        parts += [f"{self.unchanged:,} unchanged"] if self.unchanged else []
        parts += [f"{len(self.failures):,} not indexed"] if self.failures else []
        return f"{'; '.join(parts)} ({time.monotonic() - self.started:.1f} s)."


class Tracked:
    """Work that reports how far it is, as a stream of progress; `result` once the stream has ended."""

    def __init__(self, label: str, work: Callable[[Report], Awaitable[int]]) -> None:
        self._label = label
        self._work = work
        self.result = 0

    async def progress(self) -> AsyncGenerator[Progress, None]:
        """Carry the work out; closing the stream cancels it. Raises what the work raises."""
        steps: asyncio.Queue[Progress | None] = asyncio.Queue()
        task = asyncio.ensure_future(
            self._work(lambda done, total: steps.put_nowait(Progress(self._label, done, total)))
        )
        task.add_done_callback(lambda _: steps.put_nowait(None))
        try:
            while step := await steps.get():
                yield step
            self.result = await task
        finally:
            task.cancel()


@command(argument="<file, folder or URL>", aliases=("index",))
async def rag_index(app: "App", argument: str) -> AsyncIterator[Event]:
    """Add a file, the files of a folder, or a web page to the library."""
    library, target = opened(app), unquoted(argument)
    if not target:
        yield Notice("Write what to index after the command: /rag-index <file, folder or URL>", "error")
        return
    names = [target] if is_url(target) else await files_of(target)
    summary = Summary()
    for number, name in enumerate(names):
        async for step in index(app, library, name, summary):
            yield step if len(names) == 1 else within(step, number, len(names))
    if len(names) != 1:
        yield Progress(one_line(target, 60), len(names), len(names))
    if summary.failures and len(names) > 1:
        yield Listing("Not indexed", ("file", "reason"), tuple(summary.failures))
    if summary.failures and len(names) == 1:
        yield Notice(summary.failures[0][1], "error")
    else:
        yield Notice(str(summary) if names else f"There are no files in {target}.", "info" if names else "warning")


async def index(app: "App", library: "Library", name: str, summary: Summary) -> AsyncIterator[Progress]:
    """Read and add a file or page; what cannot be read goes into the summary. Raises `LibraryError`."""
    label = one_line(name, 60) if is_url(name) else Path(name).name
    yield Progress(label, 0, 0)
    before = summary.documents + summary.unchanged
    try:
        async with aclosing(loaded(app, name)) as documents:
            async for document in documents:
                # Of a file with many documents their number is told, not what becomes of each.
                done = summary.documents + summary.unchanged - before
                several = f"{label}: {counted(done, 'document')}" if done else label
                async for step in add(library, document, several, summary):
                    yield step
    except (DocumentError, NetworkError) as error:
        summary.failures.append((name, str(error)))


async def add(library: "Library", document: "Document", label: str, summary: Summary) -> AsyncIterator[Progress]:
    """Add one document and count it; raises `LibraryError`."""
    work = Tracked(label, lambda report: library.add(document, report))
    async for step in work.progress():
        yield step
    summary.chunks += work.result
    summary.documents += work.result > 0
    summary.unchanged += work.result == 0


def within(step: Progress, number: int, count: int) -> Progress:
    """Progress in one of several files, as progress over all of them."""
    chunks = f": {step.done:,} of {step.total:,} chunks" if step.total else ""
    return Progress(step.label + chunks, number, count)


@command(argument="<query>", aliases=("search",))
async def rag_search(app: "App", argument: str) -> AsyncIterator[Event]:
    """Search the library and show the passages found."""
    library = opened(app)
    if not argument:
        yield Notice("Write what to look for after the command: /rag-search <query>", "error")
        return
    passages = await library.search(argument)
    if not passages:
        empty = await library.empty()
        yield Notice("The library is empty; /rag-index fills it." if empty else "Nothing in the library is near that.")
        return
    rows = tuple((f"{p.similarity:.2f}", one_line(p.title, 60), one_line(p.text, _EXCERPT), p.source) for p in passages)
    yield Listing("Passages", ("similarity", "title", "text", "source"), rows)


@command(aliases=("stats",))
async def rag_status(app: "App", _: str) -> AsyncIterator[Event]:
    """Show what the library holds and where it lies."""
    stats = await opened(app).stats()
    words = {"file": "files", "web": "web pages", "snippet": "search results"}
    rows = [("documents", f"{stats.documents:,}"), ("chunks", f"{stats.chunks:,}")]
    rows += [
        (words[origin], f"{counted(documents, 'document')}, {counted(chunks, 'chunk')}")
        for origin, (documents, chunks) in stats.origins.items()
    ]
    rows += [
        ("size", f"{stats.bytes_on_disk / 1e6:,.1f} MB"),
        ("embedding model", stats.embedding_model),
        ("vector index", _INDEX[stats.index]),
        ("folder", str(stats.folder)),
    ]
    yield Listing("Library", ("", ""), tuple(rows))


@command()
async def rag_rebuild(app: "App", _: str) -> AsyncIterator[Event]:
    """Make the vector index anew from what the library holds."""
    label, started = "Rebuilding the vector index", time.monotonic()
    yield Progress(label, 0, 0)
    work = Tracked(label, opened(app).rebuild)
    async for step in work.progress():
        yield replace(step, done=min(step.done, step.total))
    yield Notice(f"Rebuilt the vector index: {counted(work.result, 'chunk')} ({time.monotonic() - started:.1f} s).")


@command(argument="<file, folder, URL or title>")
async def rag_remove(app: "App", argument: str) -> AsyncIterator[Event]:
    """Remove a document, or all of a folder or web site, from the library."""
    library, target = opened(app), unquoted(argument)
    if not target:
        yield Notice("Write what to remove after the command: /rag-remove <file, folder, URL or title>", "error")
        return
    removed = await library.remove(target)
    if not removed and not is_url(target):
        removed = await library.remove(await path_of(target))
    if removed:
        yield Notice(f"Removed {counted(removed, 'document')}.")
    else:
        yield Notice(f"Nothing in the library is called {one_line(target, 100)}.", "warning")


def opened(app: "App") -> "Library":
    """The library; raises `ConfigError` where it is switched off."""
    if app.parts.library is None:
        raise ConfigError("The library is switched off.", "Set rag.enabled to true and start again.")
    return app.parts.library


async def loaded(app: "App", name: str) -> AsyncGenerator["Document", None]:
    """The page, or the documents in the file; raises what says why it cannot be read or reached."""
    if is_url(name):
        yield await app.parts.fetcher.fetch(name)
        return
    from rag.readers import read_documents

    async with aclosing(read_documents(Path(name))) as documents:
        async for document in documents:
            yield document


async def files_of(target: str) -> list[str]:
    """The files that a path names."""
    from rag.folders import find_files

    return [str(path) for path in await find_files(Path(target))]


async def path_of(target: str) -> str:
    """The path as the library knows it."""
    from rag.folders import absolute

    return str(await asyncio.to_thread(absolute, Path(target)))


def is_url(target: str) -> bool:
    """Whether it is meant as the address of a web page."""
    return target.lower().startswith(("http://", "https://"))


def unquoted(argument: str) -> str:
    """A path as it is typed: quotes around it and backslashes before spaces belong to the shell."""
    text = argument.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text.replace("\\ ", " ")


def counted(number: int, noun: str) -> str:
    """A number with its noun, for instance `1 chunk` or `2,000 chunks`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
