"""Why a message asks, behind its question."""

import pytest

from utils.languages.reasons import without_reason


@pytest.mark.parametrize(
    ("message", "asked"),
    [
        ("when does the mill close, i want to go after work", "when does the mill close"),
        ("when does the mill close? i read about it once but lost the leaflet", "when does the mill close?"),
        ("when does the mill close, i read it in the paper but i cant find it anymore", "when does the mill close"),
        ("till when can i return it, the zip doesnt fit", "till when can i return it"),
        ("what is the tallest mill there, my son asks", "what is the tallest mill there"),
        ("wie lange hat die mühle offen, wir wollen da hingehen", "wie lange hat die mühle offen"),
        ("quand ouvre le moulin, je voudrais y aller", "quand ouvre le moulin"),
        ("¿cuándo abre el molino? quiero ir pronto", "¿cuándo abre el molino?"),
        ("dove ho messo la chiave? non me lo ricordo", "dove ho messo la chiave?"),
        ("när stänger kvarnen, vi tänkte åka dit", "när stänger kvarnen"),
        ("ile kosztuje bilet, chcemy tam pojechać", "ile kosztuje bilet"),
    ],
)
def test_why_it_is_asked_is_no_part_of_a_question(message: str, asked: str) -> None:
    assert without_reason(message) == asked


@pytest.mark.parametrize(
    "message",
    [
        "what do i pay, im a student",
        "what do i pay? we are two adults",
        "may she drive it? She isn't in the club.",
        "what do they charge for a child, my daughter turned 9 in may",
        "when does the mill close, the one in the hills i mean",
        "when does the mill close, and what does it cost",
        "what is a mill, no long words please",
        "when does the mill close",
        "i went to the mill, when does it close, i want to know",
        "remind me to ring ada, she wants to know when i come",
        "translate: when does it close, i want to go after work",
        "what does 'it is shut, we want to go' mean, i wonder about it",
        "what time is the last train, i travel from Harrow to Vellin",
        "what time is the last train, i want to go to Vellin",
        "which bus do i take? i want to go to the old harbour",
        "is it closed on holidays? we want to go on easter monday",
        "what is the weather like there, we want to go tomorrow",
        "wann fährt der letzte Zug? ich will nach Harrow",
        "wann fährt der letzte Zug? ich will morgen hin",
        "quand part le dernier train, je voudrais aller à Lyon",
        "kiedy odjeżdża ostatni pociąg? chcę pojechać do Lublina",
        "what can i take for a headache, i take blood thinners",
        "was kann ich kochen? ich esse kein Fleisch",
        "what is the price for the gym? i want the yearly plan",
        "qual è il prezzo, voglio la camera doppia",
        "how can i sort a list, i need it for javascript",
        "what does it cost, i want to know if dogs can come too",
        "combien coûte le billet, je voudrais savoir où l'acheter",
        "Quando vado a Bari, vorrei sapere dove parcheggiare",
        "cuando abro la app, no funciona nada",
        "can i bring my tent, my dog and my bike",
        "who sings Baby, I love your way",
        "what does this mean in german, i love you so much",
        "When does it open? I need it in one sentence.",
        "How far is it? I'd like it in miles.",
        "why, i want to go there",
        "what do i do, i lost my passport",
        "what can i do, my landlord keeps asking for the rent",
        "what do i have to pay, i lost my ticket",
        "when does it close, we want to come today",
        "wann habt ihr auf, wir wollen heute kommen",
        "what does it cost, i want to be a member",
        "what should i do, the heating doesnt work",
        "  when does the mill close  ",
    ],
)
def test_what_may_be_a_condition_or_is_no_question_stays_as_it_is(message: str) -> None:
    assert without_reason(message) == message
