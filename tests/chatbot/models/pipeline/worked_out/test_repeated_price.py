"""What something costs that is done several times."""

import pytest

from chatbot.conversation.messages import Message, Source
from chatbot.conversation.turns import Turn
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.tables.cells import WeighedRow
from chatbot.models.pipeline.worked_out.repeated_price import tell_repeated_answer, tell_repeated_price
from rag.chunking.tables import table_rows
from rag.documents import Passage

POOL = (
    "# Pool\n\n| Ticket | Off-peak | Peak |\n|---|---|---|\n| All 3 | 14.80 | 17.90 |\n| Ten visits | 54.00 | 60.00 |"
)
INN = "# Inn\n\nAll prices are for one night.\n\n| Room | Price |\n|---|---|\n| Single | 62,50 € |\n| Double | 84 € |"


def told(text: str, row: int, cell: int, question: str) -> str:
    rows = table_rows(text)
    weighed = tuple(
        WeighedRow(one, tuple(9.0 if (at, place) == (row, cell) else 0.0 for place, _ in enumerate(one.cells)))
        for at, one in enumerate(rows)
    )
    source = Source(4, Passage(text, "/prices", "Prices", "web"))
    return tell_repeated_price(question, Reading(text, (source,), quote=rows[row].spoken, rows=weighed))


@pytest.mark.parametrize(
    ("text", "row", "cell", "question", "answer"),
    [
        (POOL, 0, 1, "if we go 3 times off peak, how much is that in all?", "3 × All 3, Off-peak (14.80) = 44.40 [4]"),
        (POOL, 0, 2, "What would it cost to go twice at peak times?", "2 × All 3, Peak (17.90) = 35.80 [4]"),
        (INN, 0, 1, "What do we pay for 3 nights in a single room?", "3 × Single, Price (62,50 €) = 187,50 € [4]"),
        (INN, 1, 1, "How much is it for four nights in a double room in all?", "4 × Double, Price (84 €) = 336 € [4]"),
        (INN, 1, 1, "What do we pay for two weeks in a double room?", ""),
        (INN, 1, 1, "What is a double room a night?", ""),
        (INN, 1, 1, "We come in three nights, how much is it for a double room?", ""),
        (INN, 1, 1, "I was there two nights ago. How much is it in total?", ""),
        (POOL, 1, 1, "What would it cost in total to go 10 times?", ""),
        (POOL, 0, 1, "When are the three visits off peak?", ""),
    ],
)  # fmt: skip
def test_the_price_of_one_is_multiplied(text: str, row: int, cell: int, question: str, answer: str) -> None:
    assert told(text, row, cell, question).strip() == answer


def test_where_no_cell_is_clearly_the_price_nothing_is_worked_out() -> None:
    rows = table_rows(POOL)
    weighed = (WeighedRow(rows[0], (0.0, 9.0, 8.9)),)
    reading = Reading(POOL, (Source(4, Passage(POOL, "/", "Pool", "web")),), quote=rows[0].spoken, rows=weighed)
    assert tell_repeated_price("How much is that for three visits altogether?", reading) == ""


@pytest.mark.parametrize(
    ("answer", "question", "told"),
    [
        ("All three pay £17.90 at peak times. [4]", "And twice, how much is that in total?", "2 × £17.90 = £35.80"),
        ("All pay 17.90 euros. [4]", "and if we go 3 times, what would that cost?", "3 × 17.90 euros = 53.70 euros"),
        ("A night is 84 €. [4]", "What do we pay for three nights in all?", "3 × 84 € = 252 €"),
        ("A night is 84 €. [4]", "What do we pay for three weeks in all?", ""),
        ("A night is 84 €. [4]", "What do we pay for three nights in a single room in all?", ""),
        ("A night is 84 €, with breakfast 96 €. [4]", "What do we pay for three nights in all?", ""),
        ("Three nights cost 240 €. [4]", "What would five nights cost, how much is that in total?", ""),
        ("The deposit is £50. [4]", "What do we pay in total if we come three times?", ""),
        ("It costs £30 a year. [4]", "What would it cost if we come three times?", ""),
        ("A night is 84 €.", "What do we pay for three nights in all?", ""),
        ("It opens at 9. [4]", "And twice, how much is that in total?", ""),
    ],
)  # fmt: skip
def test_the_price_that_was_just_answered_is_multiplied(answer: str, question: str, told: str) -> None:
    source = Source(4, Passage(INN, "/prices", "Inn", "web"))
    talk = Message("user", "What do we pay?"), Message("tool", INN, sources=(source,)), Message("assistant", answer)
    assert tell_repeated_answer(question, Turn(0, talk)) == told
