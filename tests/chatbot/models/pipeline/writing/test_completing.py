import pytest

from chatbot.models.pipeline.writing.completing import write_times_as


@pytest.mark.parametrize(
    ("passage", "sentence", "written"),
    [
        (
            "| Samedi | 7 h 30 - 13 h 00 |",
            "Le marché ouvre de 7 heures 30 à 13 heures le samedi.",
            "Le marché ouvre de 7 h 30 à 13 h 00 le samedi.",
        ),
        ("| 星期五 | 9:00 - 21:30 |", "图书馆星期五关门时间是晚上9点30分。", "图书馆星期五关门时间是21:30。"),
        ("Letzte Talfahrt: 16:45 Uhr", "Die letzte Bahn fährt um 16 Uhr 45.", "Die letzte Bahn fährt um 16:45."),
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
