"""What questions in other languages ask for."""

import pytest

from utils.languages.question_words import asking_part, asks_hour, asks_price, asks_when, bare_question


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


@pytest.mark.parametrize(
    ("message", "asking"),
    [
        ("My son is 9. Which day is his?", "Which day is his?"),
        ("my bike got stolen.. what does one cost?", "what does one cost?"),
        ("Where is it? I have to go. When does it open?", "Where is it? When does it open?"),
        ("It is 9.30 now, is it open?", "It is 9.30 now, is it open?"),
        ("Tell me more.", "Tell me more."),
        ("We come on Friday, how late is it open?", "how late is it open?"),
        ("Is the pool open at 7 a.m. on Sunday?", "Is the pool open at 7 a.m. on Sunday?"),
        ("What does Dr. Roth charge for a visit?", "What does Dr. Roth charge for a visit?"),
        ("What is it for a group... say 12?", "What is it for a group... say 12?"),
        ("I spent a lot; add up the total please.", "I spent a lot; add up the total please."),
    ],
)
def test_what_asks_is_told_from_what_is_told_beside_it(message: str, asking: str) -> None:
    assert asking_part(message) == asking


@pytest.mark.parametrize(
    ("question", "when"),
    [
        ("¿Hasta cuándo tengo tiempo para decidirme?", True),
        ("Bis wann muss ich kündigen?", True),
        ("Und seit wann gibt es das Bad?", True),
        ("Jusqu'à quand le musée est-il fermé ?", True),
        ("Fino a quando è aperto il rifugio?", True),
        ("До когда открыт каток?", True),
        ("До когда?", True),
        ("展览到什么时候结束？", True),
        ("Ab wann dürfen Kinder allein schwimmen?", False),
        ("去机场坐几号线？", False),
        ("彼がいつも使うペンは何ですか", False),
        ("Quando piove, dove si va?", False),
        ("Was kostet es?", False),
        ("Ich weiß nicht, wann er kommt.", False),
    ],
)
def test_a_question_for_a_day_is_known_and_what_only_says_when_is_none(question: str, when: bool) -> None:
    assert asks_when(question) is when


@pytest.mark.parametrize(
    ("question", "bare"),
    [
        ("And where does the name come from, according to the guide?", "Where does the name come from?"),
        ("und wann macht es zu?", "Wann macht es zu?"),
        ("I have two dogs, may they come?", "I have two dogs, may they come?"),
        ("Who, according to the rules, may swim there?", "Who, according to the rules, may swim there?"),
        ("Quem foi o segundo presidente do clube?", "Quem foi o segundo presidente do clube?"),
        ("A che ora parte il secondo treno per Vellin?", "A che ora parte il secondo treno per Vellin?"),
        ("Does the price vary according to age?", "Does the price vary according to age?"),
        ("So how much is it?", "How much is it?"),
        ("And on Sundays?", "And on Sundays?"),
    ],
)
def test_the_word_that_goes_on_and_the_source_are_left_out_of_a_question(question: str, bare: str) -> None:
    assert bare_question(question) == bare


@pytest.mark.parametrize(
    ("question", "bare"),
    [
        ("What does her cousin Henrik do for a living?", "What is Henrik’s profession?"),
        ("And what does she do for a living? (Marta Okell)", "What is her profession? (Marta Okell)"),
        ("What does his sister do for work?", "What is his sister’s profession?"),
        ("What does Ada van Loon do professionally?", "What does Ada van Loon do professionally?"),
        ("What does the pool do for children?", "What does the pool do for children?"),
        ("What do I do for work permits?", "What do I do for work permits?"),
    ],
)
def test_what_somebody_does_for_a_living_is_asked_as_their_profession(question: str, bare: str) -> None:
    assert bare_question(question) == bare
