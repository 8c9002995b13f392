"""The rows of tables that a question names: by what the row is about, or by its day, and by one of its columns."""

from chatbot.models.pipeline.reading.weekdays import days_in
from rag.chunking.tables import TableRow, table_rows
from rag.search.rare_words import telling_words


def named_rows(question: str, text: str) -> list[TableRow]:
    """The rows of a text's tables of which a question names row and column: what is asked for stands in a cell."""
    rows = table_rows(text)
    words, days = (telling_words(question), days_in(question)) if rows else (frozenset(), frozenset())
    return [row for row in rows if row.cells and _names_row(row, words, days) and _names_column(row, words)]


def _names_row(row: TableRow, words: frozenset[str], days: frozenset[int]) -> bool:
    """Whether the first cell has no word that the question has not, or is of its days."""
    label = row.cells[0][1]
    return telling_words(label) <= words or bool(days and days <= days_in(label))


def _names_column(row: TableRow, words: frozenset[str]) -> bool:
    label = telling_words(row.cells[0][1])
    return any(telling_words(column) & words - label for column, _ in row.cells[1:] if column)
