from chatbot.models.pipeline.word_for_word import has_item, has_row

TABLE = "| From the quay | From the island |\n|---|---|\n| 06:40 | 07:30 |\n| 09:10 | 10:00 |"
QUESTION = "When does the first ferry leave the quay?"


def test_an_item_of_a_list_stands_in_the_text_with_its_words_and_numbers() -> None:
    text = "For the filling: 3 leeks, 200 g sour cream, a pinch of saffron."
    assert has_item(text, "200 g sour cream")
    assert not has_item(text, "250 g sour cream")
    assert not has_item(text, "two pears")


def test_figures_of_a_sentence_stand_in_one_row_of_a_table() -> None:
    assert has_row(TABLE, "The first ferry leaves at 06:40.", QUESTION)
    assert not has_row(TABLE, "It leaves at 06:40 and at 10:00.", QUESTION)
    assert not has_row(TABLE, "It leaves early.", QUESTION)
    assert not has_row("It leaves at 06:40.", "It leaves at 06:40.", QUESTION)


def test_the_row_that_has_most_of_the_questions_words_is_meant() -> None:
    fares = "| Passenger | Single | Return |\n|---|---|---|\n| Adult | 4.90 | 8.60 |\n| Child | 2.40 | 4.20 |"
    question = "What does a return ticket for an adult cost?"
    assert has_row(fares, "It costs 8.60.", question)
    assert not has_row(fares, "It costs 4.20.", question)
