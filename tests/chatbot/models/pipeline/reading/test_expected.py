"""What kind of thing a question is answered by, and which sentences have it."""

import pytest

from chatbot.models.pipeline.reading.expected import (
    Kind,
    expected_kind,
    is_of_kind,
    new_figures,
    says_figures,
)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What time does it leave on Saturday?", Kind.CLOCK),
        ("How much does a ticket cost?", Kind.PRICE),
        ("How much is the adult fare?", Kind.PRICE),
        ("What is the deposit for it?", Kind.PRICE),
        ("How much does the lamp sell for?", Kind.PRICE),
        ("What would a day in the sauna set me back?", Kind.PRICE),
        ("What do they charge for a child?", Kind.PRICE),
        ("And what do they want for the big room?", Kind.PRICE),
        ("What do they charge per night with breakfast?", Kind.PRICE),
        ("What does the Orla lido charge for a child?", Kind.PRICE),
        ("How much does it sell for on the web?", Kind.PRICE),
        ("What does a used one sell for?", Kind.PRICE),
        ("What do two adults pay in winter?", Kind.PRICE),
        ("What does one pay with the guest card?", Kind.PRICE),
        ("What do seniors pay in July?", Kind.PRICE),
        ("What do you pay with a phone there?", Kind.ANYTHING),
        ("What do people pay with in Oslo?", Kind.ANYTHING),
        ("What does one pay in?", Kind.ANYTHING),
        ("What does the form ask for on page two?", Kind.ANYTHING),
        ("What do I need to charge the phone?", Kind.ANYTHING),
        ("What do I charge the battery with?", Kind.ANYTHING),
        ("What do they want for her birthday?", Kind.ANYTHING),
        ("What does the shop sell for children?", Kind.ANYTHING),
        ("How much water should I drink before I go for a run?", Kind.FIGURE),
        ("How loud is it?", Kind.LOUDNESS),
        ("And at which temperature does it melt?", Kind.TEMPERATURE),
        ("How hot must the oven be?", Kind.TEMPERATURE),
        ("How many seats does the bus have?", Kind.COUNT),
        ("With how many percent did she win?", Kind.SHARE),
        ("What percentage of the voters came?", Kind.SHARE),
        ("On how many days a week is it open?", Kind.FIGURE),
        ("How many times a week does it run?", Kind.FIGURE),
        ("When does the library close?", Kind.MOMENT),
        ("And on which days are they open?", Kind.MOMENT),
        ("In which night were most of them carried?", Kind.MOMENT),
        ("Which night bus goes to the station?", Kind.ANYTHING),
        ("Who wrote it?", Kind.PERSON),
        ("What is the name of the new bridge over the canal?", Kind.NAME),
        ("What is the new bridge over the canal called?", Kind.NAME),
        ("What is included in the price of the tour?", Kind.ANYTHING),
    ],
)
def test_what_a_question_in_english_asks_for(question: str, kind: Kind) -> None:
    assert expected_kind(question) is kind


@pytest.mark.parametrize(
    ("sentence", "kind", "fits"),
    [
        ("The ship has 220 seats.", Kind.PRICE, False),
        ("It costs 18.50.", Kind.PRICE, True),
        ("Das kostet 18 Euro.", Kind.PRICE, True),
        ("टिकट 40 रुपये का है।", Kind.PRICE, True),
        ("Дорослий квиток коштує 120 гривень.", Kind.PRICE, True),
        ("成人票30元。", Kind.PRICE, True),
        ("Children go free.", Kind.PRICE, True),
        ("It leaves an hour before.", Kind.CLOCK, False),
        ("Φεύγει μία ώρα πριν από κάθε αναχώρηση.", Kind.CLOCK, False),
        ("Es fährt um 17:15 Uhr.", Kind.CLOCK, True),
        ("It leaves at nine.", Kind.CLOCK, True),
        ("It was built in 1931.", Kind.CLOCK, False),
        ("In case of illness up to six months.", Kind.CLOCK, False),
        ("Por enfermedad, hasta 6 meses.", Kind.CLOCK, False),
        ("Wir treffen uns um 9 an der Kirche.", Kind.CLOCK, True),
        ("Bake it for 25 minutes.", Kind.TEMPERATURE, False),
        ("Bake it at 210 °C.", Kind.TEMPERATURE, True),
        ("Пекти при 210 градусах.", Kind.TEMPERATURE, True),
        ("200度で焼きます。", Kind.TEMPERATURE, True),
        ("The chuck is 0.05 mm off centre.", Kind.LOUDNESS, False),
        ("Lautstärke: 81 dB(A)", Kind.LOUDNESS, True),
        ("Hladina hluku je 81 decibelů.", Kind.LOUDNESS, True),
        ("It has a battery.", Kind.FIGURE, False),
        ("Eine Batterie hält sieben Stunden.", Kind.FIGURE, True),
        ("Eine Batterie hält lange.", Kind.FIGURE, False),
        ("Eine Batterie hält zweieinhalb Stunden.", Kind.FIGURE, True),
        ("Sie wiegt siebenundvierzig Kilo.", Kind.FIGURE, True),
        ("Le trajet prend une demi-heure.", Kind.FIGURE, True),
        ("Дорога занимает полтора часа.", Kind.FIGURE, True),
        ("It takes half a day.", Kind.FIGURE, True),
        ("The bus has 54 seats since 3 May 2021.", Kind.COUNT, True),
        ("The bus came on 3 May 2021.", Kind.COUNT, False),
        ("Der Bus kam am 3. Mai 2021.", Kind.COUNT, False),
        ("El autobús llegó el 3 de mayo de 2021.", Kind.COUNT, False),
        ("The bus came last Tuesday.", Kind.COUNT, False),
        ("The town has 2021 inhabitants.", Kind.COUNT, True),
        ("The bus has none.", Kind.COUNT, True),
        ("She has 54.2 percent of the votes.", Kind.SHARE, True),
        ("Sie bekam 54,2 %.", Kind.SHARE, True),
        ("她得到了百分之五十四的选票。", Kind.SHARE, True),
        ("She won for the first time in four years.", Kind.SHARE, False),
        ("The bus has a hundred seats.", Kind.COUNT, True),
        ("Anything at all.", Kind.ANYTHING, True),
    ],
)
def test_a_sentence_is_of_a_kind_in_any_language(sentence: str, kind: Kind, fits: bool) -> None:
    assert is_of_kind(sentence, kind) is fits


def test_the_figures_of_the_question_are_no_answer_to_it() -> None:
    question = "How much do 30 minutes on an e-bike cost?"
    assert not is_of_kind("The first 30 minutes cost you some euros.", Kind.PRICE, question)
    assert is_of_kind("30 minutes cost 2.40 euros.", Kind.PRICE, question)


@pytest.mark.parametrize(
    ("sentence", "fits"),
    [
        ("Uit 87 voorstellen koos de raad de naam Reigerbrug.", True),
        ("De nieuwe brug wordt genoemd als Uit 87 voorstellen.", False),
        ("De nieuwe brug wordt genoemd als “Nieuwe brug”.", False),
        ("It is called open_bridge.", True),
        ("It is called “the heron”.", True),
        ("The bridge over the canal is new.", False),
        ("新桥叫苍鹭桥。", True),
    ],
)
def test_what_something_is_called_is_a_name(sentence: str, fits: bool) -> None:
    asked = (
        "Hoe wordt de nieuwe brug genoemd?" if "brug" in sentence else "What is the new bridge over the canal called?"
    )
    assert is_of_kind(sentence, Kind.NAME, asked) == fits


def test_the_number_of_a_name_is_no_answer_and_keeps_none_from_being_one() -> None:
    asked = "How long is the guarantee of the kettle Arlo Q2?"
    assert is_of_kind("The guarantee is 2 years.", Kind.FIGURE, asked)
    assert not is_of_kind("The Arlo Q2 has a guarantee.", Kind.FIGURE, asked)


def test_figures_are_said_by_numerals_and_by_words() -> None:
    figures = new_figures("You wait twelve months for plot 7.", "How long does one wait for plot 7?")
    assert says_figures("The list has 12 months to go.", figures)
    assert says_figures("It takes twelve months.", figures)
    assert not says_figures("There are 7 plots.", figures)


def test_the_day_of_the_question_said_again_does_not_tell_when() -> None:
    asked = "When does the ferry leave on Saturday?"
    assert not is_of_kind("The ferry on Saturday leaves the quay.", Kind.MOMENT, asked)
    assert is_of_kind("On Saturday it leaves at 9:00.", Kind.MOMENT, asked)
    assert is_of_kind("It leaves on Sunday alone.", Kind.MOMENT, asked)
    asked = "From when on does the night tram run?"
    assert not is_of_kind("The night tram runs on Friday and Saturday nights.", Kind.MOMENT, asked)
    assert is_of_kind("The night tram runs from 3 May on.", Kind.MOMENT, asked)
    assert is_of_kind("The night tram has run since 2019.", Kind.MOMENT, "Since when has the night tram run?")


def test_an_hour_or_a_price_that_a_translation_lost_is_told_by_the_question_itself() -> None:
    assert expected_kind("How long is the beach watched in summer?", "Jusqu'à quelle heure la plage ?") is Kind.FIGURE
    assert expected_kind("Is the beach watched?", "Jusqu'à quelle heure la plage est-elle surveillée ?") is Kind.CLOCK
    assert expected_kind("And the entry for children?", "Was kostet der Eintritt für Kinder?") is Kind.PRICE
