"""What is only told behind a question."""

import pytest

from utils.languages.told_behind import without_told_behind


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("when does the mill close, i want to go after work", "when does the mill close"),
        ("when does the mill close? i read it once but lost the leaflet", "when does the mill close?"),
        ("till when can i return it, the zip doesnt shut", "till when can i return it"),
        ("wie lange hat die mühle offen, wir kommen erst spät an", "wie lange hat die mühle offen"),
        ("quand ouvre le moulin, je voudrais y aller", "quand ouvre le moulin"),
        ("¿cuándo abre el molino? quiero ir con mi hermano", "¿cuándo abre el molino?"),
        ("dove ho messo la chiave? non me lo ricordo", "dove ho messo la chiave?"),
        ("när stänger kvarnen, vi tänkte åka dit", "när stänger kvarnen"),
        ("ile kosztuje bilet, chcemy tam pojechać", "ile kosztuje bilet"),
    ],
)
def test_why_it_is_asked_is_no_part_of_a_question(message: str, asked: str) -> None:
    assert without_told_behind(message) == asked


@pytest.mark.parametrize(
    "message",
    [
        "what do i pay, im a student",
        "what do i pay? we are two adults",
        "may she drive it? She isn't in the club.",
        "what do they charge for a child, my daughter turned 9 in may",
        "when does the mill close, the one in the hills i mean",
        "when does the mill close, and what does it cost",
        "when does it close, i meant the mill",
        "what is a mill, no long words please",
        "when does the mill close",
        "i went to the mill, when does it close, i want to know",
        "remind me to ring ada, she wants to know when i come",
        "translate: when does it close, i want to go after work",
        "what does 'it is shut, we want to go' mean, i wonder about it",
        "it closed, i went home",
        "why, i like it here",
    ],
)
def test_what_may_be_a_condition_or_is_no_question_stays_as_it_is(message: str) -> None:
    assert without_told_behind(message) == message
