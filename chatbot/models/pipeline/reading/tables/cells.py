"""Which cell of some tables answers a question.

What each sign of it weighs was fitted, not set: `python -m benchmarks.fit_cells`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from chatbot.models.pipeline.reading.tables.cell_features import CellQuery, Embed, cell_features
from rag.chunking.tables import TableRow

CELL_WEIGHTS = (
    *(2.2, 5.1, 5.6, 2.5, 2.5, 1.6, 1.1, 4.1),
    *(2.3, 2.5, 1.9, 0.5, 2.1, 1.1, 3.9),
    *(2.6, 1.3, -1.8, -1.9, 0.7, 1.8, 2.5),
)
"""Of the features of rows, columns and cells. By these the cell that answers comes first for .80 of 336 questions that
the fit had not seen, and its row for .93."""
FOREIGN_CELL_WEIGHTS = (
    *(1.5, 4.8, 2.8, 2.2, 1.3, 3.3, 1.3, 0.0),
    *(4.0, 2.7, 1.7, 0.9, 1.1, 0.6, 0.0),
    *(0.7, 2.2, -1.9, -0.8, 0.5, 2.1, 0.4),
)
"""The same where no vector knows the question's language: of 204 such questions .72 and .88."""
NEAR = 0.5
"""Log-odds behind the likeliest cell up to which another one may be the one that is meant."""
MAY_ANSWER = 2.0
"""Log-odds behind the likeliest cell of a row up to which others are read beside it: .98 of those that answer are."""


@dataclass(frozen=True)
class WeighedRow:
    """A row with the log-odds of its cells to be the one that answers, against each other and those of other rows."""

    row: TableRow
    odds: tuple[float, ...]

    def likely_columns(self) -> frozenset[str]:
        """The columns in which the row may have the answer, if it has."""
        least = max(self.odds) - MAY_ANSWER
        pairs = zip(self.row.cells, self.odds, strict=True)
        return frozenset(column for (column, _), odds in pairs if odds >= least)


async def weigh_cells(embed: Embed, asked: CellQuery, rows: Sequence[TableRow], *, known: bool) -> list[WeighedRow]:
    """Some rows with the log-odds of their cells; raises `EmbedderUnavailable`.

    `known` is whether the embedding model was made for the question's language.
    """
    rows = [row for row in rows if row.cells]
    if not rows:
        return []
    features = await cell_features(embed, asked, rows, known=known)
    odds = iter((features @ np.array(CELL_WEIGHTS if known else FOREIGN_CELL_WEIGHTS)).tolist())
    return [WeighedRow(row, tuple(next(odds) for _ in row.cells)) for row in rows]


def likely_cells(rows: Sequence[WeighedRow], *, whole: bool = False) -> Iterator[tuple[TableRow, list[str]]]:
    """The rows with cells that answer about as likely as the likeliest, with these, or with all of them."""
    best = max((max(row.odds) for row in rows), default=0.0)
    for row in rows:
        near = [cell for (_, cell), odds in zip(row.row.cells, row.odds, strict=True) if odds >= best - NEAR]
        if near:
            yield row.row, [cell for _, cell in row.row.cells] if whole else near
