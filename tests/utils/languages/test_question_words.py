"""What questions in other languages ask for."""

import pytest

from utils.languages.question_words import asks_hour, asks_price


@pytest.mark.parametrize(
    "question",
    [
        "Bis wie viel Uhr ist das Bad offen?",
        "Jusqu'à quelle heure la piscine est-elle ouverte ?",
        "¿A qué hora empieza la película?",
        "A che ora parte il traghetto?",
        "Hoe laat gaat het museum dicht?",
        "Do której jest otwarty basen?",
        "До котрої години працює басейн?",
        "游泳池几点关门？",
    ],
)
def test_a_question_for_an_hour_is_known(question: str) -> None:
    assert asks_hour(question)
    assert not asks_price(question)


@pytest.mark.parametrize(
    "question",
    [
        "Was kostet eine Karte?",
        "Combien coûte un billet ?",
        "¿Cuánto cuesta la entrada?",
        "Quanto costa una notte?",
        "Wat kost een kaartje?",
        "Ile kosztuje bilet?",
        "Сколько стоит билет?",
        "门票多少钱？",
    ],
)
def test_a_question_for_a_price_is_known(question: str) -> None:
    assert asks_price(question)
    assert not asks_hour(question)


def test_other_questions_are_neither() -> None:
    for question in (
        "Wer leitet den Chor?",
        "Combien de lits y a-t-il ?",
        "Was ist ein Maar?",
        "Jaka jest historia wsi, o której mowa?",
    ):
        assert not (asks_hour(question) or asks_price(question))
