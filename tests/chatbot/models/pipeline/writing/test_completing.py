import pytest

from chatbot.models.pipeline.writing.completing import write_times_as


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
