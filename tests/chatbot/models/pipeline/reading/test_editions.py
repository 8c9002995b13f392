"""Editions of one page or file, told apart by the dates in their titles."""

from dataclasses import replace
from datetime import date

import pytest

from chatbot.models.pipeline.reading.editions import (
    ended_passages,
    is_of_another_number,
    is_of_another_year,
    is_outdated,
    other_numbered_titles,
    present_in,
    superseded_titles,
)
from rag.documents import Passage

QUESTION = "When do we rehearse?"


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ferry to Ostby: timetable 2025", "Ferry to Ostby: timetable valid from 1 April 2026"),
        ("Choir of Vellin, minutes of 14 September 2026", "Choir of Vellin, minutes of 2 November 2026"),
        ("Protokoll Gartenverein, 3. März 2026", "Protokoll Gartenverein, 12. Oktober 2026"),
        ("minutes-2026-01-09.md", "minutes-2026-02-01.md"),
        ("Price list, May 2026", "Price list, June 2026"),
    ],
)
def test_of_two_titles_that_differ_by_their_date_the_earlier_is_superseded(older: str, newer: str) -> None:
    assert superseded_titles(QUESTION, [older, newer, "The great fire of 1871"]) == [True, False, False]


@pytest.mark.parametrize(
    "said",
    [
        "This timetable ended on 31 August 2026.",
        "Diese Preise galten bis 31. März.",
        "Cet horaire n'est plus valable.",
        "The list is kept for reference.",
        "Esta tarifa ya no está en vigor.",
    ],
)
def test_a_page_that_says_it_is_over_is_older_than_one_that_does_not(said: str) -> None:
    of_before = ("http://a.test/1", "Ferry to Ostby: timetable", "web")
    passages = [
        Passage("Six o'clock and seven.", *of_before),
        Passage(said, *of_before),
        Passage("Seven o'clock and eight. The old one ended in May.", "http://a.test/2", "Ferry to Ostby", "web"),
    ]
    assert ended_passages("When does the ferry leave?", passages, dated=False) == [True, True, False]
    assert ended_passages("When does the ferry leave?", passages[:2], dated=False) == [False, False]
    windows = [replace(passages[1], text="These windows were replaced in 2019."), passages[2]]
    assert ended_passages("When does the ferry leave?", windows, dated=False) == [False, False]
    assert ended_passages("When did the ferry leave in 2025?", passages, dated=False) == [False, False, False]


FARES = "| Ticket | Price |\n|---|---|\n| Adult | £{} |\n| Student | £{} |"


@pytest.mark.parametrize(
    ("question", "address", "text", "ended"),
    [
        ("What does a student pay?", "http://a.test/plan", FARES.format(12, 8), True),
        ("What does a student pay?", "http://a.test/visit", "Students pay £8.", True),
        ("What does a student pay?", "http://b.test/visit", "Students pay £8.", False),
        ("What did a student pay last year?", "http://a.test/plan", FARES.format(12, 8), False),
        ("What does a student pay?", "http://a.test/opening", "It opens at nine.", False),
    ],
)
def test_a_page_with_last_year_in_its_title_is_over_beside_one_of_the_same_site_or_with_the_same_rows(
    question: str, address: str, text: str, ended: bool
) -> None:
    old = Passage(FARES.format(11, 7), "http://a.test/visit-2025", "Tickets in 2025", "web")
    passages = [old, Passage(text, address, "Plan your day", "web")]
    assert ended_passages(question, passages, dated=True, today=date(2026, 5, 1)) == [ended, False]
    assert ended_passages(question, passages, dated=True, today=date(2025, 5, 1)) == [False, False]


def test_a_question_that_names_a_month_may_mean_either() -> None:
    titles = ["Ferry, September 2025", "Ferry, April 2026"]
    assert superseded_titles("What was said in September?", titles) == [False, False]


@pytest.mark.parametrize(
    ("question", "superseded"),
    [
        ("On which day was the fair planned before?", [False, True, False]),
        ("On which day was it planned before? (When is the fair?)", [False, True, False]),
        ("On which day was the fair planned originally?", [False, True, False]),
        ("Who must be told before the fair?", [True, False, False]),
        ("Do I have to pay for the fair before?", [True, False, False]),
        ("Öffnet die Messe am Samstag früher?", [True, False, False]),
        ("Wann war die Messe ursprünglich?", [False, True, False]),
        ("Which key is used to open the fair?", [True, False, False]),
        ("When is the fair?", [True, False, False]),
    ],
)
def test_how_something_was_before_the_older_edition_says(question: str, superseded: list[bool]) -> None:
    titles = ["Fair, minutes of 14 September 2026", "Fair, minutes of 9 November 2026", "Fair, rules"]
    assert superseded_titles(question, titles) == superseded


def test_a_question_that_names_a_year_means_the_edition_of_that_year() -> None:
    titles = ["Ferry to Ostby: timetable 2025", "Ferry to Ostby: timetable from 1 April 2026", "Price list 2026"]
    assert superseded_titles("When did the ferry leave in 2025?", titles) == [False, True, False]
    assert superseded_titles("When did the ferry leave in 2019?", titles) == [False, False, False]


def test_a_passage_of_one_year_says_nothing_of_another() -> None:
    title, text = "Ferry: timetable from 1 April 2026", "Adults pay 8.60 for a return ticket."
    assert is_of_another_year(title, text, "What did adults pay in 2025?")
    assert not is_of_another_year(title, f"{text} In 2025 it was 7.40.", "What did adults pay in 2025?")
    assert not is_of_another_year(title, text, "What do adults pay?")
    assert not is_of_another_year("Ferry", text, "What did adults pay in 2025?")


@pytest.mark.parametrize(
    ("title", "text", "question", "other"),
    [
        ("Arlo 3, a kettle", "It holds 1.7 litres.", "How much does the Arlo 2 hold?", True),
        ("Arlo 2, a kettle", "It holds 1.2 litres.", "How much does the Arlo 2 hold?", False),
        ("Arlo X3", "It holds 1.7 litres.", "How much does the Arlo X2 hold?", True),
        ("Arlo X3", "The X2 held 1.2 litres.", "How much does the Arlo X2 hold?", False),
        ("Arlo 2 and Arlo 3 compared", "They hold 1.2 and 1.7 litres.", "How much does the Arlo 2 hold?", False),
        ("Benn 7, a kettle", "It holds 1 litre.", "How much does the Arlo 2 hold?", False),
        ("What is new in Orlo 3.13", "Faster.", "What is new in Orlo 3.14?", True),
        ("What is new in Orlo 3.14", "Faster.", "What is new in Orlo 3?", False),
        ("Buses from 3 May", "They leave hourly.", "When do the buses leave from 7 on May 12?", False),
        ("梅岭地铁1号线", "全长20公里。", "梅岭地铁2号线有多长？", True),
    ],
)
def test_a_passage_about_one_model_says_nothing_of_another(title: str, text: str, question: str, other: bool) -> None:
    assert is_of_another_number(title, text, question) == other


@pytest.mark.parametrize(
    ("sentence", "question", "outdated"),
    [
        ("Bis zum 31. August 2026 kostete die Karte 14,20 Euro.", "What does a ticket cost?", True),
        ("In 2025 a ticket cost £2.90.", "What does a ticket cost?", True),
        ("The timetable with a last bus at 3:05 is no longer valid.", "What does a ticket cost?", True),
        ("Since 1 September 2026 a ticket costs £3.", "What does a ticket cost?", False),
        ("From 1 May 2027 a ticket costs £4.", "What does a ticket cost?", False),
        ("A ticket costs £3.", "What does a ticket cost?", False),
        ("The kiln is used to fire clay.", "What is the kiln used for?", False),
        ("The pool is no longer open.", "Is the pool still open?", False),
        ("Der Kurs kostet 1950 €.", "What does the course cost?", False),
        ("The museum, opened in 1987, costs £9.", "What does the museum cost?", False),
        ("In 2025 a ticket cost £2.90.", "How much do I have to pay?", True),
        ("In 2025 a ticket cost £2.90.", "What did a ticket cost?", False),
        ("In 2025 a ticket cost £2.90.", "What does a ticket of 2025 cost?", False),
    ],
)
def test_what_was_so_until_now_is_not_how_it_is(sentence: str, question: str, outdated: bool) -> None:
    assert is_outdated(sentence, question, date(2026, 11, 29), dated=True) is outdated


def test_by_its_date_alone_only_a_price_or_an_hour_is_outdated() -> None:
    said, asked, today = "The bridge, opened on 3 May 2019, is 120 metres long.", "How long is it?", date(2026, 11, 29)
    assert not is_outdated(said, asked, today, dated=False)


@pytest.mark.parametrize(
    ("question", "others"),
    [
        ("How long does the Beam 3 burn?", [True, False, False]),
        ("Which burns longer, the Beam 2 or the Beam 3?", [False, False, False]),
        ("How long does the Beam 7 burn?", [False, False, False]),
        ("How long does the Beam burn?", [False, False, False]),
    ],
)
def test_the_title_of_another_number_is_of_another_thing_where_one_names_the_number_that_is_meant(
    question: str, others: list[bool]
) -> None:
    assert other_numbered_titles(question, ["Beam 2 lamp", "Beam 3 lamp", "Lamps in the rain"]) == others


def test_of_three_editions_the_one_before_the_newest_says_how_it_was_before() -> None:
    titles = ["Fair, minutes of 2019", "Fair, minutes of 2023", "Fair, minutes of 2025"]
    assert superseded_titles("Who was the treasurer of the fair before?", titles) == [False, False, True]


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("Who runs it now?", "now"),
        ("Qui l'imprime aujourd'hui ?", "aujourd'hui"),
        ("Okay now, who was her father?", ""),
        ("When does the ferry to Hoy leave?", ""),
        ("What is the most popular book?", ""),
        ("今度の祭りはいつですか？", ""),
        ("지금까지 몇 명이 왔나요?", ""),
    ],
)
def test_words_for_the_present_are_no_particles_and_names(question: str, word: str) -> None:
    assert present_in(question) == word
