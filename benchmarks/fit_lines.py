"""Fits what tells which sentence of some pages answers a question, on talks in the format of `../shared/talks`.

Each question that one page answers is asked of that page and of the two that are likest to it. The weights that are
told were fitted on all talks; how often the right sentence comes first is told of talks that a fit had not seen.
"""

import argparse
import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
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
    parser.add_argument("talks", type=Path, nargs="+", help="folders with conversations.jsonl and web/")
    given = parser.parse_args()
    asyncio.run(fit_folders([folder for folder in given.talks if (folder / "web").is_dir()]))


async def fit_folders(folders: Sequence[Path]) -> None:
    """Both fits."""
    finder = EvidenceFinder(SentenceEmbedder())
    asked = [one for folder in folders for one in [each async for each in observe(finder, folder)]]
    for known, shipped in ((True, LINE_WEIGHTS), (False, FOREIGN_LINE_WEIGHTS)):
        rows = [one for one in asked if one.known is known and one.answers.any()]
        print(f"{len(rows)} questions in {'languages that vectors know' if known else 'others'}")
        show("by the score alone", rows, [row.features[:, 0] for row in rows])
        show("shipped", rows, [row.features @ np.array(shipped) for row in rows])
        groups = sorted({row.group for row in rows})
        parts = [set(part.tolist()) for part in np.array_split(np.array(groups), PARTS)]
        unseen = {}
        for part in parts:
            weights = fit_weights([row for row in rows if row.group not in part])
            unseen.update({id(row): row.features @ weights for row in rows if row.group in part})
        show("fitted on others", rows, [unseen[id(row)] for row in rows])
        print("  weights", dict(zip(FEATURES, np.round(fit_weights(rows), 2).tolist(), strict=True)))


async def observe(finder: EvidenceFinder, folder: Path) -> AsyncIterator[Asked]:
    """The questions of a folder's talks that a page of it answers."""
    pages = {name: passages for name, passages in read_pages(folder)}
    told = {
        name: f"{one[0].title} {' '.join(passage.text for passage in one)[:BEGINNING]}" for name, one in pages.items()
    }
    for group, turn in turns_of(folder):
        having = [name for name in turn.get("from", ()) if name in pages]
        if len(having) != 1 or not turn.get("holds"):
            continue
        question = turn.get("query") or without_reason(without_aside(turn["say"]))
        vector, *others = await finder.embed_texts([question, *told.values()])
        likest = [list(told)[place] for place in np.argsort([-float(vector @ other) for other in others])]
        chosen = [having[0], *[name for name in likest if name != having[0]][:OTHER_PAGES]]
        passages = [passage for name in chosen for passage in pages[name]]
        sources = [Source(number, passage) for number, passage in enumerate(passages, 1)]
        lines = nearest_lines(await finder.rank_evidence(question, sources))[:COMPARED]
        features = line_features(lines, await likeness_of(finder, lines), PassageQuery(question, "fact"))
        held = [
            line.evidence.source.passage.source == having[0]
            and all(re.search(one, plain(line.text)) for one in turn["holds"])
            for line in lines
        ]
        yield Asked(group, await finder.knows_language(question), features, np.array(held))


def turns_of(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The turns of a folder's talks, each with the name of what is left out of a fit together."""
    for talk in read_lines(folder / "conversations.jsonl"):
        for turn in talk["turns"]:
            if "{site}" not in turn["say"]:
                yield f"{folder.name}/{talk['id']}", turn


def read_pages(folder: Path) -> Iterator[tuple[str, list[Passage]]]:
    """The passages of each page of a folder's web, by its path in the folder."""
    for file in sorted((folder / "web").rglob("*.html")):
        title, text = read_html(file.read_bytes(), str(file))
        name = str(file.relative_to(folder))
        chunks = split_text(text, "text/markdown", ChunkShape())
        if chunks:
            yield name, [Passage(one.text, name, title, "web", one.index, heading=tuple(one.heading)) for one in chunks]


def plain(text: str) -> str:
    """A text with spaces and apostrophes of all kinds made plain, as the talks' patterns want it."""
    return _SPACES.sub(" ", text).replace("’", "'")


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
    print(f"  {name:22} {shares}")


if __name__ == "__main__":
    main()
