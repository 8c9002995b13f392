"""By how much two rows of one table differ in the column that a question names: read off and worked out."""

from collections.abc import Sequence

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.comparing import asks_difference
from chatbot.models.pipeline.reading.named_rows import most_asked, named_rows, said_name
from chatbot.models.pipeline.writing.difference import tell_difference
from rag.chunking.tables import TableRow, table_rows
from rag.search.rare_words import telling_words

_COMPARED_ROWS = 2


def tell_row_difference(question: str, english: str, sources: Sequence[Source], language: str) -> str:
    """`Arlo: 120 g, Benn: 94 g – 120 g − 94 g = 26 g` with its passage's number; empty where a question asks no such.

    `english` is the question in English, `language` the ISO 639-1 code of the answer. The table must have exactly two
    rows that the question names, and one cell of each whose column it names.
    """
    asked = english or question
    if not asks_difference(asked):
        return ""
    for source in sources:
        for wording in dict.fromkeys((question, asked)):
            cells = [_asked_cell(row, wording) for row in named_rows(wording, table_rows(source.passage.text))]
            if len(cells) != _COMPARED_ROWS or not all(cell for _, cell in cells):
                continue
            if difference := tell_difference(asked, [(f"What of {name}?", cell) for name, cell in cells], language):
                told = f"{', '.join(f'{name}: {cell}' for name, cell in cells)} – {difference.rpartition(': ')[2]}"
                return f"{told} [{source.number}]" if source.number else told
    return ""


def _asked_cell(row: TableRow, question: str) -> tuple[str, str]:
    """What a row is about, and its cell in the column that a question names; no cell where it names several."""
    asked = most_asked(telling_words(question), row.cells[1:])
    return said_name(row.cells[0][1]).strip(), asked[0][1] if len(asked) == 1 else ""
