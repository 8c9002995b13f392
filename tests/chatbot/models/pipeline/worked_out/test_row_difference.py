"""By how much two rows of a table differ."""

import pytest

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.worked_out.row_difference import tell_row_difference
from rag.documents import Passage

ROWS = ("Model | Weight | Price", "---|---|---", "Orla 3 | 40 g | £19", "Orla 5 | 52 g | £31.50")
LAMPS = "\n".join(f"| {row} |" for row in ROWS)
PAGE = Source(2, Passage(LAMPS, "https://orla.test", "Orla lamps", "web"))


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "What is the difference in price between the Orla 3 and the Orla 5?",
            "Orla 3: £19, Orla 5: £31.50 – £31.50 − £19 = £12.50 [2]",
        ),
        (
            "By how much more weight has the Orla 5 than the Orla 3?",
            "Orla 3: 40 g, Orla 5: 52 g – 52 g − 40 g = 12 g [2]",
        ),
        ("What is the price of the Orla 3?", ""),
        ("What is the difference in price between the Orla 3 and the Benn?", ""),
        ("What is the difference between the Orla 3 and the Orla 5?", ""),
    ],
)
def test_two_rows_that_a_question_names_are_compared_in_the_column_that_it_names(question: str, told: str) -> None:
    assert tell_row_difference(question, "", [PAGE], "en") == told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "What would the Nilo 4 cost me more than the Vero?",
            "Nilo 4: £215, Vero: £140 – £215 − £140 = £75 [5]",
        ),
        (
            "By how much more noise has the Vero than the Nilo 4?",
            "Nilo 4: 61 dB, Vero: 69 dB – 69 dB − 61 dB = 8 dB [5]",
        ),
        ("What does the Nilo 4 cost?", ""),
        ("What is the difference in weight between the Nilo 4 and the Vero?", ""),
    ],
)
def test_two_columns_that_a_question_names_are_compared_in_the_row_that_it_names(question: str, told: str) -> None:
    rows = (
        "| | Nilo 4 | Vero | Ondo |",
        "|---|---|---|---|",
        "| Price | £215 | £140 | £99 |",
        "| Noise | 61 dB | 69 dB | 70 dB |",
    )
    page = Source(5, Passage("\n".join(rows), "https://nilo.test", "Three fans", "web"))
    assert tell_row_difference(question, "", [page], "en") == told
