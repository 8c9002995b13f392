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
        (DESK, "Does the Wool Hall open at 10:00 on Saturday?"),
        (DESK, "Is the Wool Hall open at 21 Quay Street on Saturday?"),
        (DESK, "Until when is the Wool Hall open at 18 on Saturday?"),
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


TOURS = (
    "The museum is open Monday to Saturday, 9:00 - 18:00. Every Saturday there is a guided tour, 14:00 - 15:00. "
    "On Easter Monday the museum is closed."
)
POOL = "Pool: open on Saturday 8:00 - 22:00."
CLUB = "The club is open on Saturday from 22:00 to 4:00."


@pytest.mark.parametrize(
    ("text", "question", "begins"),
    [
        (TOURS, "Is the Race museum open on Saturday at 10 am?", "Yes"),
        (TOURS, "Is the Race museum open on Easter Monday at 10?", ""),
        (TOURS, "Is the Race museum open on Monday at 10 am?", ""),
        (POOL, "Is the sauna at Race days open on Saturday at 21:00?", ""),
        (POOL, "Is the pool at Race days open on Saturday at 21:00?", "Yes"),
        (POOL, "Is the pool at Race days not open on Saturday at 21:00?", ""),
        (CLUB, "Is the Race club open on Saturday at 23:00?", "Yes"),
        (CLUB, "Is the Race club open on Saturday at 1:30 am?", ""),
        (CLUB, "Is the Race club open on Saturday at 1:30?", ""),
        ("The shop is open on Saturday 9:00 - 5:30.", "Is the Race shop open on Saturday at 10 pm?", ""),
    ],
)
def test_tours_feasts_other_things_and_hours_of_the_night_are_left_out_of_account(
    text: str, question: str, begins: str
) -> None:
    told = tell(text, question)
    assert told.startswith(begins) and bool(told) == bool(begins)
