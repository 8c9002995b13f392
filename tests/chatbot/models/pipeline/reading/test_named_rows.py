import pytest

from chatbot.models.pipeline.reading.named_rows import named_rows

HIRE = (
    "# Hire\n| | City bike | E-bike |\n|---|---|---|\n| Each 30 minutes | £1.20 | £2.40 |\n| Deposit | none | £20 |\n\n"
    "## Hours\n| Day | Opens | Closes |\n|---|---|---|\n| Thursday | 11:00 | 16:00 |\n| Friday | 11:00 | 16:30 |"
)


@pytest.mark.parametrize(
    ("question", "first_cells"),
    [
        ("How much are 30 minutes on an e-bike?", ["Each 30 minutes"]),
        ("How high is the deposit for a city bike?", ["Deposit"]),
        ("When does the hire close on Friday?", ["Friday"]),
        ("What happens on Friday?", []),
        ("What does a helmet cost for an e-bike?", []),
        ("When does it close?", []),
    ],
)
def test_a_row_is_meant_whose_first_cell_and_one_of_whose_columns_a_question_names(
    question: str, first_cells: list[str]
) -> None:
    assert [row.cells[0][1] for row in named_rows(question, HIRE)] == first_cells
