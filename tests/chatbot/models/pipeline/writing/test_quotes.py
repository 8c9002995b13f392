"""Which sentence is quoted where no passage bears out what a model made of it."""

from dataclasses import replace

import pytest

from chatbot.conversation.messages import Source
from chatbot.models.pipeline.reading.answer_evidence import FOREIGN_LIKENESS, Reading
from chatbot.models.pipeline.reading.expected import Kind
from chatbot.models.pipeline.writing.quotes import as_shown, counts_thing, find_quote, nearest_sentence
from rag.documents import Passage


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("How many readers does the archive have?", False),
        ("How many maps are in the archive?", True),
        ("How many people work there?", True),
    ],
)
def test_a_number_of_other_things_is_no_answer(question: str, quoted: bool) -> None:
    said = "Today it keeps 412 maps."
    reading = Reading(said, (Source(1, Passage(said, "/archive", "The archive", "web")),), alike=0.7, quote=said)
    assert find_quote(reading, question, "fact", Kind.COUNT, []) == (said if quoted else "")


@pytest.mark.parametrize(
    ("said", "counts"),
    [
        ("The archive has 412 readers a day.", True),
        ("The archive has 412 kinds of maps.", False),
        ("412.", True),
        ("412 people.", True),
        ("Das Archiv hat 412 Karten.", True),
        ("A reader pays £24 a year, or £13 if retired.", False),
        ("The 412 readers pay £24 a year.", True),
        ("Twelve readers pay £24 a year.", True),
    ],
)
def test_an_answer_to_how_many_counts_what_is_asked_for(said: str, counts: bool) -> None:
    assert counts_thing(said, "How many readers does the archive have?") is counts


ALUM, MADDER = "You need 60 grams of alum for it.", "Then come 400 grams of dried madder."


@pytest.mark.parametrize(
    ("said", "question", "counts"),
    [
        (ALUM, "How much madder do I need to dye 500 grams of wool?", False),
        (MADDER, "How much madder do I need to dye 500 grams of wool?", True),
        ("You need two hours for it altogether.", "How much do I need to do in the evening?", True),
        ("The big one is 26 grams heavier than that.", "How much heavier is the big one?", True),
        ("One may take 20 kilograms on the bus.", "How much luggage may I take on the bus?", True),
        ("It has 16 GB of RAM inside.", "How much memory does the laptop have?", True),
        ("The warranty is for 24 months.", "How many years is the warranty?", True),
    ],
)
def test_what_is_measured_is_named_where_the_page_has_a_word_for_it(said: str, question: str, counts: bool) -> None:
    assert counts_thing(said, question, [ALUM, MADDER]) is counts


def test_a_line_with_the_times_of_the_day_is_quoted_in_a_language_that_no_vector_knows() -> None:
    said = "« La Lampe » : vendredi à 20 h, dimanche à 17 h"
    source = Source(1, Passage(said, "/cinema", "Cinéma", "web"))
    reading = Reading(said, (source,), alike=FOREIGN_LIKENESS, coverage=0.4, quote=said)
    assert find_quote(reading, "À quelle heure passe « La Lampe » le dimanche ?", "fact", Kind.CLOCK, []) == said
    assert not find_quote(reading, "À quelle heure passe « La Lampe » le lundi ?", "fact", Kind.CLOCK, [])


def test_a_line_without_a_word_of_the_question_is_not_quoted_for_what_its_passage_has() -> None:
    of_club, of_hill = "Vorsitzender des Vereins ist Udo Brandt.", "Auf 640 Metern steht sie seit dem Jahr 1972 allein."
    text = f"{of_hill} {of_club}"
    source = Source(1, Passage(text, "/sterne", "Sternwarte", "web"))
    question = "Und wie alt ist der Vorsitzende des Vereins?"
    for quote, quoted in ((of_hill, False), (f"{of_club[:-1]}, 61.", True)):
        reading = Reading(text, (source,), alike=FOREIGN_LIKENESS, coverage=0.8, quote=quote)
        assert bool(find_quote(reading, question, "fact", Kind.FIGURE, [])) is quoted


def test_what_is_quoted_has_the_number_of_the_passage_that_has_it_or_its_row() -> None:
    table = "| What | Arlo |\n|---|---|\n| Weight | 94 g |\n"
    texts = ["The Arlo Plus weighs 120 g.", table, "The Arlo is red."]
    sources = [Source(number, Passage(text, "/arlo", "Arlo", "web")) for number, text in enumerate(texts, 1)]
    reading = Reading("", tuple(sources))
    assert as_shown("What: Weight, Arlo: 94 g", "How heavy is it?", "", "fact", reading) == (
        "What: Weight, Arlo: 94 g",
        2,
    )
    assert as_shown("The Arlo is red.", "Which colour is it?", "", "fact", reading) == (
        "The Arlo is red.",
        3,
    )
    assert as_shown("The Arlo is blue.", "Which colour is it?", "", "fact", reading) == (
        "The Arlo is blue.",
        1,
    )


def test_of_a_quoted_row_the_day_is_shown_that_was_asked_for() -> None:
    table = "| Month | Friday | Sunday |\n|---|---|---|\n| August | 22:15 | 21:45 |\n| September | 21:30 | 21:00 |"
    source = Source(4, Passage(table, "/cinema", "Cinema", "web"))
    row = "Month: August, Friday: 22:15, Sunday: 21:45"
    shown, number = as_shown(row, "When does it begin on Sundays in August?", "", "fact", Reading("", (source,)))
    assert (number, "21:45" in shown, "22:15" in shown) == (4, True, False)


def test_a_line_below_a_heading_that_denies_is_quoted_where_the_model_said_the_contrary() -> None:
    given = Passage("Batteries, oil and paint.", "/depot", "Depot", "web", heading=("Depot", "Not accepted"))
    reading = Reading(given.text, (Source(1, given),), alike=0.4, quote=given.text)
    assert find_quote(reading, "May I bring old oil?", "yesno", Kind.ANYTHING, ["Yes, you may bring old oil."])
    assert not find_quote(reading, "May I bring old tyres?", "yesno", Kind.ANYTHING, ["Yes, you may bring old tyres."])


def test_a_quote_that_says_whether_stands_below_its_heading_which_says_it() -> None:
    given = Passage("Batteries, oil and paint.", "/depot", "Depot", "web", heading=("Depot", "Not accepted"))
    said = "Batteries, oil and paint."
    assert as_shown(said, "May I bring oil?", "", "yesno", Reading("", (Source(1, given),))) == (
        f"Not accepted: {said}",
        1,
    )
    assert as_shown(said, "What may I not bring?", "", "fact", Reading("", (Source(1, given),))) == (said, 1)


@pytest.mark.parametrize(
    ("line", "quoted"), [("The bowl does not go into the dishwasher.", True), ("The bowl holds two litres.", False)]
)
def test_a_line_that_denies_is_quoted_where_the_model_said_the_contrary(line: str, quoted: bool) -> None:
    source = Source(1, Passage(line, "/bowl.md", "Bread machine", "file"))
    reading = Reading(line, (source,), alike=FOREIGN_LIKENESS, coverage=0.4, quote=line)
    question = "Can I put the bowl into the dishwasher?"
    found = find_quote(reading, question, "yesno", Kind.ANYTHING, ["Yes, the bowl goes into the dishwasher."])
    assert bool(found) is quoted


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("The bell of the mill rings at noon.", "The bell of the mill rings at noon. The miller wanted his lunch."),
        ("It rings because of the miller's lunch.", "It rings because of the miller's lunch."),
        ("He was called Odo in the village.", "He was called Odo in the village."),
        ("The wheel is of oak.", "The wheel is of oak."),
        ("钟在中午敲响给大家听的时候很响亮。", "钟在中午敲响给大家听的时候很响亮。磨坊主想在那个时候吃他的午饭。"),
    ],
)
def test_why_it_is_so_the_sentence_behind_the_quoted_one_may_say(said: str, shown: str) -> None:
    text = (
        "The bell of the mill rings at noon. The miller wanted his lunch.\nHe was called Odo in the village.\n\n"
        "It rings because of the miller's lunch. It is made of iron.\n\nThe wheel is of oak. Who was the miller?\n\n"
        "钟在中午敲响给大家听的时候很响亮。磨坊主想在那个时候吃他的午饭。"
    )
    sources = [Source(1, Passage(text, "/mill", "Mill", "web"))]
    assert as_shown(said, "Why does it ring?", "Why does it ring?", "fact", Reading("", tuple(sources))) == (shown, 1)
    assert as_shown(said, "When does it ring?", "When does it ring?", "fact", Reading("", tuple(sources))) == (said, 1)


@pytest.mark.parametrize(
    ("quote", "question", "form", "shown"),
    [
        ("- Dogs stay outside.", "May I bring my dog?", "yesno", ("Dogs stay outside.", 4)),
        ("The hut has 12 beds.", "May I bring my dog?", "yesno", ("", 0)),
        ("It was cold in 1742.", "Who built the mill?", "fact", ("", 0)),
        (f"It has {'very ' * 60}old walls.", "What is the mill like?", "explain", ("", 0)),
    ],
)
def test_what_comes_nearest_is_short_and_of_the_kind_that_is_asked_for(
    quote: str, question: str, form: str, shown: tuple[str, int]
) -> None:
    source = Source(4, Passage(quote, "/notes.html", "Notes", "web"))
    assert nearest_sentence(Reading(quote, (source,), alike=0.4, quote=quote), question, "", form) == shown


@pytest.mark.parametrize(
    ("question", "form", "quoted"),
    [
        ("And on Fridays?", "fact", False),
        ("How late is it open on Saturdays?", "fact", True),
        ("Is it open on Fridays?", "yesno", True),
    ],
)
def test_the_hours_of_another_day_are_not_quoted(question: str, form: str, quoted: bool) -> None:
    said = "On Saturdays it is open from 1 pm to 3 pm."
    source = Source(1, Passage(f"{said} The key is at the desk.", "/pool", "Pool", "web"))
    reading = Reading(said, (source,), alike=0.9, coverage=0.9, quote=said)
    assert find_quote(reading, question, form, Kind.CLOCK, []) == (said if quoted else "")
    other = replace(reading, quote="The key is at the desk.")
    told = find_quote(other, question, "fact", Kind.CLOCK, ["It is open from 1 pm to 3 pm."])
    assert (told == said) is ((quoted and form == "fact") or form == "yesno")


def test_what_announces_a_list_is_quoted_with_its_items_unless_they_are_many() -> None:
    announced = "On Monday the lifts stand still in these houses:"
    text = f"{announced}\n\n- Elm House\n- Oak House, lift 2\n\nThe stairs are open.\n\n- They are steep."
    asked = ("Where do the lifts stand still?", "", "fact")

    def shown_of(text: str, quote: str) -> tuple[str, int]:
        return as_shown(quote, *asked, Reading("", (Source(3, Passage(text, "/lifts", "Lifts", "web")),)))

    assert shown_of(text, announced) == (f"{announced} Elm House, Oak House, lift 2", 3)
    assert shown_of(text, "The stairs are open.") == ("The stairs are open.", 3)
    apart = "\n\n- Elm House,\n  entrance B\n\n- Oak House\n"
    assert shown_of(f"{announced}{apart}", announced) == (f"{announced} Elm House, entrance B, Oak House", 3)
    assert shown_of(f"{announced}\n- In the east:\n- Elm House", announced) == (announced, 3)
    many = "\n".join(f"- House number {number} of the estate" for number in range(30))
    assert shown_of(f"{announced}\n\n{many}", announced) == (announced, 3)
