"""Which cell of a table a sentence tells, and whether it is the one that the question means."""

import pytest

from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.tables.cell_features import CellQuery
from chatbot.models.pipeline.reading.tables.cells import weigh_cells
from chatbot.models.pipeline.reading.tables.told_cells import told_by_row
from rag.chunking.tables import table_rows

TABLE = "| From the quay | From the island |\n|---|---|\n| 06:40 | 07:30 |\n| 09:10 | 10:00 |"
QUESTION = "When does the first ferry leave the quay?"


async def by_row(
    finder: EvidenceFinder, text: str, sentence: str, question: str, *, whole: bool = False
) -> bool | None:
    known = await finder.knows_language(question)
    weighed = await weigh_cells(finder.embed_texts, CellQuery(question), table_rows(text), known=known)
    return told_by_row(text, sentence, question, weighed, whole=whole)


async def test_figures_of_a_sentence_stand_in_the_cell_of_a_table_that_is_meant(minilm: EvidenceFinder) -> None:
    assert await by_row(minilm, TABLE, "The first ferry leaves at 06:40.", QUESTION)
    assert await by_row(minilm, TABLE, "It leaves at 06:40 and at 10:00.", QUESTION) is False
    assert await by_row(minilm, TABLE, "It leaves early.", QUESTION) is None
    assert await by_row(minilm, "It leaves at 06:40.", "It leaves at 06:40.", QUESTION) is None


FARES = "| Passenger | Single | Return |\n|---|---|---|\n| Adult | 4.90 | 8.60 |\n| Child | 2.40 | 4.20 |"
PASSES = "| Pass | Adults | Students and trainees |\n|---|---|---|\n| Ten visits | 139 € | 114 € |"
GATES = "| Day | Opens | Closes | Last entry |\n|---|---|---|---|\n| Sunday | 10:30 | 16:45 | 16:00 |"
TORE = "| Tag | Öffnung | Schließung | Letzter Einlass |\n|---|---|---|---|\n| Sonntag | 10:30 | 16:45 | 16:00 |"
PARCELS = "| Weight | Inland | Abroad |\n|---|---|---|\n| up to 2 kg | £4.10 | £9.80 |\n| 2-5 kg | £6.30 | £13.40 |"
DRYERS = "| | Alba | Corvo |\n|---|---|---|\n| Noise | 61 dB | 66 dB |\n| Weight | 38 kg | 41 kg |"


@pytest.mark.parametrize(
    ("table", "question", "told"),
    [
        (FARES, "What does a return ticket for an adult cost?", "8.60"),
        (PASSES, "What does a pass of ten visits cost for students?", "114 €"),
        (GATES, "when do they shut on sundays", "16:45"),
        (GATES, "Until when is it open on Sunday?", "16:45"),
        (GATES, "How late are they open on Sunday?", "16:45"),
        (GATES, "When does it open on Sunday?", "10:30"),
        (GATES, "When is last entry on Sunday?", "16:00"),
        (TORE, "Bis wann ist am Sonntag offen?", "16:45"),
        (TORE, "Wann schließt das am Sonntag?", "16:45"),
        (PARCELS, "i want to send 3 kilos overseas, what does it come to", "£13.40"),
        (DRYERS, "how heavy is the corvo", "41 kg"),
    ],
)
async def test_the_cell_that_a_question_means_tells_it_and_none_beside_it(
    minilm: EvidenceFinder, table: str, question: str, told: str
) -> None:
    cells = {cell for row in table_rows(table) for _, cell in row.cells[1:]}
    assert await by_row(minilm, table, f"That is {told}.", question)
    assert [cell for cell in cells if await by_row(minilm, table, f"That is {cell}.", question)] == [told]


async def test_what_is_not_told_as_one_thing_may_have_any_cell_of_its_row(minilm: EvidenceFinder) -> None:
    asked = "Is it open on Sunday at noon?"
    assert await by_row(minilm, GATES, "Yes, it opens at 10:30.", asked, whole=True)
    assert await by_row(minilm, GATES, "Yes, it closes at 16:45.", asked, whole=True)


async def test_what_is_free_or_closed_costs_nothing_of_another_row(minilm: EvidenceFinder) -> None:
    baths = "| Swimmer | Price | Towel |\n|---|---|---|\n| Adult | £9 | £2 |\n| Child | free | £2 |"
    assert await by_row(minilm, baths, "A child pays £9.", "What does a child pay?") is False


async def test_an_hour_may_be_told_with_minutes_where_the_cell_has_none(minilm: EvidenceFinder) -> None:
    hours = "| Day | Hours |\n|---|---|\n| Saturday | 9 - 17 |\n| Sunday | 10 - 16 |"
    assert await by_row(minilm, hours, "It opens at 9:00.", "When does it open on Saturday?")
    assert await by_row(minilm, hours, "It opens at 10:00.", "When does it open on Saturday?") is False


async def test_of_two_prices_of_a_row_that_change_places_the_row_says_nothing(minilm: EvidenceFinder) -> None:
    asked = "What does a pass of ten visits cost for students?"
    assert await by_row(minilm, PASSES, "Students pay 139 € and adults 114 €.", asked) is None


async def test_where_cells_of_several_tables_are_meant_alike_none_is(minilm: EvidenceFinder) -> None:
    weekend = TABLE.replace("06:40", "08:00")
    both = f"## Timetable A\n{TABLE}\n\n## Timetable B\n{weekend}"
    assert await by_row(minilm, both, "The first ferry leaves at 08:00.", QUESTION) is None


async def test_a_question_that_names_row_and_column_is_answered_by_that_cell_alone(minilm: EvidenceFinder) -> None:
    hours = (
        "| Day | Opens | Closes |\n|---|---|---|\n| Friday | 9:00 | 19:15 |\n\nThe fountain plays at noon and at 14:00."
    )
    asked = "When does the park close on Friday?"
    assert await by_row(minilm, hours, "It closes at 19:15.", asked)
    assert await by_row(minilm, hours, "The fountain plays at 14:00.", asked) is False
    assert await by_row(minilm, hours, "The fountain plays at 14:00.", "When does the fountain play?") is None


async def test_another_month_or_day_than_the_row_names_it_does_not_tell(
    minilm: EvidenceFinder,
) -> None:
    jobs = "| Who | What | Until |\n|---|---|---|\n| Ines | paint 340 fence posts | 11 May |\n| Karl | tar | 30 June |"
    asked = "Who paints the fence posts, and until when?"
    assert await by_row(minilm, jobs, "Ines paints 340 fence posts in May.", asked, whole=True)
    assert not await by_row(minilm, jobs, "Ines paints 340 fence posts until the end of June.", asked, whole=True)
    short = jobs.replace("11 May", "11.5.")
    assert await by_row(minilm, short, "Ines paints 340 fence posts in May.", asked, whole=True)


async def test_the_day_of_the_minutes_that_a_question_goes_on_from_is_no_day_that_a_row_tells(
    minilm: EvidenceFinder,
) -> None:
    jobs = (
        "| Job | Who | Until |\n|---|---|---|\n| Move the 850 seed bags | Ann | 11 December |\n| Paint | Bo | 4 May |"
    )
    question = "Who moves the seed bags? (Garden meeting, 12 November 2026)"
    assert not await by_row(minilm, jobs, "Ann moves 850 seed bags by the end of November.", question)
    assert await by_row(minilm, jobs, "Ann moves 850 seed bags.", question) is not False
