"""The days that a text speaks of, and which passage is read for a question about some."""

import pytest

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.calendar.weekdays import (
    OTHER_DAYS,
    SOME_DAYS,
    THE_DAYS,
    WEEKEND,
    WORKING,
    day_bonus,
    days_in,
    with_day_of,
)
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from rag.documents import Passage
from rag.embedding.sentence_model import SentenceEmbedder

DAYS = [
    ("open Monday to Friday", WORKING),
    ("Mon-Fri 9-17", WORKING),
    ("Mo. bis Fr. 9 bis 17 Uhr", WORKING),
    ("du lundi au vendredi", WORKING),
    ("с понедельника по пятницу", WORKING),
    ("周一至周五", WORKING),
    ("Und unter der Woche?", WORKING),
    ("when does it open on weekdays", WORKING),
    ("le week-end", {5, 6}),
    ("Saturday and Sunday – From the quay: 08:00", {5, 6}),
    ("closed on Tuesdays", {1}),
    ("montags geschlossen", {0}),
    ("Fri to Mon", {4, 5, 6, 0}),
    ("每星期一", {0}),
    ("Mon: 7:00", {0}),
    ("Mon, Wed and Fri 9-17", {0, 2, 4}),
    ("Hours – Day: Di., Offen: 9", {1}),
    ("mar. et jeu. 10h", {1, 3}),
    ("So: 9-12", {5, 6}),
    ("od wtorku do piątku", {1, 2, 3, 4}),
    ("w soboty do 13:00", {5}),
    ("v úterý a ve středu", {1, 2}),
    ("по средам и субботам", {2, 5}),
    ("fechado às segundas", {0}),
    ("o útero e as quartas de final", set()),
    ("So do I: the cat sat there in the sun.", set()),
    ("frıday to ſunday", {4, 5, 6}),
    ("a marathon of marketing, from 9 to 5", set()),
]


@pytest.mark.parametrize(("text", "days"), DAYS)
def test_days_are_known_by_their_names_and_by_the_first_and_the_last_of_several(text: str, days: set[int]) -> None:
    assert days_in(text) == days


def test_other_days_count_against_a_sentence_and_no_days_for_nothing() -> None:
    sunday = frozenset({6})
    assert [day_bonus(sunday, said) for said in (WORKING | WEEKEND, sunday, WORKING, frozenset[int]())] == [
        THE_DAYS,
        THE_DAYS,
        OTHER_DAYS,
        0.0,
    ]
    assert day_bonus(WORKING, frozenset({4, 5})) == SOME_DAYS


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("When does the first boat from Orlo leave on weekdays?", 1),
        ("When does the first boat from Orlo leave on Wednesdays?", 1),
        ("When does the first boat from Orlo leave on Sunday?", 2),
    ],
)
async def test_the_timetable_of_the_day_that_is_asked_about_is_read(
    embedder: SentenceEmbedder, question: str, number: int
) -> None:
    tables = (
        "## Monday to Friday\n\n| From Orlo | From Vellin |\n|---|---|\n| 05:50 | 06:30 |\n| 09:10 | 09:50 |",
        "## Saturday and Sunday\n\n| From Orlo | From Vellin |\n|---|---|\n| 07:20 | 08:00 |\n| 10:00 | 10:40 |",
    )
    sources = [
        Source(place, Passage(text, "https://boat.test", "Boats from Orlo", "web", place))
        for place, text in enumerate(tables, 1)
    ]
    ranked = await EvidenceFinder(embedder).rank_evidence(question, sources)
    assert ranked[0].source.number == number


@pytest.mark.parametrize(
    ("source", "translation", "language", "told"),
    [
        ("We rehearse on Sundays.", "Ensayamos los sábados.", "es", "Ensayamos los domingos."),
        ("The train is late on Monday.", "Le train est en retard dimanche.", "fr", "Le train est en retard lundi."),
        ("Der Chor probt dienstags.", "On Sunday the choir rehearses.", "en", "On Tuesday the choir rehearses."),
        (
            "The train is late on Monday.",
            "Der Zug hat am Montag Verspätung.",
            "de",
            "Der Zug hat am Montag Verspätung.",
        ),
        ("Open Monday to Friday.", "Am Samstag offen.", "de", "Am Samstag offen."),
        ("The train is late.", "Der Zug kommt am Samstag.", "de", "Der Zug kommt am Samstag."),
    ],
)
def test_a_translation_names_the_day_of_its_text(source: str, translation: str, language: str, told: str) -> None:
    assert with_day_of(source, translation, language) == told


def test_what_only_begins_like_the_short_name_of_a_day_is_none() -> None:
    assert days_in("Come and join us, joining costs nothing.") == frozenset()
    assert days_in("Deschis joi și vineri.") == {3, 4}


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("o ktorej w sobote", {5}),
        ("w srode i w piatek", {2, 4}),
        ("kdy maji otevreno ve ctvrtek", {3}),
        ("na terca as 9", {1}),
        ("hur dags pa lordag", {5}),
        ("le sondage de rentrée, srodek, δευτεροβάθμια", set()),
        ("martial arts and samba to ponder over, with a Patek watch", set()),
    ],
)
def test_names_that_were_typed_without_their_accents_are_days_and_words_that_begin_alike_are_none(
    text: str, days: set[int]
) -> None:
    assert days_in(text) == days
