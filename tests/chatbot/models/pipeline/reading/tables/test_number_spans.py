"""Names of rows and columns that stand for a span of numbers, and questions that have one of these."""

import pytest

from chatbot.models.pipeline.reading.tables.number_spans import fits_span, spans_that_fit


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("2-5 kg", "what does a parcel of 3 kilos cost", "and one of 7 kilos?"),
        ("up to 2 kg", "it weighs 1.5 kg", "it weighs 2.5 kg"),
        ("bis 2 kg", "es wiegt 2 kg", "es wiegt 2,5 kg"),
        ("über 10 kg", "ein Paket mit 12 Kilo", "ein Paket mit 10 Kilo"),
        ("20-100 km", "we live 60 km off", "we live 140 km off"),
        ("1,300-1,600 kg", "the caravan is 1,450 kilos", "the caravan is 1,200 kilos"),
        ("under 16", "he is 15", "he is 16"),
        ("Child 4-15, weekend", "he is 15", "he is 16"),
        ("moins de 18 ans", "j'ai 17 ans", "j'ai 18 ans"),
        ("65+", "she's 71", "she's 64"),
        ("40 and more", "there are 52 of us", "there are 25 of us"),
        ("from 10 people", "for 12 of us", "for 9 of us"),
        ("entre 4 y 14 años", "tiene 9 años", "tiene 15 años"),
    ],
)
def test_a_number_of_a_question_is_in_the_span_of_a_name_or_outside(name: str, inside: str, outside: str) -> None:
    assert fits_span(inside, name) == 1
    assert fits_span(outside, name) == -1


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("Adult", "he is 15"),
        ("2-5 kg", "what does a parcel cost?"),
        ("9:00-17:30", "is it open at 10?"),
        ("until 5 pm", "there are 4 of us"),
        ("16 Mar – 31 Oct", "what do 20 of us pay in July?"),
        ("From 1 May", "there are 4 of us"),
        ("2024-25", "it is for 25 people"),
    ],
)
def test_where_a_name_has_no_span_or_a_question_no_number_neither_is_told(name: str, question: str) -> None:
    assert fits_span(question, name) == 0


def test_of_spans_that_are_open_on_one_side_the_narrowest_fits() -> None:
    names = ["up to 2 kg", "up to 5 kg", "up to 10 kg", "more than 10 kg", "Letters"]
    assert spans_that_fit("what is it for 3.5 kg?", names) == dict(zip(names, [-1.0, 1.0, 0.0, -1.0, 0.0], strict=True))
    groups = ["from 10 people", "from 20 people"]
    assert spans_that_fit("we are 25", groups) == {"from 10 people": 0.0, "from 20 people": 1.0}
    assert spans_that_fit("we are 12", groups) == {"from 10 people": 1.0, "from 20 people": -1.0}
    ages = ["under 6", "under 16"]
    assert spans_that_fit("what is it for my two, 5 and 12?", ages) == dict.fromkeys(ages, 1.0)
