import pytest

from chatbot.models.pipeline.writing.completing import (
    says_nothing,
    without_frame,
    without_strange_signs,
    write_dates_as,
    write_times_as,
)


@pytest.mark.parametrize(
    ("passage", "sentence", "written"),
    [
        (
            "| Mardi | 8 h 15 - 12 h 00 |",
            "La poste ouvre de 8 heures 15 à 12 heures le mardi.",
            "La poste ouvre de 8 h 15 à 12 h 00 le mardi.",
        ),
        ("| 星期二 | 9:00 - 20:45 |", "游泳馆星期二关门时间是晚上8点45分。", "游泳馆星期二关门时间是20:45。"),
        ("Letzter Einlass: 17:20 Uhr", "Der letzte Einlass ist um 17 Uhr 20.", "Der letzte Einlass ist um 17:20."),
        ("Последний паром в 18:30.", "Он отходит в 18 часов 30 минут.", "Он отходит в 18:30."),
    ],
)
def test_a_time_stands_in_an_answer_as_in_its_passage(passage: str, sentence: str, written: str) -> None:
    assert write_times_as([passage], sentence) == written


@pytest.mark.parametrize(
    "sentence",
    [
        "Die Fahrt dauert 45 Minuten.",
        "Um 17 Uhr 15.",
        "Le billet coûte 2 h 40.",
        "It holds 30 litres and weighs 7 kg.",
        "晚上8点关门。",
    ],
)
def test_what_is_no_time_of_the_passage_stays(sentence: str) -> None:
    assert write_times_as(["Von 7:30 bis 16.45 Uhr, dann 20:15; 12.30 €, 2.40 €"], sentence) == sentence


@pytest.mark.parametrize(
    ("passage", "sentence", "language", "written"),
    [
        ("It opens on 18 July 2027.", "It opens in July 2027.", "en", "It opens on 18 July 2027."),
        ("Ab dem 3. März 2028 gilt sie.", "Sie gilt ab März 2028.", "de", "Sie gilt ab 3. März 2028."),
        ("Am 3. März 2028 wird gebaut.", "Gebaut wird im März 2028.", "de", "Gebaut wird am 3. März 2028."),
        ("Le 2 mai 2027 il ouvre.", "Il ouvre en mai 2027.", "fr", "Il ouvre le 2 mai 2027."),
        ("Abre el 9 de junio de 2027.", "Abre en junio de 2027.", "es", "Abre el 9 de junio de 2027."),
        ("线路将推迟到2027年7月18日通车。", "线路2027年7月通车。", "zh", "线路2027年7月18日通车。"),
        ("It opens on 18 July 2027, the hall on 20 July 2027.", "In July 2027.", "en", "In July 2027."),
        ("It opens on 18 July 2026.", "It opens in July 2027.", "en", "It opens in July 2027."),
        ("It opens on 18 July 2027.", "It opens on 18 July 2027.", "en", "It opens on 18 July 2027."),
        ("18 lipca 2027 otwarcie.", "Otwarcie w lipca 2027.", "pl", "Otwarcie w lipca 2027."),
    ],
)
def test_a_date_has_the_day_that_the_passage_has(passage: str, sentence: str, language: str, written: str) -> None:
    assert write_dates_as([passage], sentence, language) == written


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("The passage is about the pier, which is closed since May.", "The pier is closed since May."),
        ("The text says that dogs may swim.", "Dogs may swim."),
        (" According to the article, it rains.", " It rains."),
        ("The passage is on the left bank.", "The passage is on the left bank."),
        ("The pier is closed.", "The pier is closed."),
    ],
)
def test_an_answer_speaks_of_the_thing_and_not_of_the_passage_that_was_read(written: str, shown: str) -> None:
    assert without_frame(written, "Is there any news of the pier?") == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("The text is about dogs.", "The text is about dogs."),
        ("The passage is about dogs, cats and how they live.", "This is about dogs, cats and how they live."),
    ],
)
def test_of_a_text_that_was_asked_about_it_speaks_by_the_users_name_for_it(written: str, shown: str) -> None:
    assert without_frame(written, "What is the text about?") == shown


def test_a_sign_of_a_currency_that_no_text_has_is_left_out() -> None:
    assert without_strange_signs("amount: 51.25", "It was $51.25.") == "It was 51.25."
    assert without_strange_signs("amount: $51.25", "It was $51.25.") == "It was $51.25."
    assert without_strange_signs("Das kostet 12 Euro.", "Es kostet €12.") == "Es kostet €12."


@pytest.mark.parametrize(
    ("sentence", "question", "nothing"),
    [
        ("The passage does not provide information about the fee.", "What is the fee?", True),
        ("Der Text enthält keine Angaben zur Gebühr.", "Wie hoch ist die Gebühr?", True),
        ("The text does not mention a fee.", "Does the text mention a fee?", False),
        ("The fee does not include the key.", "What does the fee include?", False),
        ("The document does not need to be signed.", "Must I sign it?", False),
        ("The text does not specify the fee, but says that members pay 5 euros.", "What is the fee?", False),
        ("The document does not mention a deadline.", "Does the letter say anything of a deadline?", False),
        ("Le texte ne précise pas le prix.", "Quel est le prix ?", True),
        ("The document does not name the captain, who was Ole Lund.", "Who was the captain?", False),
        ("The text does not say that dogs are banned.", "Are dogs banned?", False),
    ],
)
def test_that_a_passage_says_nothing_of_it_is_no_answer(sentence: str, question: str, nothing: bool) -> None:
    assert says_nothing(sentence, question) is nothing
