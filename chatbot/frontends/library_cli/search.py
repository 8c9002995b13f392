"""`magpie rag search`: passages for one question, to be read, or for a file of questions, to be measured."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from chatbot.conversation.sources import describe_nearness
from chatbot.frontends.library_cli.arguments import named_collections
from chatbot.frontends.library_cli.job import Job, wrap_text
from chatbot.frontends.links import shown_source
from rag.documents import Passage
from rag.folders import absolute_path
from rag.search.filters import parse_filters
from rag.search.search import SearchOptions
from rag.stored import Filters
from utils.errors import ConfigError, FileUnreadable
from utils.files import parse_json, read_text
from utils.text import one_line, well_formed

LARGEST_QUERIES = 500_000_000
"""Bytes of a file of questions; collections have a million of them."""
EXCERPT_CHARS = 200
"""Characters of a passage that are shown."""
HEADED = 300
"""Characters of its title and headings."""
INDENT = 10
"""Of what stands below a result's first line: as wide as rank and similarity."""


async def search(job: Job) -> int:
    """Print what is found; the exit code, 0 also where that is nothing."""
    arguments = job.arguments
    query = well_formed(" ".join(arguments.query))
    if bool(query.strip()) == bool(arguments.queries):
        raise ConfigError("There must be one question or one file of them.", "Write a question, or --queries FILE.")
    if arguments.queries:
        return await measure_queries(job, read_queries(arguments.queries))
    passages = await job.library.search(query, arguments.limit or 0, options_of(job))
    if job.as_json:
        for passage in passages:
            job.print_json(fields_of(passage, by_words(job)))
        return 0
    results = [format_result(rank, p, describe_nearness(p, by_words(job))) for rank, p in enumerate(passages, 1)]
    job.print_text("\n\n".join(results) or "Nothing relevant found.")
    return 0


async def measure_queries(job: Job, queries: Sequence[tuple[Any, str]]) -> int:
    """Print what every question finds, best first, and also what is far from it: whoever measures wants a ranking."""
    found = job.library.search_all([text for _, text in queries], job.arguments.limit or 0, options_of(job))
    numbers = iter(queries)
    async for passages in found:
        key, _ = next(numbers)
        job.print_json({"query_id": key, "results": [fields_of(passage, by_words(job)) for passage in passages]})
    return 0


def by_words(job: Job) -> bool:
    """Whether meaning plays no part: then nothing is known of similarity, and the score is shown in its place."""
    return (job.arguments.mode or job.config.rag.search_mode) == "bm25"


def options_of(job: Job) -> SearchOptions:
    """How the search is made; in a file's results a document stands once unless told otherwise.

    Raises `ConfigError`.
    """
    arguments = job.arguments
    if arguments.min_similarity is not None and by_words(job):
        raise ConfigError("--min-similarity says nothing in a search by words.", "Leave it out, or use --mode vector.")
    many = arguments.queries is not None
    return SearchOptions(
        mode=arguments.mode,
        min_similarity=arguments.min_similarity,
        filters=parse_filters(
            arguments.filter,
            Filters(sources=tuple(map(expand_source, arguments.source)), tags=tuple(arguments.tag)),
        ),
        collections=named_collections(arguments),
        relevant_only=not many,
        per_document=arguments.per_document or (1 if many else None),
    )


def expand_source(source: str) -> str:
    """A path that begins at the home or at the working folder in full; the library knows files by their whole path."""
    return (
        str(absolute_path(Path(source))) if source.startswith(("./", "../", "~/")) or source in {".", ".."} else source
    )


def read_queries(path: Path) -> list[tuple[Any, str]]:
    """The `_id` and `text` of every record; raises `ConfigError`."""
    try:
        # Not splitlines: a text in JSON may hold separators of lines and paragraphs.
        lines = read_text(path, LARGEST_QUERIES, encoding="utf-8-sig").split("\n")
    except FileUnreadable as error:
        raise ConfigError(error.problem, "Name a file of JSON lines.") from error
    found: list[tuple[Any, str]] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
            found.append((record["_id"], str(record["text"])))
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(
                f"Line {number} of {path} is no question.", 'Write each as {"_id": "1", "text": "..."}.'
            ) from error
    return found


def fields_of(passage: Passage, by_words: bool) -> dict[str, Any]:
    """A result for programs."""
    return {
        "source": passage.source,
        "score": round(passage.score, 6),
        "text": passage.text,
        "title": passage.title,
        "similarity": None if by_words else round(passage.similarity, 6),
        "heading": list(passage.heading),
        "chunk_index": passage.chunk_index,
        "collection": passage.collection,
        "start": passage.start,
        "end": passage.end,
    }


def format_result(rank: int, passage: Passage, near: str) -> str:
    """A result for people: where it stands, where it is from, and how it begins."""
    head = f"{rank:>2}  {near:>5} "
    lines = [
        head + wrap_text(one_line(passage.headed_title, HEADED), INDENT).lstrip(),
        wrap_text(short_source(passage.source), INDENT),
        wrap_text(one_line(passage.text, EXCERPT_CHARS), INDENT),
    ]
    return "\n".join(line for line in lines if line.strip())


def short_source(source: str) -> str:
    """A source, the path of a file as seen from the working folder where it is in it."""
    here = f"{Path.cwd()}/"
    return shown_source(source.removeprefix(here))
