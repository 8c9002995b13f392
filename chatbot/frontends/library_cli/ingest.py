"""`magpie rag ingest`: files, folders and pages go in; what failed is told at the end."""

import asyncio
from contextlib import aclosing
from dataclasses import asdict
from typing import Any

from chatbot.conversation.events import Progress
from chatbot.frontends.library_cli.arguments import names_shape
from chatbot.frontends.library_cli.interruption import INGEST_INTERRUPTED, stop_on_interrupt
from chatbot.frontends.library_cli.job import Job, wrap_text
from chatbot.frontends.library_cli.search import HEADED, short_source
from chatbot.library.ingest import Indexed, Ingest, Summary
from chatbot.library.progress import counted
from rag.chunk_size import ChunkShape, chunk_shape
from rag.documents import Passage
from rag.search.search import SearchOptions
from rag.settings import RagSettings
from utils.errors import ConfigError, DocumentError, Fault, NetworkError
from utils.settings import WrongSetting, read_settings
from utils.text import one_line

BEGINNINGS = 3
"""Chunks of a file whose beginnings `--verbose` shows."""
VERIFIED = 3
"""Passages that `--verify` shows."""


async def ingest(job: Job) -> int:
    """Index what was named; the exit code: 1 where something failed, 130 after Ctrl-C."""
    if names_shape(job.arguments):
        await change_shape(job)
        if not job.arguments.targets:
            return 0
    if job.arguments.depth is not None:
        from chatbot.frontends.library_cli.crawling import crawl

        return await crawl(job)
    # Half of what Magpie is made of; the other commands do not wait for it.
    from chatbot.engine.network import make_fetcher, make_reach

    reach = make_reach(job.config, job.print_aside)
    fetcher = make_fetcher(job.config, job.config.data_folder, reach)
    work = Ingest(job.library, fetcher, fail_fast=job.arguments.fail_fast)
    report = IngestReport(job, work)
    with stop_on_interrupt(work.stop, job, "these documents") as presses:
        try:
            await report.follow_work()
            if work.chunks and not presses:
                job.line.show("bringing the vector index up to date")
                await job.library.catch_up()
        except asyncio.CancelledError:
            # The second Ctrl-C; what was done until then is told all the same.
            if not presses:
                raise
        except (DocumentError, NetworkError, Fault):
            # The first failure, which is in the summary.
            pass
    job.line.clear()
    verified = await verify_ingest(job, report.first) if job.arguments.verify and report.first and not presses else []
    report.advice = "" if presses else await work.language_advice()
    return report.finish_report(verified, interrupted=bool(presses))


async def change_shape(job: Job) -> None:
    """Have the collection cut as was asked for, and tell what is cut anew; in it what was there is cut at once."""
    changed = await job.library.cutting.cut_as(await shape_of(job))
    if not changed.is_change or changed.before is None:
        return
    held = f"{counted(changed.documents, 'document')} ({counted(changed.chunks, 'chunk')})"
    job.print_aside(
        f"{job.config.rag.collection} was cut at {changed.before.describe()} and is cut at"
        f" {changed.now.describe()} from now on: {held} {'is' if changed.documents == 1 else 'are'} cut anew."
    )
    job.line.show("cutting anew")
    try:
        if not await job.library.cutting.finish_cutting():
            job.print_aside("That sends the texts to the embedding server: magpie rag rebuild does it.")
    finally:
        job.line.clear()


async def shape_of(job: Job) -> ChunkShape:
    """How the collection is to be cut: what was asked for, the rest as before; raises `ConfigError`."""
    kept = {collection.name: collection.shape for collection in await job.library.list_collections()}
    base = kept.get(job.config.rag.collection) or job.config.rag.chunk_shape
    size, overlap, unit = job.arguments.chunk_size, job.arguments.chunk_overlap, job.arguments.chunk_unit or base.unit
    if unit != base.unit:
        # A length in the one unit is none in the other.
        base = chunk_shape(size or job.config.rag.chunk_size, None, unit)
    size = base.size if size is None else size
    if overlap is None:
        # Who wants small chunks only need not know of the overlap.
        overlap = base.overlap if base.overlap < size else size // 5
    try:
        shape = {"chunk_size": size, "chunk_overlap": overlap, "chunk_unit": unit}
        return read_settings(RagSettings, shape).chunk_shape
    except WrongSetting as error:
        option = error.name.replace("_", "-")
        raise ConfigError(f"--{option} cannot be {error.value}: {error.reason}.", "Choose another.") from error


class IngestReport:
    """What is told of the work while it goes on, and at its end."""

    def __init__(self, job: Job, work: Ingest) -> None:
        self.first: Indexed | None = None
        self.advice = ""
        """What to change so that all of it can be found."""
        self._job = job
        self._work = work
        self._indexed: list[dict[str, Any]] = []

    async def follow_work(self) -> None:
        """Carry the work out, and tell how far it is."""
        async with aclosing(self._work.run(self._job.arguments.targets)) as steps:
            async for step in steps:
                if isinstance(step, Progress):
                    self._job.line.show(self._progress_text(step))
                else:
                    self.first = self.first or step
                    await self._tell_file(step)

    def _progress_text(self, step: Progress) -> str:
        work = self._work
        files = f"{step.done:,} of {step.total:,} files, " if work.files > 1 else ""
        rate = work.chunks / max(work.summary.seconds, 0.1)
        return f"{files}{counted(work.chunks, 'chunk')}, {rate:,.0f} chunks/s - {step.label}"

    async def _tell_file(self, step: Indexed) -> None:
        """With `--verbose`: a line a file, and below it where its first chunks begin."""
        if not self._job.arguments.verbose:
            return
        chunks = await self._job.library.first_chunks(step.first.source, BEGINNINGS)
        begins = [{"start": chunk.start, "text": one_line(chunk.text, 60)} for chunk in chunks]
        if self._job.as_json:
            numbers = {"documents": step.documents, "chunks": step.chunks}
            self._indexed.append({"file": step.name, **numbers, "begins": begins})
            return
        self._job.print_text(
            f"{short_source(step.name)}: {counted(step.documents, 'document')}, {counted(step.chunks, 'chunk')}\n"
            + "\n".join(f"{begin['start']:>8}  {one_line(str(begin['text']), 48)}" for begin in begins)
        )
        self._job.out.flush()

    def finish_report(self, verified: list[Passage], *, interrupted: bool) -> int:
        """Tell what it came to; the exit code."""
        summary = self._work.summary
        if self._job.as_json:
            self._finish_json(summary, verified, interrupted)
        else:
            self._finish_text(summary, verified, interrupted)
        if interrupted:
            return INGEST_INTERRUPTED
        return 1 if summary.failures or not summary.files else 0

    def _finish_json(self, summary: Summary, verified: list[Passage], interrupted: bool) -> None:
        fields = asdict(summary) | {"seconds": round(summary.seconds, 3), "failed": len(summary.failures)}
        del fields["started"]
        fields["failures"] = [{"file": name, "reason": reason} for name, reason in summary.failures]
        fields["warnings"] = [self.advice] if self.advice else []
        fields["interrupted"] = interrupted
        if self._job.arguments.verbose:
            fields["indexed"] = self._indexed
        if self._job.arguments.verify:
            fields["verify"] = [{"source": p.source, "similarity": p.similarity, "title": p.title} for p in verified]
        self._job.print_json(fields)

    def _finish_text(self, summary: Summary, verified: list[Passage], interrupted: bool) -> None:
        job = self._job
        if self.first and verified:
            job.print_text(f"The first chunk of {short_source(self.first.name)} finds:")
            job.print_text(
                "\n".join(
                    f"{p.similarity:>8.2f}  {one_line(p.headed_title, HEADED)}, {short_source(p.source)}"
                    for p in verified
                )
            )
        if summary.failures:
            job.out.flush()
            job.print_aside("Not indexed:")
            for name, reason in summary.failures:
                job.print_aside(f"  {short_source(name)}\n{wrap_text(one_line(reason, 500), 4)}")
        if not (summary.files or summary.failures or interrupted):
            job.print_aside(f"There are no files in {', '.join(job.arguments.targets)}.")
        else:
            job.print_text(("Stopped. " if interrupted else "") + summary_line(summary))
        if self.advice:
            job.out.flush()
            job.print_aside(wrap_text(self.advice, 0))


def summary_line(summary: Summary) -> str:
    """What indexing came to, in a line."""
    parts = [counted(summary.files, "file"), counted(summary.documents, "document"), counted(summary.chunks, "chunk")]
    parts += [f"{summary.unchanged:,} unchanged"] if summary.unchanged else []
    parts += [f"{summary.gone:,} no longer there"] if summary.gone else []
    parts += [f"{len(summary.failures):,} failed"] if summary.failures else []
    return f"Indexed {', '.join(parts)} ({summary.seconds:.1f} s)."


async def verify_ingest(job: Job, first: Indexed) -> list[Passage]:
    """What a search for the first chunk that was indexed finds."""
    chunks = await job.library.first_chunks(first.first.source, 1)
    if not chunks:
        return []
    return await job.library.search(chunks[0].text, VERIFIED, SearchOptions(relevant_only=False))
