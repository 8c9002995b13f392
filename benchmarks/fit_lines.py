"""Fits what tells which sentence of some pages answers a question: on questions about pages, and on talks in the format
of `../shared/talks`.

Each question that one page answers is asked of that page and of the two that are likest to it. The weights that are
told were fitted on all of them; how often the right sentence comes first is told of those that a fit had not seen.
"""

import argparse
import asyncio
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pairs import fit_pairs
from benchmarks.router_data import read_lines
from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.choosing.lines import (
    COMPARED,
    FEATURES,
    FOREIGN_LINE_WEIGHTS,
    LINE_WEIGHTS,
    PassageQuery,
    likeness_of,
    line_features,
    nearest_lines,
)
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from rag.chunk_size import ChunkShape
from rag.chunking import split_text
from rag.documents import Passage
from rag.embedding.sentence_model import SentenceEmbedder
from rag.readers.html import read_html
from utils.languages.message_parts import without_aside
from utils.languages.reasons import without_reason

PAGES = Path(__file__).with_name("page_questions.jsonl")
"""Each a page with questions that it answers (`asked`, with what stands in the sentence), and others (`unsaid`)."""
PAGE_GROUP = "page "
"""How the group of a question about one of them begins."""
OTHER_PAGES = 2
"""Pages beside the one that answers."""
BEGINNING = 600
"""Characters of a page by which it is compared with a question."""
RIGHT, WRONG = 3, 12
"""Sentences of a question that answer and that do not, at most, of which pairs are made."""
PARTS = 6
"""Of the talks, in turn left out of a fit."""
STRENGTH = 0.3
"""Inverse of the regularization."""
_SPACES = re.compile("[\u00a0\u202f\u2009]")


@dataclass(frozen=True)
class PageQuestion:
    """A question that one page answers."""

    group: str
    """What is left out of a fit together."""
    question: str
    page: str
    holds: tuple[re.Pattern[str], ...]
    """All stand in the sentence that answers, without its marks for bold."""


@dataclass(frozen=True)
class Asked:
    """A question with the features of the sentences that may answer it, and which of them do."""

    group: str
    known: bool
    """Whether the embedding model was made for its language."""
    features: NDArray[np.float64]
    answers: NDArray[np.bool_]


def main() -> None:
    """Print how often the right sentence comes first, and the weights, for either kind of languages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("talks", type=Path, nargs="*", help="folders with conversations.jsonl and web/")
    parser.add_argument("--pages", type=Path, default=PAGES, help="JSON lines")
    given = parser.parse_args()
    asyncio.run(fit_all(given.pages, [folder for folder in given.talks if (folder / "web").is_dir()]))


async def fit_all(file: Path, folders: Sequence[Path]) -> None:
    """Both fits."""
    finder = EvidenceFinder(SentenceEmbedder())
    told = read_lines(file)
    pages = {f"/{number}": split_page(row["page"], f"/{number}") for number, row in enumerate(told)}
    asked = [one async for one in observe(finder, pages, questions_of(told))]
    for folder in folders:
        asked += [one async for one in observe(finder, dict(read_pages(folder)), asked_in_talks(folder))]
    for known, shipped in ((True, LINE_WEIGHTS), (False, FOREIGN_LINE_WEIGHTS)):
        rows = [one for one in asked if one.known is known and one.answers.any()]
        print(f"{len(rows)} questions in {'languages that vectors know' if known else 'others'}")
        show_fit(rows, np.array(shipped))


def show_fit(rows: Sequence[Asked], shipped: NDArray[np.float64]) -> None:
    """What the score, the shipped weights and those of a fit put first, of questions about pages and of talks."""
    unseen, groups = dict[int, NDArray[np.float64]](), np.array(sorted({row.group for row in rows}))
    for part in map(set, np.array_split(groups, PARTS)):
        weights = fit_weights([row for row in rows if row.group not in part])
        unseen |= {id(row): row.features @ weights for row in rows if row.group in part}
    for name, of_pages in (("pages", True), ("talks", False)):
        if some := [row for row in rows if row.group.startswith(PAGE_GROUP) is of_pages]:
            show(f"{name}, by score alone", some, [row.features[:, 0] for row in some])
            show(f"{name}, shipped", some, [row.features @ shipped for row in some])
            show(f"{name}, fitted on others", some, [unseen[id(row)] for row in some])
    print("  weights", dict(zip(FEATURES, np.round(fit_weights(rows), 2).tolist(), strict=True)))


async def observe(
    finder: EvidenceFinder, pages: Mapping[str, Sequence[Passage]], questions: Iterable[PageQuestion]
) -> AsyncIterator[Asked]:
    """The questions that one of some pages answers."""
    told = [f"{one[0].title} {' '.join(passage.text for passage in one)[:BEGINNING]}" for one in pages.values()]
    for asked in questions:
        if asked.page not in pages:
            continue
        vector, *others = await finder.embed_texts([asked.question, *told])
        likest = [list(pages)[place] for place in np.argsort([-float(vector @ other) for other in others])]
        chosen = [asked.page, *[name for name in likest if name != asked.page][:OTHER_PAGES]]
        passages = [passage for name in chosen for passage in pages[name]]
        sources = [Source(number, passage) for number, passage in enumerate(passages, 1)]
        lines = nearest_lines(await finder.rank_evidence(asked.question, sources))[:COMPARED]
        query = PassageQuery(asked.question, "fact")
        features = line_features(lines, await likeness_of(finder, lines), query)
        held = [
            line.evidence.source.passage.source == asked.page
            and all(one.search(plain(line.text)) for one in asked.holds)
            for line in lines
        ]
        yield Asked(asked.group, await finder.knows_language(asked.question), features, np.array(held))


def questions_of(rows: Sequence[dict[str, Any]]) -> Iterator[PageQuestion]:
    """The questions that some pages answer, each page the group of its own."""
    for number, row in enumerate(rows):
        for asked in row["asked"]:
            told = "|".join(re.escape(plain(answer)) for answer in asked["answer"])
            question = without_reason(without_aside(asked["question"]))
            yield PageQuestion(f"{PAGE_GROUP}{number}", question, f"/{number}", (re.compile(told),))


def asked_in_talks(folder: Path) -> Iterator[PageQuestion]:
    """The questions of a folder's talks that a page of it answers."""
    for talk in read_lines(folder / "conversations.jsonl"):
        for turn in talk["turns"]:
            having = [name for name in turn.get("from", ()) if name.startswith("web/")]
            if len(having) == 1 and turn.get("holds") and "{site}" not in turn["say"]:
                question = turn.get("query") or without_reason(without_aside(turn["say"]))
                holds = tuple(map(re.compile, turn["holds"]))
                yield PageQuestion(f"{folder.name}/{talk['id']}", question, having[0], holds)


def read_pages(folder: Path) -> Iterator[tuple[str, list[Passage]]]:
    """The passages of each page of a folder's web, by its path in the folder."""
    for file in sorted((folder / "web").rglob("*.html")):
        title, text = read_html(file.read_bytes(), str(file))
        name = str(file.relative_to(folder))
        if passages := split_page(text, name, title):
            yield name, passages


def split_page(text: str, name: str, title: str = "") -> list[Passage]:
    """The passages of a page; its first heading is the title where none is given."""
    title = title or text.strip().splitlines()[0].lstrip("# ")
    chunks = split_text(text, "text/markdown", ChunkShape())
    return [Passage(one.text, name, title, "web", one.index, heading=tuple(one.heading)) for one in chunks]


def plain(text: str) -> str:
    """A text with spaces and apostrophes of all kinds made plain, as the talks' patterns want it, and nothing bold."""
    return _SPACES.sub(" ", text).replace("’", "'").replace("*", "")


def fit_weights(rows: Sequence[Asked]) -> NDArray[np.float64]:
    """What each feature weighs, by pairs of a sentence that answers and one that does not."""
    pairs = np.array(
        [
            right - wrong
            for row in rows
            for right in row.features[row.answers][:RIGHT]
            for wrong in row.features[~row.answers][:WRONG]
        ]
    )
    return fit_pairs(pairs, STRENGTH)


def show(name: str, rows: Sequence[Asked], scores: Sequence[NDArray[np.float64]]) -> None:
    """How often a sentence that answers comes first, among three and among five."""
    places = [int(np.argmax(row.answers[np.argsort(-score)])) for row, score in zip(rows, scores, strict=True)]
    shares = "  ".join(f"{np.mean([place < most for place in places]):.3f} in {most}" for most in (1, 3, 5))
    print(f"  {name:24} {shares}")


if __name__ == "__main__":
    main()
