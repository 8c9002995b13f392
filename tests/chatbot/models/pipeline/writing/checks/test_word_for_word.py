import pytest

from chatbot.models.pipeline.reading.expected import Kind
from chatbot.models.pipeline.writing.checks.word_for_word import (
    is_of_asked_kind,
    left_over,
    says_opposite,
    speaks_of_something_else,
    tells_otherwise,
    turns_question_round,
)


def test_what_is_left_of_a_number_of_a_line_is_borne_out_by_it() -> None:
    plan, asked = "Budget: 640 pounds, 210 of it for the hotel\nTrain at 7:52", "What is left of the budget?"
    assert left_over(asked, plan, {"430"})
    assert not left_over(asked, plan, {"420"})
    assert not left_over(asked, plan, {"633"})
    assert not left_over("What does the hotel cost?", plan, {"430"})


def test_what_a_text_says_to_begin_then_does_not_end_then() -> None:
    text = "The course starts on 4 May and lasts three weeks. Fees are due on 1 April."
    assert says_opposite(text, "The course ends on 4 May.")
    assert not says_opposite(text, "The course starts on 4 May.")
    assert not says_opposite(text, "The course ends three weeks later.")
    assert not says_opposite("It starts on 4 May. The fair ends on 4 May.", "The fair ends on 4 May.")


@pytest.mark.parametrize(
    ("sentence", "turned"),
    [
        ("The Harbour Orchestra conducts the concerts.", True),
        ("Ruth Ames conducts the Harbour Orchestra.", False),
        ("The Harbour Orchestra is conducted by Ruth Ames.", False),
        ("At the Harbour Orchestra Ruth Ames conducts.", False),
        ("Ruth Ames.", False),
        ("The Harbour Orchestra conductor is Ruth Ames.", False),
    ],
)
def test_what_something_is_done_to_is_not_who_does_it(sentence: str, turned: bool) -> None:
    assert turns_question_round(sentence, "Who conducts the Harbour Orchestra?") is turned


def test_who_somebody_is_has_no_one_to_whom_it_is_done() -> None:
    assert not turns_question_round("The mayor is Ruth Ames.", "Who is the mayor?")


@pytest.mark.parametrize(
    ("sentence", "question", "other"),
    [
        ("The pond is 90 metres long.", "How deep is the pond?", True),
        ("The pond is 2 metres deep and 90 metres long.", "How deep is the pond?", False),
        ("The tower is 41 metres tall.", "How high is the tower?", False),
        ("The tour is 900 metres long.", "How long is the tour?", False),
        ("The pond was dug in 1901.", "How deep is the pond?", False),
        ("The 2 metre tall statue weighs 300 kilograms.", "How heavy is the statue?", False),
        ("The 90 metre long bridge is 12 metres above the river.", "How high is the bridge?", False),
        ("The snow was 2 metres high.", "How deep was the snow?", False),
        ("It took 4 years to dig the 300 metre deep shaft.", "How long did it take?", False),
        ("It stands at 12 High Street, 4 metres above it.", "How wide is the window?", False),
    ],
)
def test_how_long_something_is_does_not_say_how_deep_it_is(sentence: str, question: str, other: bool) -> None:
    assert speaks_of_something_else(sentence, question, question) is other


@pytest.mark.parametrize(
    ("sentence", "silent"),
    [
        ("The ring was found in a bush.", True),
        ("The ring was found by a gardener.", False),
        ("The ring was found thanks to Ines Roth.", False),
        ("A gardener was lucky.", False),
        ("The ring is kept in the museum.", False),
        ("The ring was found with a gardener's help.", False),
    ],
)
def test_that_something_was_done_does_not_say_who_did_it(sentence: str, silent: bool) -> None:
    assert turns_question_round(sentence, "Who found the ring?") is silent


def test_who_it_is_a_sentence_does_not_say_that_names_nobody_of_the_best_one() -> None:
    quote = "The choir is led by Ada Reed, who follows Jo Marsh."
    who, where = "Who leads the choir?", "Where is the concert?"
    for sentence, asked, others in (
        ("The concert of the choir is in the chapel of St Odo.", who, True),
        ("The concert of the choir is in the chapel of St Odo.", where, False),
        ("Since the summer the choir has been led by Ada Reed.", who, False),
        ("The members do.", who, False),
    ):
        assert speaks_of_something_else(sentence, asked, asked, quote) is others
    said = "The key is kept by the parish secretary of the village."
    quote = "Bookings go through the office, the parish secretary keeps the key."
    assert not speaks_of_something_else(said, "Who keeps the key?", "Who keeps the key?", quote)


def test_who_has_a_right_is_not_told_by_a_sentence_without_any_word_of_it() -> None:
    asked, english = "Chi ha diritto al ridotto?", "Who is entitled to the reduced ticket?"
    quote = "Hanno diritto al ridotto i ragazzi e gli studenti."
    said = "I residenti entrano gratis il primo giovedì del mese."
    assert speaks_of_something_else(said, asked, english, quote)
    assert not speaks_of_something_else("Gli studenti hanno diritto al ridotto.", asked, english, quote)
    assert not speaks_of_something_else("I ragazzi e gli studenti.", asked, english, quote)
    assert not speaks_of_something_else(said, asked, english, said)


@pytest.mark.parametrize(
    ("sentence", "question", "otherwise"),
    [
        ("Odo Reed is a boat builder.", "What does her cousin Odo do for a living?", True),
        ("Odo Reed is an architect.", "What does her cousin Odo do for a living?", False),
        ("Odo Reed was a boat builder at first.", "What did her cousin Odo do at first?", False),
    ],
)
def test_what_somebody_was_at_first_they_are_not(sentence: str, question: str, otherwise: bool) -> None:
    texts = ["The architect Odo Reed is her cousin.", "He was first a boat builder and came to architecture at 26."]
    assert tells_otherwise(texts, sentence, question) is otherwise


LIGHTHOUSE = [
    "It may be climbed from April to November.\n\n| Day | First | Last |\n|---|---|---|\n| Saturday | 9:45 | 18:15 |",
    "Adults pay £5.40, children £2.70, families £13.00.",
]


@pytest.mark.parametrize(
    ("sentence", "question", "otherwise"),
    [
        ("It may be climbed until November.", "Until when may it be climbed on a Saturday?", True),
        ("It may be climbed until 18:15.", "Until when may it be climbed on a Saturday?", False),
        ("It may be climbed until November.", "Until when may it be climbed?", False),
        ("Two adults would pay £5.40.", "What would two adults pay?", True),
        ("They would pay £13.00.", "What would two adults and two children pay?", False),
        ("An adult pays £5.40.", "What does an adult pay?", False),
    ],
)
def test_a_month_is_no_hour_of_a_day_and_the_price_of_one_not_that_of_several(
    sentence: str, question: str, otherwise: bool
) -> None:
    assert tells_otherwise(LIGHTHOUSE, sentence, question) is otherwise


def test_a_price_is_told_in_the_currency_that_the_passage_has() -> None:
    asked, page = "What does an adult pay?", "| Ticket | Price |\n|---|---|\n| Adult | £6.20 |"
    assert tells_otherwise([page], "An adult pays 6.20 euros.", asked)
    assert not tells_otherwise([page], "An adult pays 6.20 pounds.", asked)
    assert not tells_otherwise([page], "An adult pays 6.20 for 2 hours.", asked)
    assert not tells_otherwise(["Adults: 6.20"], "An adult pays 6.20 euros.", asked)


@pytest.mark.parametrize(
    ("sentence", "price"),
    [("It costs 300.", False), ("It costs 64.", True), ("The Beam 300 costs £300.", True), ("It is free.", True)],
)
def test_a_number_that_the_question_has_is_no_price_without_a_sign(sentence: str, price: bool) -> None:
    assert is_of_asked_kind(sentence, Kind.PRICE, "What does the Beam 300 cost?") is price
