"""Fits what tells which cell of a table answers a question, on questions about pages with tables.

The weights that are told were fitted on all questions; how often the right cell comes first is told of questions that a
fit had not seen.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.pairs import fit_pairs
from benchmarks.router_data import read_lines
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.tables.cell_features import (
    CELL_FEATURES,
    COLUMN_FEATURES,
    ROW_FEATURES,
    CellQuery,
    Floats,
    cell_features,
)
from chatbot.models.pipeline.reading.tables.cells import CELL_WEIGHTS, FOREIGN_CELL_WEIGHTS
from rag.chunking.tables import TableRow, table_rows
from rag.embedding.sentence_model import SentenceEmbedder
from utils.languages.message_parts import without_aside
from utils.languages.reasons import without_reason

QUESTIONS = Path(__file__).with_name("table_questions.jsonl")
"""Each with its page, what stands in the cell that answers (`right`), and what of other cells one may take for it."""
PARTS = 8
"""Of the questions, in turn left out of a fit."""
STRENGTH = 1.0
"""Inverse of the regularization."""
PAIRS = 8.0
"""What the pairs of a question weigh together: a large table says no more than a small one."""
MARGINS = (0.25, 0.5, 1.0, 2.0)
"""Log-odds behind the likeliest cell up to which others are told of."""
FEATURES = (
    *(f"row {name}" for name in ROW_FEATURES),
    *(f"column {name}" for name in COLUMN_FEATURES),
    *(f"cell {name}" for name in CELL_FEATURES),
)


@dataclass(frozen=True)
class Asked:
    """A question with the features of all cells of its page, those that answer and those that one may take for them."""

    known: bool
    """Whether the embedding model was made for its language."""
    rows: tuple[int, ...]
    """The row of each cell."""
    features: Floats
    answers: Floats
    """1 where a cell answers, else 0."""
    others: Floats


def main() -> None:
    """Print how often the right cell comes first, and the weights, for either kind of languages."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path, nargs="*", default=[QUESTIONS], help="JSON lines")
    given = parser.parse_args()
    asyncio.run(fit_files(given.questions))


async def fit_files(files: Sequence[Path]) -> None:
    """Both fits."""
    finder = EvidenceFinder(SentenceEmbedder())
    asked = [await observe(finder, line) for file in files for line in read_lines(file)]
    for known, shipped in ((True, CELL_WEIGHTS), (False, FOREIGN_CELL_WEIGHTS)):
        some = [one for one in asked if one.known is known]
        print(f"{len(some)} questions in {'languages that vectors know' if known else 'others'}")
        show("shipped", some, [one.features @ np.array(shipped) for one in some])
        unseen = [fit_weights([one for at, one in enumerate(some) if at % PARTS != part]) for part in range(PARTS)]
        show("fitted on others", some, [one.features @ unseen[at % PARTS] for at, one in enumerate(some)])
        print("  weights", dict(zip(FEATURES, np.round(fit_weights(some), 1).tolist(), strict=True)))


async def observe(finder: EvidenceFinder, line: dict[str, object]) -> Asked:
    """A line of the file as it is fitted."""
    question = without_reason(without_aside(str(line["question"])))
    rows = [row for row in table_rows(str(line["page"])) if row.cells]
    known = await finder.knows_language(question)
    asked = CellQuery(question, str(line.get("english", "")))
    features = await cell_features(finder.embed_texts, asked, rows, known=known)
    right, wrong = (_having(rows, line[key]) for key in ("right", "wrong"))
    if not right.any():
        raise SystemExit(f"No cell of the page has the answer to {question!r}.")
    return Asked(known, tuple(at for at, row in enumerate(rows) for _ in row.cells), features, right, wrong)


def _having(rows: Sequence[TableRow], texts: object) -> Floats:
    """1 for each cell that has one of some texts, else 0."""
    wanted = [str(text) for text in texts] if isinstance(texts, list) else []
    return np.array([float(any(text in cell for text in wanted)) for row in rows for _, cell in row.cells])


def fit_weights(asked: Sequence[Asked]) -> Floats:
    """What each feature weighs, by pairs of the cell that answers and one that does not."""
    pairs = [one.features[np.argmax(one.answers)] - one.features[one.answers == 0] for one in asked]
    weights = np.concatenate([np.full(len(of_one), PAIRS / max(len(of_one), 1)) for of_one in pairs])
    return fit_pairs(np.concatenate(pairs), STRENGTH, weights)


def show(name: str, asked: Sequence[Asked], scores: Sequence[Floats]) -> None:
    """How often the right cell, and its row, comes first; and the shares of right and of other cells near the first."""
    first = [bool(one.answers[np.argmax(score)]) for one, score in zip(asked, scores, strict=True)]
    row = [
        one.rows[np.argmax(score)] == one.rows[np.argmax(one.answers)] for one, score in zip(asked, scores, strict=True)
    ]
    print(f"  {name:18} cell {np.mean(first):.3f}  row {np.mean(row):.3f}")
    for margin in MARGINS:
        near = [score >= score.max() - margin for score in scores]
        right = np.mean([bool(one.answers[close].any()) for one, close in zip(asked, near, strict=True)])
        wrong = np.concatenate([close[one.others > 0] for one, close in zip(asked, near, strict=True)])
        print(f"    within {margin}: right {right:.3f}  wrong {np.mean(wrong):.3f}")


if __name__ == "__main__":
    main()
