"""By how much two rows, or two columns, of one table differ in what a question names: read off and worked out."""

from collections.abc import Sequence

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.comparing import asks_difference
from chatbot.models.pipeline.reading.tables.named_rows import is_asked_for, most_asked, named_rows, said_name
from chatbot.models.pipeline.worked_out.difference import tell_difference
from chatbot.models.pipeline.writing.written import number_marks
from rag.chunking.tables import TableRow, table_rows
from rag.search.rare_words import telling_words, word_stems

_COMPARED = 2


def tell_row_difference(question: str, english: str, sources: Sequence[Source], language: str) -> str:
    """`Arlo: 120 g, Benn: 94 g – 120 g − 94 g = 26 g` with its passage's number; empty where a question asks no such.

    `english` is the question in English, `language` the ISO 639-1 code of the answer. The table must have exactly two
    rows that the question names, and one cell of each whose column it names; or two such columns, and one such row.
    """
    asked = english or question
    if not asks_difference(asked):
        return ""
    for source in sources:
        for wording in dict.fromkeys((question, asked)):
            rows = table_rows(source.passage.text)
            cells = _cells_of_rows(rows, wording) or _cells_of_columns(rows, wording)
            if difference := tell_difference(asked, [(f"What of {name}?", cell) for name, cell in cells], language):
                told = f"{', '.join(f'{name}: {cell}' for name, cell in cells)} – {difference.rpartition(': ')[2]}"
                return f"{told}{number_marks([source.number])}"
    return ""


def _cells_of_rows(rows: Sequence[TableRow], question: str) -> list[tuple[str, str]]:
    """What the two rows that a question names are about, each with its cell in the column that it names."""
    cells = [_asked_cell(row, question) for row in named_rows(question, rows)]
    return cells if len(cells) == _COMPARED and all(cell for _, cell in cells) else []


def _cells_of_columns(rows: Sequence[TableRow], question: str) -> list[tuple[str, str]]:
    """The names of the two columns that a question names, each with its cell in the row that it asks for."""
    words, said = telling_words(question), word_stems(question)
    asked = [row for row in rows if row.cells and is_asked_for(row.cells[0][1], words)]
    cells = [cell for row in asked for cell in row.cells[1:] if cell[0] and word_stems(cell[0]) <= said]
    return cells if len(asked) == 1 and len(cells) == _COMPARED else []


def _asked_cell(row: TableRow, question: str) -> tuple[str, str]:
    """What a row is about, and its cell in the column that a question names; no cell where it names several."""
    asked = most_asked(telling_words(question), row.cells[1:])
    return said_name(row.cells[0][1]).strip(), asked[0][1] if len(asked) == 1 else ""
