"""Which sentences of what was found become notes, and how they stand in the report."""

from collections.abc import Sequence

import pytest

from chatbot.citations.checker import FittedChecker
from chatbot.conversation.messages import Source
from chatbot.engine.assembly import make_supports
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.research.notes import NoteTaker, page_name
from chatbot.research.state import Note
from rag.documents import Origin, Passage
from rag.embedding.sentence_model import SentenceEmbedder
from tests.fakes.researching import ResearchModel

LIDO = (
    "The Harstead Lido lies in the park by the river. It was built by the town in 1931. It opens at 10:00 and closes at"
    " 19:30, on Sundays at 17:00. An adult pays 4.50 euros. Dogs stay outside."
)
WHEN = "When does the Harstead Lido open?"


def source_of(
    text: str, number: int = 1, title: str = "Harstead Lido | Town of Harstead", origin: Origin = "web"
) -> Source:
    return Source(number, Passage(text, f"https://harstead.example/{number}", title, origin))


async def taken(
    embedder: SentenceEmbedder, question: str, *sources: Source, model: ResearchModel | None = None, whole: str = ""
) -> Sequence[Note]:
    supports = make_supports(FittedChecker(embedder))
    taker = NoteTaker(lambda: model or ResearchModel(), EvidenceFinder(embedder), supports)
    return await taker.take_notes(0, question, sources, whole=whole)


async def test_a_note_has_what_the_question_asks_for(embedder: SentenceEmbedder) -> None:
    [first, *_] = notes = await taken(embedder, WHEN, source_of(LIDO))
    assert any("closes at 19:30" in note.quote for note in notes)
    assert not any("lies in the park" in note.quote or "Dogs" in note.quote for note in notes)
    assert first.number == 1
    notes = await taken(embedder, "What does the Harstead Lido cost?", source_of(LIDO))
    assert [note.quote for note in notes] == ["An adult pays 4.50 euros."]


async def test_a_sentence_that_names_nothing_has_its_page_behind_it(embedder: SentenceEmbedder) -> None:
    [note] = await taken(embedder, "What does the Harstead Lido cost?", source_of(LIDO))
    assert note.sentence == "An adult pays 4.50 euros. (Harstead Lido)"


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("An adult pays 4.50 euros at the Harstead Lido.", True),
        ("An adult pays 4.50 euros or more in the evening at the Harstead Lido of Prague.", False),
        ("An adult pays 5 euros at the Harstead Lido.", False),
        ("What does an adult pay at the Harstead Lido, 4.50 euros?", False),
        ("", False),
    ],
)
async def test_a_rewording_stands_only_where_it_says_the_same(
    embedder: SentenceEmbedder, written: str, kept: bool
) -> None:
    model = ResearchModel(sentence=lambda prompt: written)
    [note] = await taken(embedder, "What does the Harstead Lido cost?", source_of(LIDO), model=model)
    assert (note.sentence == written) == kept
    assert note.quote == "An adult pays 4.50 euros."


async def test_two_pages_are_enough_and_the_same_is_noted_once(embedder: SentenceEmbedder) -> None:
    said = ("An adult pays 4.50 euros.", "An adult pays 4.50 euros!", "Adults pay 5 euros.", "It costs 6 euros.")
    pages = [source_of(f"The Harstead Lido is a pool. {text}", number) for number, text in enumerate(said, 1)]
    notes = await taken(embedder, "What does the Harstead Lido cost?", *pages)
    assert len({note.number for note in notes}) == 2
    assert len({note.quote.rstrip(".!") for note in notes}) == 2


async def test_what_a_search_engine_shows_counts_only_where_nothing_was_opened(embedder: SentenceEmbedder) -> None:
    shown = source_of("The Harstead Lido: an adult pays 3 euros.", 2, origin="snippet")
    cost = "What does the Harstead Lido cost?"
    assert {note.number for note in await taken(embedder, cost, source_of(LIDO), shown)} == {1}
    assert {note.number for note in await taken(embedder, cost, shown)} == {2}


async def test_what_is_known_already_is_not_enough(embedder: SentenceEmbedder) -> None:
    said = ("An adult pays 4.50 euros.", "Adults pay 5 euros in all.", "Every adult must pay 6 euros.")
    pages = [source_of(f"The Harstead Lido is a pool. {text}", number) for number, text in enumerate(said, 1)]
    cost = "What does the Harstead Lido cost?"
    first = await taken(embedder, cost, *pages)
    taker = NoteTaker(ResearchModel, EvidenceFinder(embedder), make_supports(FittedChecker(embedder)))
    again = await taker.take_notes(1, cost, pages, first)
    assert len({note.number for note in first}) == 2 and len({note.number for note in again}) == 3


async def test_of_a_passage_that_holds_no_answer_nothing_is_noted(embedder: SentenceEmbedder) -> None:
    assert await taken(embedder, WHEN, source_of(LIDO), model=ResearchModel(holds=lambda prompt: False)) == []
    assert await taken(embedder, WHEN) == []


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Harstead Lido: hours and prices | Town of Harstead", "Harstead Lido: hours and prices"),
        ("The well-known lido", "The well-known lido"),
        ("A – B - C", "A – B"),
        ("Ferry to Skerry - timetable 2025", "Ferry to Skerry - timetable 2025"),
        ("", ""),
    ],
)
def test_a_page_is_named_without_its_site(title: str, name: str) -> None:
    assert page_name(title) == name


TABLE = (
    "# Harstead Museum\n\nIt stands on Castle Row.\n\n## Opening hours\n\n| Day | Opens | Closes |\n"
    "| --- | --- | --- |\n"
    "| Tuesday to Thursday in the winter | 10:00 | 17:00 |\n| Friday until the evening | 10:00 | 20:30 |\n"
    "\n## Tickets\n\n| Ticket | Price |\n| --- | --- |\n| Adult | £7.50 |\n| Student | £5.00 |\n"
)


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        (
            "When does the Harstead Museum close?",
            [
                "Opening hours – Day: Tuesday to Thursday in the winter, Opens: 10:00, Closes: 17:00",
                "Opening hours – Day: Friday until the evening, Opens: 10:00, Closes: 20:30",
            ],
        ),
        (
            "What does a ticket for the Harstead Museum cost?",
            ["Tickets – Ticket: Adult, Price: £7.50", "Tickets – Ticket: Student, Price: £5.00"],
        ),
        ("What does a ticket for a student cost in the Harstead Museum?", ["Tickets – Ticket: Student, Price: £5.00"]),
    ],
)
async def test_rows_of_a_table_are_notes_of_their_own(
    embedder: SentenceEmbedder, question: str, quotes: list[str]
) -> None:
    source = Source(1, Passage(TABLE, "https://harstead.example/museum", "Visit the Harstead Museum", "web"))
    notes = await taken(embedder, question, source)
    assert [note.quote for note in notes] == quotes
    assert [note.sentence for note in notes] == [f"Visit the Harstead Museum: {quote}" for quote in quotes]


async def test_a_page_on_another_thing_of_the_list_is_left_out(embedder: SentenceEmbedder) -> None:
    whole = "What do the Harstead Museum, the Harstead Mill Museum and the Harstead Lido cost?"
    mill = source_of("An adult pays 3 euros in the Harstead Mill Museum.", 2, "Harstead Mill Museum: prices")
    town = source_of("An adult pays 7 euros in the Harstead Museum.", 3, "Harstead Museum: prices")
    for question, number in (
        ("What does the Harstead Mill Museum cost?", 2),
        ("What does the Harstead Museum cost?", 3),
    ):
        notes = await taken(embedder, question, source_of(LIDO), mill, town, whole=whole)
        assert {note.number for note in notes} == {number}


async def test_an_older_edition_counts_where_the_question_names_its_year(embedder: SentenceEmbedder) -> None:
    new = source_of("The ferry to Skerry takes 35 minutes.", 1, "Skerry ferry: timetable 2026")
    old = source_of("The ferry to Skerry took 50 minutes.", 2, "Skerry ferry: timetable 2025")
    asked = "How long does the ferry to Skerry take?"
    assert {note.number for note in await taken(embedder, asked, new, old)} == {1}
    whole = "What has changed on the ferry to Skerry since 2025: how long does it take?"
    for question in (asked, "How long does the ferry to Skerry take since 2025?"):
        assert {note.number for note in await taken(embedder, question, new, old, whole=whole)} == {1, 2}


async def test_where_a_day_is_asked_for_a_sentence_without_it_is_no_note(embedder: SentenceEmbedder) -> None:
    said = "The Harstead Lido was opened in 1936. On Saturdays the Harstead Lido is open from 9:00 to 17:00."
    notes = await taken(embedder, "When is the Harstead Lido open on Saturdays?", source_of(said))
    assert [note.quote for note in notes] == ["On Saturdays the Harstead Lido is open from 9:00 to 17:00."]


async def test_the_line_that_says_when_a_page_was_written_is_no_note(embedder: SentenceEmbedder) -> None:
    report = "21 November 2026, match report\n\nThe Torn derby ended 3-1 on 21 November 2026 at Quay Park."
    notes = await taken(embedder, "When was the Torn derby?", source_of(report, title="Torn derby"))
    assert [note.quote for note in notes] == ["The Torn derby ended 3-1 on 21 November 2026 at Quay Park."]


async def test_a_price_of_something_else_is_no_note_where_a_passage_names_what_is_asked_about(
    embedder: SentenceEmbedder,
) -> None:
    bus = source_of("A ticket for adults costs 3 euros on the bus in Harstead.", 2, "Bus fares in Harstead")
    asked = "What does a ticket for adults cost in the Harstead Lido?"
    whole = "What does a ticket for adults cost in the Harstead Lido and the Harstead Museum?"
    assert {note.number for note in await taken(embedder, asked, source_of(LIDO), bus, whole=whole)} == {1}


async def test_a_label_that_stands_behind_a_sentence_is_left_out(embedder: SentenceEmbedder) -> None:
    said = "The Harstead Lido opens at 10:00 in the morning. Changed:"
    assert [note.quote for note in await taken(embedder, WHEN, source_of(said))] == [
        "The Harstead Lido opens at 10:00 in the morning."
    ]


async def test_rows_of_a_table_that_say_nothing_of_what_is_asked_are_no_notes(embedder: SentenceEmbedder) -> None:
    source = Source(1, Passage(TABLE, "https://harstead.example/museum", "Visit the Harstead Museum", "web"))
    # The passage as a whole is taken for one that holds an answer, none of its rows is.
    model = ResearchModel(holds=lambda prompt: "Opening hours – Day: Tuesday" not in prompt or "Friday" in prompt)
    notes = await taken(embedder, "Who is opening the Harstead Museum on which day?", source, model=model)
    assert not any("Opening hours" in note.quote for note in notes)


async def test_what_is_told_of_another_model_of_a_thing_is_no_note(embedder: SentenceEmbedder) -> None:
    kettle = source_of("The kettle Zephyr K3 holds 1.7 litres of water.", title="Zephyr K3 kettle")
    assert [note.quote for note in await taken(embedder, "How much water does the kettle Zephyr K3 hold?", kettle)]
    assert await taken(embedder, "How much water does the kettle Zephyr K9 hold?", kettle) == []


async def test_where_something_is_somebodys_the_page_tells_whose(embedder: SentenceEmbedder) -> None:
    page = source_of("The player Hanna Lund is his daughter.", title="Henrik Lund, architect")
    [note] = await taken(embedder, "Who is Hanna Lund?", page)
    assert note.sentence == "The player Hanna Lund is his daughter. (Henrik Lund, architect)"
