"""What one search brings in, and the words in which a model is told of it; it fetches nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.documents import Document, Passage
from rag.embedding.base import EmbeddedTexts
from rag.zim.address import is_article, tell_archive
from tools.web.fallback import SearchResult, SearchResults
from tools.web.page_cache import utc_now
from tools.web.ranking import RankedPassages, RankedResult
from utils.errors import ToolError
from utils.network.addresses import host_of
from utils.text import one_line

LISTED = 6
"""Unopened results that are listed: a small model reads some 40 tokens for each."""

TROUBLE_WORDS = {
    "offline": "Nothing can be searched for: Magpie is switched offline (/offline)",
    "throttled": "The search engines turn requests away for now",
    "failed": "The search failed",
    "late": "No search engine answered in time",
    "unreachable": "No search engine can be reached; there seems to be no network connection",
    "resting": "The search engines failed a moment ago and are left alone for a few minutes",
}
LOCAL_WORDS = {
    "offline": "Magpie is switched offline (/offline)",
    "throttled": "the search engines turn requests away for now",
    "failed": "the search engines failed",
    "late": "no search engine answered in time",
    "unreachable": "there seems to be no network connection",
    "resting": "the search engines failed a moment ago",
}
"""Why archives on this machine alone have answered."""
SPEAKING = ("offline", "unreachable")
"""States that the sentence above tells all of."""
ADVICE = "That does not mean that nothing exists: look into the library, or say that the web cannot be searched now."


@dataclass
class Harvest:
    """What one call has found so far."""

    queries: list[str] = field(default_factory=list)
    ranked: list[RankedResult] = field(default_factory=list)
    pages: list[Document] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    opened: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    """Sentences on what went wrong on the way."""
    passages: list[Passage] = field(default_factory=list)
    embedded: dict[str, EmbeddedTexts] = field(default_factory=dict)
    """What was embedded of pages to rank their passages, by the pages' addresses."""

    def add_results(self, ranked: Sequence[RankedResult], chosen: Sequence[SearchResult]) -> None:
        """Take in the results of one search; a result that was there before takes its new place."""
        new = {r.result.url for r in ranked}
        both = [*(r for r in self.ranked if r.result.url not in new), *ranked]
        self.ranked = sorted(both, key=lambda r: -(r.similarity or 0.0))
        self.tried |= {result.url for result in chosen}

    def add_page(self, page: Document, ranked: RankedPassages) -> None:
        """Take in a page that was read."""
        self.pages.append(page)
        self.passages += ranked.best
        if ranked.embedded:
            self.embedded[page.source] = ranked.embedded

    @property
    def unopened_results(self) -> list[SearchResult]:
        """Results that were not read, best first."""
        return [ranked.result for ranked in self.ranked if ranked.result.url not in self.opened]


def snippet_of(result: SearchResult) -> Document:
    """A result that was not opened, as far as it is known."""
    moment = result.date if is_article(result.url) else utc_now().isoformat(timespec="seconds")
    return Document(result.url, result.title, result.snippet, "snippet", fetched=moment)


def told_local(found: SearchResults) -> str:
    """That archives on this machine alone have answered, and why; empty where others could be asked as well."""
    why = found.why_local
    return f"Only archives on this machine were searched: {LOCAL_WORDS[why]}." if why and found.results else ""


def place_of(address: str, moment: str = "") -> str:
    """Where something stands, in a few words: a host, or an archive and of when it is."""
    return tell_archive(address, moment) or host_of(address)


def explain_failure(found: SearchResults) -> ToolError:
    """Why there is no answer, engine by engine."""
    if not found.reports:
        return ToolError("No search engine is configured (search.engines, search.searxng_url).")
    searched = any(report.local and report.state == "empty" for report in found.reports)
    troubles = [r for r in found.reports if r.state not in SPEAKING and not (r.local and r.state == "empty")]
    details = "; ".join(f"{r.engine}: {r.detail or r.state}" for r in troubles)
    local = " The archives on this machine have nothing on it." if searched else ""
    return ToolError(f"{TROUBLE_WORDS[found.state]}{f' ({details})' if details else ''}.{local}", ADVICE)


def found_so_far(harvest: Harvest) -> str:
    """What the model words the next query from: the queries, the best passages, the titles."""
    best = sorted(harvest.passages, key=lambda passage: -passage.similarity)[:3]
    titles = [ranked.result.title for ranked in harvest.ranked[:LISTED]]
    return "\n".join([f"Searched: {'; '.join(harvest.queries)}", *(one_line(p.text, 300) for p in best), *titles])


def list_results(harvest: Harvest) -> str:
    """One line for each page that was read, that could not be read, and that could be opened next."""
    lines = [f"Read: {one_line(page.title, 100)} ({place_of(page.source, page.fetched)})" for page in harvest.pages]
    lines += harvest.failures
    for result in harvest.unopened_results[:LISTED]:
        day = "" if is_article(result.url) else result.date[:10]
        date = f", {tell_archive(result.url, result.date) or day}" if result.date else ""
        lines.append(f"- {one_line(result.title, 80)} ({result.url}{date}): {one_line(result.snippet, 100)}")
    return "\n".join(lines)
