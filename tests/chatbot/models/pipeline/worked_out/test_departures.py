"""The next, the first or the last of several times."""

import pytest

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.worked_out.departures import tell_departure
from rag.documents import Passage

BOATS = (
    "| From Orla pier | From the lighthouse |\n|---|---|\n| 7:15 | 8:00 |\n| 10:30 | 11:20 |\n| 14:05 | 15:00 |\n"
    "| 17:40 | 18:25 |\n\nTickets are sold from 9:00 to 12:00 and from 13:00 to 17:00."
)
STOPS = (
    "## Monday to Friday\n| Stop | A | B | C |\n|---|---|---|---|\n| Corn Hall | 6:50 | 12:20 | 18:35 |\n"
    "| Mill Lane | 7:02 | 12:32 | 18:47 |\n## Sunday\n| Stop | A | B | C |\n|---|---|---|---|\n"
    "| Corn Hall | 9:10 | 13:10 | 17:10 |\n| Mill Lane | 9:22 | 13:22 | 17:22 |"
)
ENTRY = "| Day | Last show |\n|---|---|\n| Thursday | 16:30 |\n| Friday | 17:00 |\n| Saturday | 18:00 |"
BUSES = (
    "| Stop | First bus | Last bus |\n|---|---|---|\n| Harbour | 6:10 | 22:10 |\n| Mill | 6:20 | 22:20 |\n"
    "| Gate | 6:30 | 22:30 |"
)
RUNS = (
    "| Corn Hall | Mill Lane | Harbour |\n|---|---|---|\n| 8:00 | 8:10 | 8:20 |\n| 10:00 | 10:10 | 10:20 |\n"
    "| 12:00 | 12:10 | 12:20 |"
)
NIGHT = (
    "The N7 runs in the nights from Friday to Saturday and from Saturday to Sunday.\n\n## From the harbour\n"
    "| Stop | Friday to Saturday | Saturday to Sunday |\n|---|---|---|\n"
    "| Harbour, stand B | 23:30, 0:15, 1:00, 1:45 | 23:30, 0:15, 1:00, 1:45, 2:30 |\n"
    "| Corn Hall | 4 minutes later | 4 minutes later |\n\n## From the hill\n"
    "| Stop | Friday to Saturday | Saturday to Sunday |\n|---|---|---|\n"
    "| Hill, church | 0:05, 0:50, 1:35 | 0:05, 0:50, 1:35, 2:20 |\n"
    "| Harbour, stand B | 28 minutes later | 28 minutes later |"
)
DOTTED = "## Söndag\n| Från Orla | Från staden |\n|---|---|\n| 10.00 | 11.00 |\n| 13.30 | 14.15 |\n| 17.40 | 18.30 |"
LONG_DAY = "Buses to the hill: 5:10, 6:10, 17:10, 18:10, 23:10, 0:10."
LIFT = "The chair lift is old. Rides up the hill: 8:45, 10:15, 11:45, 13:15. The view is fine."


def tell(text: str, question: str, english: str = "") -> str:
    source = Source(3, Passage(text, "https://made.up.test", "Timetable of Orla", "web"))
    return tell_departure(question, english or question, [source])


@pytest.mark.parametrize(
    ("text", "question", "told"),
    [
        (BOATS, "When does the first boat from Orla pier after 11:00 leave?", "From Orla pier: 14:05 [3]"),
        (BOATS, "When is the last boat back from the lighthouse?", "From the lighthouse: 18:25 [3]"),
        (BOATS, "What is the next boat from the lighthouse after 3 pm?", "From the lighthouse: 18:25 [3]"),
        (BOATS, "Which is the last boat from the pier before 14:05?", "From Orla pier: 10:30 [3]"),
        (STOPS, "When does the first bus leave Mill Lane on Sunday?", "Mill Lane: 9:22 [3]"),
        (STOPS, "When does the last bus leave the Corn Hall on Tuesday?", "Corn Hall: 18:35 [3]"),
        (LIFT, "When is the last ride up the hill before 12:00?", "Rides up the hill: 11:45 [3]"),
        (DOTTED, "When does the last boat from Orla leave on Sunday?", "Från Orla: 17.40 [3]"),
        (RUNS, "When does the first bus after 10:00 leave the Harbour?", "Harbour: 10:20 [3]"),
        (LIFT, "When is the last ride up the hill before noon?", "Rides up the hill: 11:45 [3]"),
        (BOATS, "When is the last boat from the pier by 14:05?", "From Orla pier: 14:05 [3]"),
        (BOATS, "When is the first boat from the pier after 4pm?", "From Orla pier: 17:40 [3]"),
        (
            NIGHT,
            "When does the last N7 leave the harbour in the night from Saturday to Sunday?",
            "Harbour, stand B, Saturday to Sunday: 2:30 [3]",
        ),
        (
            NIGHT,
            "When does the first bus after 1:15 leave the harbour in the night from Friday to Saturday?",
            "Harbour, stand B, Friday to Saturday: 1:45 [3]",
        ),
        (
            NIGHT,
            "When does the last bus before 1:00 leave the harbour in the night from Friday to Saturday?",
            "Harbour, stand B, Friday to Saturday: 0:15 [3]",
        ),
    ],
)
def test_the_time_that_is_asked_for_is_read_off_the_list_that_is_meant(text: str, question: str, told: str) -> None:
    assert tell(text, question) == told


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (BOATS, "When does the first boat leave?"),
        (LONG_DAY, "When is the next bus after 5:30?"),
        (LONG_DAY, "When is the last bus before 5:00?"),
        (BOATS, "When does the first boat from Orla pier after four leave?"),
        (BOATS, "When does the first boat from Orla pier after 4:30 leave?"),
        (BOATS, "When does the last boat from the pier leave on 3 May?"),
        (BOATS, "What is the latest news about the pier?"),
        (BOATS + " On Sundays there is no service.", "When is the last boat from the pier on Sunday?"),
        (ENTRY, "When is the last show on Friday?"),
        (BUSES, "When does the last bus leave the Harbour?"),
        (BOATS, "What happens if I miss the last boat from the lighthouse?"),
        (BOATS, "When is the next boat from the pier?"),
        (BOATS, "When does the first boat from the pier after 18:00 leave?"),
        (BOATS, "When are tickets sold first?"),
        (BOATS, "When does the last boat from Ardle leave?"),
        (BOATS, "What does the first boat from the pier cost?"),
        (STOPS, "When does the first bus leave Mill Lane on Saturday?"),
        (STOPS, "When does the bus leave Mill Lane on Sunday?"),
    ],
)
def test_nothing_is_told_where_no_list_or_several_may_be_meant(text: str, question: str) -> None:
    assert tell(text, question) == ""


def test_the_lists_of_one_page_are_compared_wherever_it_was_cut() -> None:
    from_harbour, from_hill = NIGHT.split("## From the hill")
    passages = [
        Passage(text, "https://made.up.test", "The N7", "web")
        for text in (f"## From the hill{from_hill}", from_harbour)
    ]
    asked = "When does the last bus leave the harbour in the night from Saturday to Sunday?"
    sources = [Source(number, passage) for number, passage in enumerate(passages, 1)]
    assert tell_departure(asked, asked, sources) == "Harbour, stand B, Saturday to Sunday: 2:30 [2]"


def test_a_question_in_another_language_is_read_in_english_too() -> None:
    asked, english = "Wann fährt das letzte Boot vom Leuchtturm?", "When does the last boat leave the lighthouse?"
    assert tell(BOATS, asked, english) == "From the lighthouse: 18:25 [3]"


def test_of_two_directions_that_a_question_names_the_one_is_meant_from_which_it_leaves() -> None:
    english = "When does the last boat leave from the town to Orla on Sundays?"
    assert tell(DOTTED, "När går sista båten från staden till Orla på söndagar?", english) == "Från staden: 18.30 [3]"
    english = "When does the last boat leave from Orla to the town on Sundays?"
    assert tell(DOTTED, "När går sista båten från Orla till staden på söndagar?", english) == "Från Orla: 17.40 [3]"
