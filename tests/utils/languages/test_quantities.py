"""Numbers, times and dates: what one of them says of another."""

import pytest

from utils.languages.quantities import all_offered, find_quantities, normalize_text, without_durations


def says(passage: str, sentence: str) -> bool:
    """Whether a passage has all numbers of a sentence."""
    offered = all_offered(find_quantities(normalize_text(passage)))
    return all(quantity.required & offered for quantity in find_quantities(normalize_text(sentence)))


@pytest.mark.parametrize(
    ("passage", "sentence"),
    [
        ("Sie öffnet am 17. März 2027.", "Der Verein hat 17 Boote."),
        ("Ouvert le 12 mai.", "Il y a 12 personnes."),
        ("It opens at 9:00.", "It has 9 rooms."),
        ("Geöffnet ab 13 Uhr.", "Dort spielen 13 Kinder."),
        ("Le concert est à 20 h 30.", "Il y a 30 personnes."),
        ("Ab 8 Uhr 15 ist offen.", "Es hat 15 Zimmer."),
    ],
)
def test_the_day_of_a_date_and_an_hour_count_nothing(passage: str, sentence: str) -> None:
    assert not says(passage, sentence)


@pytest.mark.parametrize(
    ("passage", "sentence"),
    [
        ("Sie öffnet am 17. März 2027.", "Sie öffnet am 17."),
        ("It opens on 17 March 2027.", "It opens on the 17th."),
        ("Fermé le 12 mai.", "Il ferme le 12 prochain."),
        ("It opens at 9:00.", "It opens at 9 every day."),
        ("Das Museum schließt um 18 Uhr.", "Es schließt um 18 abends."),
        ("There are 15 rooms.", "It has 15 rooms in all."),
        ("Le concert est à 20 h 30.", "It begins at 20:30."),
        ("Um 9 Uhr kamen 4 Kinder.", "4 children came."),
        ("Beginn 20 Uhr 15 Euro", "Es kostet 15 Euro."),
    ],
)
def test_a_day_and_an_hour_are_told_by_their_number_alone(passage: str, sentence: str) -> None:
    assert says(passage, sentence)


def test_how_many_days_or_months_it_takes_is_no_hour() -> None:
    assert without_durations("hasta seis meses, de 9:00 a 20:00").split() == ["hasta", ",", "de", "9:00", "a", "20:00"]


@pytest.mark.parametrize(
    ("passage", "sentence"),
    [
        ("开放时间：上午9点半至下午5点。", "It is open from 9:30 to 17:00."),
        ("映画は午後7時50分に始まります。", "The film begins at 7:50 pm."),
        ("晚上十点四十八分结束", "It ends at 22:48."),
        ("오후 3시 30분에 떠납니다", "It leaves at 15:30."),
        ("晚上12点关门", "It closes at 0:00."),
        ("下午5:30下班", "下午五点半下班"),
        ("15点开始", "下午3点开始"),
        ("夜里2点出发", "It leaves at 2 am."),
        ("深夜2時まで営業", "It is open until 2:00 am."),
        ("今晚0点", "It begins at 0:00."),
        ("中午11点半", "It closes at 11:30 am."),
        ("中午1点", "It opens at 1 pm."),
        ("오전 10시 반납", "Bring it back by 10 am."),
        ("下午5点半价", "Half price from 5 pm."),
    ],
)
def test_the_half_of_the_day_stands_before_the_hour_in_chinese_japanese_and_korean(passage: str, sentence: str) -> None:
    assert says(passage, sentence)


@pytest.mark.parametrize(
    ("passage", "sentence"),
    [
        ("上午9点开门", "It opens at 9 pm."),
        ("下午3点开始", "It begins at 3 am."),
        ("晚上一点都不吵", "At 1 am."),
        ("2時間10分です", "At 2:10."),
    ],
)
def test_the_other_half_of_the_day_is_another_time(passage: str, sentence: str) -> None:
    assert not says(passage, sentence)
