"""Whose price a row is, by the ages in its name, and the age that a question tells."""

import pytest

from chatbot.models.pipeline.reading.tables.age_groups import is_of_age, told_age


@pytest.mark.parametrize(
    ("name", "of", "not_of"),
    [
        ("Single, under 16", (3, 15), (16, 40)),
        ("Child 5 to 15", (5, 15), (4, 16)),
        ("Kinder von 6 bis 13", (6, 13), (5, 14)),
        ("Up to 12", (0, 12), (13,)),
        ("Seniors, 65 and over", (65, 90), (64,)),
        ("65+", (65,), (64,)),
        ("Over 60", (61,), (60,)),
        ("Moins de 18 ans", (17,), (18,)),
        ("Ab 14", (14,), (13,)),
        ("Adult", (), (40,)),
        ("Παιδιά 6 έως 17 ετών", (6, 17), (5, 18)),
        ("Дети от 7 до 14 лет", (7, 14), (6, 15)),
        ("Παιδιά κάτω των 6 ετών", (5,), (6,)),
        ("6～12歳", (6, 12), (5, 13)),
        ("65岁以上", (65,), (64,)),
        ("만 6세 미만", (5,), (6,)),
        ("الأطفال من 6 إلى 12 سنة", (6, 12), (5, 13)),
        ("Группа от 10 человек", (), (12,)),
        ("до 15 мая", (), (12,)),
        ("Вход с 9 до 17 часов", (), (12,)),
        ("9時から17時", (), (12,)),
        ("από 10 άτομα", (), (12,)),
        ("Groups 10-20 persons", (), (12,)),
        ("Zone 1-12", (), (12,)),
        ("bis 14 Uhr", (), (12,)),
        ("Under 18 months", (), (9,)),
        ("1-14 July", (), (9,)),
        ("über 1,40 m", (), (9,)),
        ("Family (2 adults, up to 3 children)", (), (3,)),
        ("from 14:00", (), (20,)),
    ],
)
def test_the_ages_of_a_name_are_read(name: str, of: tuple[int, ...], not_of: tuple[int, ...]) -> None:
    assert all(is_of_age(name, age) for age in of)
    assert not any(is_of_age(name, age) for age in not_of)


@pytest.mark.parametrize(
    ("question", "age"),
    [
        ("what does it cost for a kid, he's 9", 9),
        ("what do i pay? my daughter is 8", 8),
        ("What is the price for a 12-year-old?", 12),
        ("Was kostet es für meine 9-jährige Tochter?", 9),
        ("Was kostet es, mein Sohn ist 9 Jahre alt?", 9),
        ("combien ça coûte, c'est pour ma fille de 8 ans", 8),
        ("¿cuánto cuesta para un niño de 7 años?", 7),
        ("what does it cost, i'm 67", 67),
        ("when do they train? my daughter is 8 (and her brother, he's 11)", 11),
        ("how much does a child of nine pay in the cave?", 9),
        ("what is it for a boy of 7?", 7),
        ("what does it cost for my ten year old", 10),
        ("Сколько стоит билет для ребёнка 9 лет?", 9),
        ("9歳の子供はいくらですか？", 9),
        ("what do i pay, he is the child of two teachers", None),
        ("how much is it for kids of 6 and 14?", None),
        ("Сколько стоит билет для детей до 7 лет?", None),
        ("Мы были тут 2 года назад, сколько стоит билет?", None),
        ("12岁以下的孩子门票多少钱?", None),
        ("21세기 박물관은 얼마예요?", None),
        ("what does it cost, the train is 9 minutes late", None),
        ("what does it cost for 9 years", None),
        ("was kostet es seit 9 Jahren?", None),
        ("what do they pay, she's 9 and he's 12", None),
        ("what does it cost, it is 9:30 now", None),
        ("what does it cost at 9", None),
        ("what do my kids pay, they are 9 and 12", None),
        ("what does it cost for kids aged 4 and 15", None),
        ("what does it cost, our group is 12", None),
        ("what does it cost, she is 18 months old", None),
        ("what does it cost, i'm 50% disabled", None),
        ("what does it cost, my boat is 9 metres", None),
    ],
)
def test_an_age_is_read_where_one_is_told(question: str, age: int | None) -> None:
    assert told_age(question) == age
