"""`magpie rag watch`: the library follows folders until Ctrl-C."""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from chatbot.conversation.events import Notice, Progress
from chatbot.frontends.ending import handling_signals
from chatbot.frontends.library_cli.job import Job, wrap_text
from chatbot.frontends.library_cli.search import short_source
from chatbot.library.progress import counted
from chatbot.library.watch import Followed, LibraryWatch
from utils.text import one_line

FILES_NAMED = 3
"""Files that are named; of more their number is told."""


async def watch(job: Job) -> int:
    """Follow the folders until Ctrl-C or SIGTERM; the exit code, 0 then."""
    # Half of what Magpie is made of; the other commands do not wait for it.
    from chatbot.engine.network import make_fetcher, make_reach

    fetcher = make_fetcher(job.config, job.config.data_folder, make_reach(job.config, job.print_aside))
    report = WatchReport(job)
    watching = LibraryWatch(job.library, fetcher, report.show)
    try:
        with ended_by_signal() as ended:
            for folder in dict.fromkeys(job.arguments.folders):
                await watching.begin(folder)
            report.tell_begun(watching)
            await asyncio.wait(
                {ended, asyncio.ensure_future(watching.wait_ended())}, return_when=asyncio.FIRST_COMPLETED
            )
    finally:
        await watching.close()
        job.line.clear()
    report.tell_ended()
    return 0 if ended.done() else 1


@contextmanager
def ended_by_signal() -> Iterator[asyncio.Future[None]]:
    """Done once the user or the system wants the command to end."""
    ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def end() -> None:
        if not ended.done():
            ended.set_result(None)

    with handling_signals(end, signal.SIGINT, signal.SIGTERM):
        yield ended


class WatchReport:
    """What is told of the work: a line each time that something changed."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._read = self._removed = 0

    def show(self, news: Followed | Notice | Progress) -> None:
        """Print it."""
        if isinstance(news, Progress):
            if news.done < news.total:
                self._job.line.show(f"{news.label}: {news.done:,} of {news.total:,} files")
            return
        if isinstance(news, Notice):
            self._job.print_aside(wrap_text(news.text, 0))
        else:
            self._tell_followed(news)

    def tell_begun(self, watching: LibraryWatch) -> None:
        """Say what is watched."""
        names = ", ".join(short_source(str(one.folder)) for one in watching.folders)
        self._job.print_aside(f"Watching {names}; Ctrl-C ends it.")

    def tell_ended(self) -> None:
        """Say what it came to."""
        files = f"{counted(self._read, 'file')} read, {self._removed:,} removed"
        self._job.print_aside(f"No longer watching: {files}. The next start goes on from here.")

    def _tell_followed(self, news: Followed) -> None:
        self._read += len(news.new) + len(news.changed)
        self._removed += len(news.removed)
        if self._job.as_json:
            lists = {"new": news.new, "changed": news.changed, "removed": news.removed}
            failures = [{"file": name, "reason": reason} for name, reason in news.failures]
            fields = {"folder": str(news.folder), **lists, "failures": failures, "seconds": round(news.seconds, 3)}
            self._job.print_json(fields)
        elif str(news):
            files = [*news.new, *news.changed, *news.removed]
            named = f": {', '.join(map(short_source, files))}" if 0 < len(files) <= FILES_NAMED else ""
            self._job.print_text(f"{datetime.now():%H:%M:%S}  {news}{named} ({news.seconds:.1f} s)")
        self._job.out.flush()
        for name, reason in news.failures:
            self._job.print_aside(f"Not readable: {short_source(name)}\n{wrap_text(one_line(reason, 500), 4)}")
