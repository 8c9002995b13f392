"""What is known of a site from one run to the next, and how far a run is: a file of its own for each crawl.

Each page is written down with all that came of it in one transaction: a process that is killed loses none, and the
next one goes on. `task` is what the library has still to do about a page.
"""

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec
from filelock import FileLock, Timeout

from rag.documents import Document
from tools.web.crawling.outcomes import PageOutcome
from utils.errors import LibraryError
from utils.paths import private_dir
from utils.sqlite import Database, FileForm

Task = Literal["", "add", "touch", "mark", "remove"]
"""Keep the document; note that it was met again; note that its page is gone; remove it."""

CRAWL_SCHEMA = """
CREATE TABLE crawl (run INTEGER NOT NULL, finished INTEGER NOT NULL, mapped INTEGER NOT NULL, checked INTEGER NOT NULL);
INSERT INTO crawl VALUES (0, 1, 0, 0);
CREATE TABLE pages (
    address TEXT PRIMARY KEY,
    run INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    hops INTEGER NOT NULL,
    place INTEGER NOT NULL,
    listed INTEGER NOT NULL,
    unlinked INTEGER NOT NULL DEFAULT 0,
    outcome TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    etag TEXT NOT NULL DEFAULT '',
    modified TEXT NOT NULL DEFAULT '',
    links TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT '',
    kept INTEGER NOT NULL DEFAULT 0,
    task TEXT NOT NULL DEFAULT '',
    document TEXT
) WITHOUT ROWID;
CREATE INDEX waiting ON pages (run, outcome, depth, place);
CREATE INDEX tasks ON pages (task) WHERE task != '';
CREATE INDEX digests ON pages (digest) WHERE digest != '';
"""
CRAWL_FORM = FileForm(
    "crawl",
    (CRAWL_SCHEMA,),
    LibraryError,
    LibraryError,
    "Remove it: the site is then gone over as if for the first time.",
)
_ADD_LINK = """
INSERT INTO pages (address, run, depth, hops, place, listed, outcome) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (address) DO UPDATE SET
    run = excluded.run, depth = excluded.depth, hops = excluded.hops, place = excluded.place,
    listed = excluded.listed, outcome = excluded.outcome, unlinked = 0, reason = '',
    task = iif(excluded.outcome = 'robots' AND kept = 1, 'mark', task)
WHERE run < excluded.run OR (outcome = '' AND excluded.outcome = '' AND depth > excluded.depth)
"""
_NOT_ADMITTED = (PageOutcome.ROBOTS, PageOutcome.TRAP, PageOutcome.OUTSIDE, PageOutcome.ELSEWHERE)
"""Of addresses that are not counted among those of one shape."""
_KEPT_AFTER = {"add": 1, "touch": 1, "mark": 2, "remove": 0}
"""Whether a document is in the library after a task, and with a mark (2) that its page is gone."""


@dataclass(frozen=True)
class FoundLink:
    """An address that was met, and what is to become of it."""

    address: str
    depth: int
    outcome: PageOutcome = PageOutcome.WAITING
    hops: int = 0
    """Redirects that led to it."""
    listed: bool = False
    """Whether a map of the site names it."""


@dataclass(frozen=True)
class KnownPage:
    """An address that is to be asked for, and what is known of it from earlier runs."""

    address: str
    depth: int
    hops: int
    etag: str
    modified: str
    links: tuple[str, ...]
    digest: str
    kept: bool
    """Whether its document is in the library, and no mark on it that it is gone."""
    unlinked: bool
    """Whether it was met in earlier runs alone."""


@dataclass(frozen=True)
class PageRecord:
    """What came of asking for an address."""

    address: str
    outcome: PageOutcome
    reason: str = ""
    etag: str = ""
    modified: str = ""
    links: tuple[str, ...] = ()
    digest: str = ""
    task: Task = ""
    document: Document | None = None


def known_record(page: KnownPage, outcome: PageOutcome, reason: str = "", task: Task = "") -> PageRecord:
    """What came of asking for an address, of whose page nothing new is known."""
    return PageRecord(page.address, outcome, reason, page.etag, page.modified, page.links, page.digest, task)


class CrawlStore:
    """The file of one crawl, open for this process alone; its methods block."""

    def __init__(self, folder: Path, name: str) -> None:
        stem = hashlib.sha256(name.encode()).hexdigest()[:32]
        self._lock = FileLock(private_dir(folder) / f"{stem}.lock", thread_local=False, mode=0o600)
        try:
            self._lock.acquire(timeout=0)
        except Timeout as error:
            raise LibraryError("Another Magpie is taking in this site.", "Wait until it is done.") from error
        try:
            self._database = Database(folder / f"{stem}.db", CRAWL_FORM)
            with self._database.reading() as db:
                self.run, finished, mapped, checked = db.execute("SELECT * FROM crawl").fetchone()
        except BaseException:
            self._lock.release()
            raise
        self.unfinished = not finished
        """Whether the last run was broken off."""
        self.mapped, self.checked = bool(mapped), bool(checked)

    def begin_run(self, start: str) -> None:
        """Go on with the run that was broken off, or begin another one at an address."""
        with self._database.writing() as db:
            if self.unfinished:
                # What failed is tried again.
                query = "UPDATE pages SET outcome = '' WHERE run = ? AND outcome = ?"
                db.execute(query, (self.run, PageOutcome.FAILED))
                return
            self.run += 1
            self.unfinished, self.mapped, self.checked = True, False, False
            db.execute("UPDATE crawl SET run = ?, finished = 0, mapped = 0, checked = 0", (self.run,))
            self._add_links(db, [FoundLink(start, 0)])

    def unmet(self, addresses: Sequence[str]) -> list[str]:
        """Those of the addresses that this run has not met yet, each once."""
        query = "SELECT 1 FROM pages WHERE address = ? AND run = ?"
        with self._database.reading() as db:
            return [a for a in dict.fromkeys(addresses) if db.execute(query, (a, self.run)).fetchone() is None]

    def tried_addresses(self) -> list[str]:
        """Those that this run asked for or is going to, but for those that a map names."""
        query = "SELECT address FROM pages WHERE run = ? AND NOT listed AND outcome NOT IN (?, ?, ?, ?)"
        with self._database.reading() as db:
            return [address for (address,) in db.execute(query, (self.run, *_NOT_ADMITTED))]

    def add_map(self, links: Iterable[FoundLink]) -> None:
        """Take in what the maps of the site list."""
        with self._database.writing() as db:
            self._add_links(db, links)
            db.execute("UPDATE crawl SET mapped = 1")
        self.mapped = True

    def add_unlinked(self, depth: int) -> None:
        """Have pages of earlier runs asked for, up to this depth then, to which nothing leads any more."""
        query = "UPDATE pages SET run = ?1, outcome = '', unlinked = 1 WHERE run < ?1 AND kept = 1 AND depth <= ?2"
        with self._database.writing() as db:
            db.execute(query, (self.run, depth))
            db.execute("UPDATE crawl SET checked = 1")
        self.checked = True

    def next_page(self, depth: int) -> KnownPage | None:
        """What is to be asked for next, of at most this depth."""
        query = (
            "SELECT address, depth, hops, etag, modified, links, digest, kept = 1, unlinked FROM pages"
            " WHERE run = ? AND outcome = '' AND depth <= ? ORDER BY depth, place LIMIT 1"
        )
        with self._database.reading() as db:
            row = db.execute(query, (self.run, depth)).fetchone()
        if row is None:
            return None
        address, deep, hops, etag, modified, links, digest, kept, unlinked = row
        return KnownPage(address, deep, hops, etag, modified, tuple(links.split()), digest, bool(kept), bool(unlinked))

    def ask_again(self, renamed_to: str) -> None:
        """Have pages asked for again that said that their address is this one, which turned out to have no page."""
        query = "UPDATE pages SET outcome = '' WHERE run = ? AND outcome = ? AND reason = ?"
        with self._database.writing() as db:
            db.execute(query, (self.run, PageOutcome.RENAMED, renamed_to))

    def outcome_of(self, address: str) -> PageOutcome | None:
        """What became of an address in this run; None where it was not met."""
        with self._database.reading() as db:
            row = db.execute("SELECT outcome FROM pages WHERE address = ? AND run = ?", (address, self.run)).fetchone()
        return PageOutcome(row[0]) if row else None

    def holder_of(self, digest: str, other_than: str) -> str:
        """The address of a page with this text that this run took in; empty where there is none."""
        query = "SELECT address FROM pages WHERE digest = ? AND run = ? AND outcome = ? AND address != ? LIMIT 1"
        with self._database.reading() as db:
            row = db.execute(query, (digest, self.run, PageOutcome.TAKEN, other_than)).fetchone()
        return str(row[0]) if row else ""

    def record(self, page: PageRecord, links: Iterable[FoundLink] = ()) -> None:
        """Write down what came of asking for an address, and the addresses that it led to."""
        document = None if page.document is None else msgspec.json.encode(page.document).decode()
        with self._database.writing() as db:
            db.execute(
                "UPDATE pages SET outcome = ?, reason = ?, etag = ?, modified = ?, links = ?, digest = ?, task = ?,"
                " document = ? WHERE address = ?",
                (
                    *(page.outcome, page.reason, page.etag, page.modified, "\n".join(page.links), page.digest),
                    *(page.task, document, page.address),
                ),
            )
            self._add_links(db, links)

    def _add_links(self, db: sqlite3.Connection, links: Iterable[FoundLink]) -> None:
        [place] = db.execute("SELECT coalesce(max(place), 0) FROM pages").fetchone()
        rows = enumerate(links, place + 1)
        db.executemany(
            _ADD_LINK,
            [(one.address, self.run, one.depth, one.hops, at, one.listed, one.outcome) for at, one in rows],
        )

    def tasks(self, limit: int) -> list[tuple[str, Task, Document | None]]:
        """What the library has still to do: addresses, what about them, and the documents that are to be kept."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT address, task, document FROM pages WHERE task != '' ORDER BY task, place LIMIT ?", (limit,)
            ).fetchall()
        return [
            (address, task, None if document is None else msgspec.json.decode(document, type=Document))
            for address, task, document in rows
        ]

    def finish_tasks(self, done: Iterable[tuple[str, Task]]) -> None:
        """Note that the library has done what was to be done about addresses."""
        rows = [(_KEPT_AFTER[task], address) for address, task in done]
        with self._database.writing() as db:
            db.executemany("UPDATE pages SET task = '', document = NULL, kept = ? WHERE address = ?", rows)

    def count_outcomes(self) -> dict[PageOutcome, int]:
        """How many addresses came to what in this run."""
        query = "SELECT outcome, count(*) FROM pages WHERE run = ? GROUP BY outcome"
        with self._database.reading() as db:
            return {PageOutcome(outcome): count for outcome, count in db.execute(query, (self.run,))}

    def count_waiting(self, depth: int) -> int:
        """How many addresses of at most this depth are to be asked for."""
        query = "SELECT count(*) FROM pages WHERE run = ? AND outcome = '' AND depth <= ?"
        with self._database.reading() as db:
            return int(db.execute(query, (self.run, depth)).fetchone()[0])

    def list_outcome(self, outcome: PageOutcome, limit: int) -> list[tuple[str, str]]:
        """Addresses that came to this in this run, with the reason."""
        query = "SELECT address, reason FROM pages WHERE run = ? AND outcome = ? ORDER BY place LIMIT ?"
        with self._database.reading() as db:
            return [(address, reason) for address, reason in db.execute(query, (self.run, outcome, limit))]

    def finish_run(self) -> None:
        """Note that this run came to its end: the next one begins anew."""
        with self._database.writing() as db:
            db.execute("UPDATE crawl SET finished = 1")
        self.unfinished = False

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()
        self._lock.release()
