"""Names that hold another name."""

import pytest

from chatbot.models.pipeline.reading.namesakes import (
    is_on_subject,
    longer_named_titles,
    named_alike,
    of_other_sites,
    superseded_reports,
    titles_not_meant,
    titles_of_others,
    titles_of_sisters,
)
from rag.documents import Passage

MUSEUMS = ["Harrow Water Museum", "Visit the Harrow Museum", "The museum of Harrow"]


@pytest.mark.parametrize(
    "question", ["When does the Harrow Museum close?", "Does Harrow Museum open today?", "Harrow Museum: prices"]
)
def test_a_title_with_words_between_those_of_a_name_is_of_something_else(question: str) -> None:
    assert longer_named_titles(question, MUSEUMS) == [True, False, False]


def test_where_no_title_has_the_name_as_it_is_the_longer_one_may_be_meant() -> None:
    assert longer_named_titles("When does the Harrow Museum close?", [MUSEUMS[0], "Prices"]) == [False, False]
    assert longer_named_titles("When does the Harrow Water Museum close?", MUSEUMS) == [False, False, False]
    assert longer_named_titles("when does the museum close?", MUSEUMS) == [False, False, False]


def test_a_title_that_has_the_name_is_of_it_whatever_stands_beside_it() -> None:
    titles = ["Harrow Museum and Harrow Water Museum", "Harrow Museum: tickets"]
    assert longer_named_titles("When does the Harrow Museum close?", titles) == [False, False]


@pytest.mark.parametrize(
    ("question", "longer"),
    [
        ("What does the Vexa 10 weigh?", [False, True, False]),
        ("Was wiegt der Vexa 10?", [False, True, False]),
        ("What does the Vexa 10 Max weigh?", [False, False, False]),
        ("Which is heavier, the Vexa 10 or the Vexa 10 Max?", [False, False, False]),
        ("What does the Vexa 12 weigh?", [False, False, False]),
    ],
)
def test_a_model_with_more_behind_its_number_is_another_one(question: str, longer: list[bool]) -> None:
    assert longer_named_titles(question, ["Vexa 10 tablet", "Vexa 10 Max tablet", "Tablets"]) == longer


@pytest.mark.parametrize(
    ("question", "places"),
    [
        ("Which of the two quotes is cheaper?", [0, 2]),
        ("Which of the notes is longer?", []),
        ("What does Berg charge?", []),
        ("Is the quote of Lund cheaper?", []),
    ],
)
def test_titles_that_have_a_word_of_the_question_in_common_are_what_it_is_about(
    question: str, places: list[int]
) -> None:
    assert named_alike(question, ["quote-lund", "notes", "quote-berg", "quote-lund"]) == places


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("How many steps has the Harrow Museum?", [False, False, True]),
        ("How many steps has the Ardle Museum?", [False, False, False]),
        ("How many steps are there?", [False, False, False]),
    ],
)
def test_a_page_headed_by_none_of_the_names_gives_way_to_one_that_is(question: str, others: list[bool]) -> None:
    assert titles_of_others(question, ["Harrow Museum: visit", "The town of Harrow", "Clock tower"]) == others


@pytest.mark.parametrize(
    ("question", "sisters"),
    [
        ("How high is the wall of the Orla hall in Newham?", [True, False, False]),
        ("How high is the wall of the Orla hall in Oldham?", [False, True, False]),
        ("How high is the wall of the Orla hall?", [False, False, False]),
        ("Is the Orla hall in Newham or in Oldham higher?", [False, False, False]),
    ],
)
def test_a_title_with_another_name_in_the_place_of_one_is_of_a_sister(question: str, sisters: list[bool]) -> None:
    titles = ["Orla Oldham", "Orla Newham", "Halls of the Orla"]
    assert titles_of_sisters(question, titles, ["It is high."] * 3) == sisters


def test_a_page_of_the_same_is_no_sister_whatever_stands_in_its_title() -> None:
    titles, texts = ["Harrow Museum", "Museum Harrow", "Harrow Tickets"], ["", "", "The museum costs £3."]
    assert titles_of_sisters("When is the Harrow Museum open?", titles, texts) == [False] * 3


@pytest.mark.parametrize(
    ("source", "on"),
    [
        ("https://arlo-benn.test/cakes/plum.html", True),
        ("https://cakes.test/benn/plum.html", True),
        ("https://cakes.test/plum.html", False),
        ("https://rebenn.test/plum.html", False),
        ("/home/benn/plum.md", False),
    ],
)
def test_whose_page_it_is_may_stand_in_its_address_alone(source: str, on: bool) -> None:
    passage = Passage("Bake it for 40 minutes.", source, "Plum cake", "web")
    assert is_on_subject("How long does Arlo Benn bake his cake?", passage) is on


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("When was Okoro born? (the baker)", [False, True, False]),
        ("When was Okoro born? (the pilot)", [False, False, False]),
        ("When was Okoro born?", [False, False, False]),
        ("When was the baker born? (When did Okoro die?)", [False, False, False]),
    ],
)
def test_who_is_no_baker_is_not_the_one_that_was_meant(question: str, others: list[bool]) -> None:
    titles = ["Ada Okoro", "Ben Okoro", "Ada Okoro"]
    texts = ["Ada Okoro (born 1970) is a baker.", "Ben Okoro (born 1981) sings.", "She has two children."]
    assert titles_not_meant(question, titles, texts) == others


def test_a_passage_without_the_name_that_another_site_is_called_after_is_not_of_that_site() -> None:
    hours = "| Day | Hours |\n|---|---|\n| Thursday | 9:00 - 19:00 |"
    passages = [
        Passage("It lies by the lock.", "https://vellmar.example/office", "Passport Office Vellmar", "web"),
        Passage(hours, "https://vellmar.example/hours", "Hours", "web"),
        Passage(hours, "https://odo.example/office", "Services of Odo", "web"),
        Passage(f"For cards of Vellmar, go there. {hours}", "https://odo.example/cards", "Cards", "web"),
        Passage(f"Vellmar makes our cards. {hours}", "https://odell.example/town/hall", "Town hall of Odell", "web"),
        Passage(f"Vellmar: {hours}", "https://vellmar.example/town/hall", "Town hall of Odell", "web"),
        Passage(f"The office of Vellmar. {hours}", "https://morningpost.test/a", "Hours change | Morning Post", "web"),
        Passage(f"Vellmar: {hours}", "https://en.wikipedia.org/wiki/List", "List of offices - Wikipedia", "web"),
    ]
    question = "Until when is the Passport Office in Vellmar open on Thursdays?"
    assert of_other_sites(question, passages) == [False, False, True, False, True, False, False, False]
    assert of_other_sites(question, passages[1:]) == [False] * 7
    assert of_other_sites("Until when is Vellmar open?", passages) == [False] * 8


@pytest.mark.parametrize(
    ("question", "superseded"),
    [
        ("When does the Orla lift bridge open again?", [True, False, False]),
        ("When was the Orla lift bridge to open at first?", [False, False, False]),
        ("How long is the Orla lift bridge closed in April?", [False, False, False]),
        ("Who won the Orla bridge run?", [True, False, False]),
    ],
)
def test_a_report_that_a_later_one_is_about_the_same_as_is_no_longer_so(question: str, superseded: list[bool]) -> None:
    titles = ["Orla lift bridge to open in May", "Orla lift bridge stays closed until June", "Bridge run in Orla"]
    days = ["2026-01-03", "2026-04-02T08:00:00Z", ""]
    passages = [
        Passage("The county says so.", f"https://post.test/{place}", title, "web", published=day)
        for place, (title, day) in enumerate(zip(titles, days, strict=True))
    ]
    assert superseded_reports(question, question, passages) == superseded


def test_a_review_of_one_model_is_not_superseded_by_one_of_another() -> None:
    passages = [
        Passage("It lasts.", f"https://post.test/{day}", f"Tarn {model} head lamp reviewed", "web", published=day)
        for day, model in (("2025-03-01", 300), ("2026-03-01", 500))
    ]
    assert superseded_reports("How long does the Tarn 300 last?", "", passages) == [False, False]
    assert superseded_reports("How long does the Tarn head lamp last?", "", passages) == [True, False]
