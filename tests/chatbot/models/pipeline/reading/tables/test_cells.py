"""Which cell of some tables answers a question."""

import pytest

from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.tables.cell_features import (
    CELL_FEATURES,
    COLUMN_FEATURES,
    ROW_FEATURES,
    CellQuery,
    cell_features,
)
from chatbot.models.pipeline.reading.tables.cells import CELL_WEIGHTS, FOREIGN_CELL_WEIGHTS, likely_cells, weigh_cells
from rag.chunking.tables import table_rows

STAFF = (
    "## Workshop\n| Name | Does | Day |\n|---|---|---|\n| Ada Reed | saddles | Monday |\n"
    "| Bo Lund | wheels | Friday |\n\n## Office\n| Name | Does | Day |\n|---|---|---|\n| Cleo Marsh | bills | Monday |"
)
BOATS = (
    "## Weekdays\n| From the quay | From the island |\n|---|---|\n| 6:40 | 7:15 |\n| 17:20 | 18:05 |\n\n"
    "## Sunday\n| From the quay | From the island |\n|---|---|\n| 9:10 | 9:50 |\n| 15:30 | 16:25 |"
)
STOPS = "| Stop | First bus | Last bus |\n|---|---|---|"
BUSES = (
    f"## From Vellin to Orla\n{STOPS}\n| Station | 6:10 | 23:05 |\n| Orla | 6:40 | 23:35 |\n\n"
    f"## From Orla to Vellin\n{STOPS}\n| Orla | 5:50 | 22:20 |\n| Station | 6:20 | 22:50 |"
)
CLASSES = (
    "| Class | Day | Time | Evenings or mornings | Price |\n|---|---|---|---|---|\n"
    "| Weaving | Tuesday | 19:00–21:00 | 6 | £90 |\n| Lace | Thursday | 18:30–20:30 | 5 | £75 |"
)
LAMP = "| Property | Value |\n|---|---|\n| Weight with box | 3.1 kg |\n| Weight | 2.4 kg |\n| Height | 61 cm |"
VANS = "| | Up to 50 km | Over 50 km |\n|---|---|---|\n| Small van | €39 | €52 |\n| Large van | €58 | €76 |"


async def likeliest(finder: EvidenceFinder, question: str, text: str, english: str = "") -> str:
    known = await finder.knows_language(question)
    weighed = await weigh_cells(finder.embed_texts, CellQuery(question, english), table_rows(text), known=known)
    return max((odds, cell) for row in weighed for odds, (_, cell) in zip(row.odds, row.row.cells, strict=True))[1]


@pytest.mark.parametrize(
    ("question", "text", "cell"),
    [
        ("who does the wheels?", STAFF, "Bo Lund"),
        ("on which day is Ada Reed in?", STAFF, "Monday"),
        ("when does the last boat go back from the island on a sunday", BOATS, "16:25"),
        ("What time is the first boat from the quay on Sunday?", BOATS, "9:10"),
        ("large van, we live 80 km off, what does it come to", VANS, "€76"),
        ("How much is a small van for a trip of 30 km?", VANS, "€39"),
        ("when does the last bus leave vellin station", BUSES, "23:05"),
        ("which evening is the lace class", CLASSES, "Thursday"),
        ("when does the weaving class start", CLASSES, "19:00–21:00"),
        ("how heavy is the lamp?", LAMP, "2.4 kg"),
    ],
)
async def test_the_cell_that_answers_is_the_likeliest(
    minilm: EvidenceFinder, question: str, text: str, cell: str
) -> None:
    assert await likeliest(minilm, question, text) == cell


async def test_where_no_vector_knows_the_language_words_and_what_is_asked_for_tell(minilm: EvidenceFinder) -> None:
    beds = "| Łóżko | Członkowie | Goście |\n|---|---|---|\n| W sali | 13 € | 25 € |\n| W pokoju | 19 € | 33 € |"
    assert await likeliest(minilm, "Ile kosztuje łóżko w pokoju dla gości?", beds, "What does a bed cost?") == "33 €"


async def test_every_cell_has_every_feature_that_has_a_weight(minilm: EvidenceFinder) -> None:
    rows = table_rows(f"{BOATS}\n\n{STAFF}")
    features = await cell_features(minilm.embed_texts, CellQuery("when is the first boat?"), rows, known=True)
    named = len(ROW_FEATURES) + len(COLUMN_FEATURES) + len(CELL_FEATURES)
    assert features.shape == (sum(len(row.cells) for row in rows), named)
    assert len(CELL_WEIGHTS) == len(FOREIGN_CELL_WEIGHTS) == named


async def test_what_is_as_likely_as_the_likeliest_may_be_meant_too(minilm: EvidenceFinder) -> None:
    asked = CellQuery("What do I pay for the van?")
    weighed = await weigh_cells(minilm.embed_texts, asked, table_rows(VANS), known=True)
    meant = {cell for _, cells in likely_cells(weighed) for cell in cells}
    assert {"€39", "€58"} <= meant
    whole = {cell for _, cells in likely_cells(weighed, whole=True) for cell in cells}
    assert whole == {cell for row in table_rows(VANS) for _, cell in row.cells}


async def test_without_rows_nothing_is_weighed(minilm: EvidenceFinder) -> None:
    assert await weigh_cells(minilm.embed_texts, CellQuery("What does it cost?"), [], known=True) == []
    assert list(likely_cells([])) == []
