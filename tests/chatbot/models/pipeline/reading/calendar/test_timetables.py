"""What of a timetable is read to a model that is asked about one day."""

from datetime import date

import pytest

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.attachments import read_attached
from chatbot.models.pipeline.reading.calendar.timetables import (
    rows_of_the_days,
    without_other_days,
    without_past_columns,
)
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.tables.cell_features import CellQuery
from chatbot.models.pipeline.reading.tables.cells import weigh_cells
from rag.chunking.tables import table_rows
from rag.documents import Passage
from tests.fakes.embedder import WordEmbedder

ROWS = "| Weekday | Opens |\n|---|---|\n| Mon, Tue | closed |\n| Thursday | 7:00 |\n\nOn Thursday children pay 2 euros."
COLUMNS = (
    "| Place | Mon | Tue | Wed |\n|---|---|---|---|\n| Pool | closed | 7:00 | 8:00 |\n| Sauna | 9:00 | closed | 9:00 |"
)
OTHER = "| Weekdays | Price |\n|---|---|\n| Adults | 7 euros |"


def test_rows_and_columns_of_other_days_are_left_out_and_prose_stays() -> None:
    assert without_other_days("Is it open on Monday?", ROWS) == (
        "Weekday: Mon, Tue (Monday), Opens: closed\n\nOn Thursday children pay 2 euros."
    )
    assert without_other_days("Wann macht das Bad am Dienstag auf?", COLUMNS) == (
        "Place: Pool, Tue (Dienstag): 7:00\nPlace: Sauna, Tue (Dienstag): closed"
    )


def test_all_is_read_where_no_day_is_named_or_the_table_has_nothing_of_it() -> None:
    for question, text in [
        ("When is it open?", ROWS),
        ("Is it open on Sunday?", f"{ROWS}\n\n{OTHER}"),
        ("What do adults pay on Sunday?", OTHER),
        ("Who was born on a Monday?", "Nobody was, on Tuesday or ever."),
    ]:
        assert without_other_days(question, text) == text


async def test_what_is_found_and_what_is_attached_is_read_so() -> None:
    finder = EvidenceFinder(WordEmbedder())
    [found] = await finder.rank_evidence(
        "Is it open on Monday?", [Source(1, Passage(ROWS, "a", "Pool", "web", 0, 1, 0.5))]
    )
    assert "Mon, Tue" in found.text and "Weekday: Thursday" not in found.text and "children pay" in found.text
    [reading] = await read_attached(finder, [("the file pool.md", ROWS)], [("Is it open on Monday?", "")], "fact")
    assert "Mon, Tue" in reading.text and "Weekday: Thursday" not in reading.text and "children pay" in reading.text


def test_of_a_season_the_columns_of_others_are_left_out_and_of_a_day_the_rows() -> None:
    pool = (
        "| Day | April to October | November to March |\n|---|---|---|\n"
        "| Saturday and Sunday | 9:00 - 19:00 | 10:00 - 17:00 |\n| Tuesday | 9:30 - 18:00 | 10:00 - 16:30 |"
    )
    assert without_other_days("When does it close on a Saturday in winter?", pool) == (
        "Day: Saturday and Sunday, November to March (winter): 10:00 - 17:00"
    )
    assert without_other_days("When does it close in spring?", pool) == (
        "Day: Saturday and Sunday, April to October (spring): 9:00 - 19:00, November to March (spring): 10:00 - 17:00\n"
        "Day: Tuesday, April to October (spring): 9:30 - 18:00, November to March (spring): 10:00 - 16:30"
    )


@pytest.mark.parametrize(
    ("question", "changed"),
    [
        ("What does a dormitory cost for guests?", ["Bed: Dormitory, Guests: 25 €"]),
        ("What do members and guests pay in a dormitory?", []),
        ("What do guests pay?", []),
    ],
)
async def test_of_a_row_that_is_named_the_columns_that_surely_do_not_answer_are_left_out(
    minilm: EvidenceFinder, question: str, changed: list[str]
) -> None:
    beds = "| Bed | Members | Guests |\n|---|---|---|\n| Dormitory | 13 € | 25 € |\n| Room | 19 € | 33 € |"
    rows = table_rows(beds)
    weighed = await weigh_cells(minilm.embed_texts, CellQuery(question), rows, known=True)
    told = rows_of_the_days(question, beds, [row.spoken for row in rows], weighed)
    assert list(told.values()) == changed


@pytest.mark.parametrize(
    ("first", "second", "question", "told"),
    [
        ("2025", "2026", "What does it cost for a family?", "Ticket: Family, 2026: £18"),
        ("Season 2025/26", "Season 2026/27", "What does a family pay?", "Ticket: Family, Season 2026/27: £18"),
        ("2025", "2026", "What did it cost for a family?", ""),
        ("2025", "2026", "What does it cost more than in 2025?", ""),
        ("2026", "2027", "What does it cost for a family?", ""),
        ("since 2024", "2026", "What does it cost for a family?", ""),
        ("2024", "2025", "What does it cost for a family?", ""),
        ("2020–2030", "2031–2035", "What does it cost for a family?", ""),
        ("2025", "2026", "In which year does a family pay most?", ""),
        ("2025", "2026", "How does the fare change?", ""),
        ("2025", "2026", "Combien coûte le billet pour une famille avec deux enfants ?", ""),
    ],
)
def test_of_the_prices_of_two_years_those_of_the_past_one_are_left_out(
    first: str, second: str, question: str, told: str
) -> None:
    (row,) = table_rows(f"| Ticket | {first} | {second} |\n|---|---|---|\n| Family | £15 | £18 |")
    assert without_past_columns(row, question, date(2026, 11, 29)).spoken == (told or row.spoken)


def test_what_is_read_of_a_table_is_of_the_years_that_are_not_over() -> None:
    table = "| Ticket | 2019 | 2090 |\n|---|---|---|\n| Family | £15 | £18 |\n| Adult | £6 | £7 |"
    assert without_other_days("What does a family pay?", table) == "Ticket: Family, 2090: £18\nTicket: Adult, 2090: £7"
