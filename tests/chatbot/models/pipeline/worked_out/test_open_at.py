"""Whether something is open at an hour."""

import pytest

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.worked_out.open_at import spans_in, tell_open
from rag.documents import Passage

DESK = (
    "Bibs are given out in the Wool Hall, Quay Street:\n\n| Day | Hours |\n|---|---|\n"
    "| Friday, 16 April | 14:00 - 20:00 |\n| Saturday, 17 April | 9:00 - 18:30 |\n| Sunday | closed |\n\n"
    "The café in the Wool Hall shuts at 17:00 on Saturday."
)
MARKET = (
    "The market in the Wool Hall is open on Saturdays from 8:00 to 12:00 and from 15:00 to 19:00. Dogs are welcome."
)
BRANCHES = "| Day | Wool Hall | Station |\n|---|---|---|\n| Saturday | 9:00 - 13:00 | 9:00 - 18:00 |"


def tell(text: str, question: str, language: str = "en") -> str:
    return tell_open(question, [Source(2, Passage(text, "https://made.up.test", "Race days", "web"))], language)


@pytest.mark.parametrize(
    ("text", "question", "begins"),
    [
        (DESK, "Is the Wool Hall still open at 6 on Saturday?", "Yes. “"),
        (DESK, "is the Wool Hall open at 18:00 on Saturday?", "Yes. “"),
        (DESK, "Is the Wool Hall still open at 6.30 pm on Saturday?", "No. “"),
        (DESK, "Is the Wool Hall open on Friday at 11?", "No. “"),
        (DESK, "Will the Wool Hall be open on Sunday at 15:00?", "No. “"),
        (MARKET, "Is the Wool Hall open at 4 pm on Saturday?", "Yes. “"),
        (MARKET, "Is the Wool Hall open at 13:00 on Saturday?", "No. “"),
        (BRANCHES, "Is the Station still open at 5 on Saturday?", "Yes. “"),
    ],
)
def test_an_hour_is_compared_with_the_hours_of_its_day(text: str, question: str, begins: str) -> None:
    told = tell(text, question)
    assert told.startswith(begins)
    assert told.endswith(" [2]")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (DESK, "Is the Wool Hall open at 6 on Saturday?"),
        (DESK, "Is the Wool Hall open at 18:00?"),
        (DESK, "Is the Corn Hall open at 18:00 on Saturday?"),
        (DESK, "Is it open at 18:00 on Saturday?"),
        (DESK, "When does the Wool Hall open on Saturday?"),
        (DESK, "Is the Wool Hall open at 18:00 on Monday?"),
        ("The Wool Hall opens at 9:00 on Saturday.", "Is the Wool Hall open at 18:00 on Saturday?"),
        (DESK + "\n\n" + MARKET, "Is the Wool Hall open at 11:00 on Saturday?"),
    ],
)
def test_nothing_is_told_where_hour_day_or_place_are_not_clear(text: str, question: str) -> None:
    assert tell(text, question) == ""


def test_the_word_is_in_the_language_of_the_answer() -> None:
    assert tell(DESK, "Is the Wool Hall still open at 6 on Saturday?", "de").startswith("Ja. “")


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("9:00 - 18:30", ((540, 1110),)),
        ("from 9 am to 6 pm", ((540, 1080),)),
        ("20:00 bis 2:00", ((1200, 1560),)),
        ("shuts at 17:00", ()),
        ("8:00, 9:00", ()),
    ],
)
def test_spans_of_hours_are_read(text: str, spans: tuple[tuple[int, int], ...]) -> None:
    assert spans_in(text) == spans
