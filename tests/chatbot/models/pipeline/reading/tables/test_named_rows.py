import pytest

from chatbot.models.pipeline.reading.tables.named_rows import named_rows, unmentioned_rows, with_asked_columns
from rag.chunking.tables import table_rows

HIRE = (
    "# Hire\n| | Rowing boat | Pedal boat |\n|---|---|---|\n| Each hour | £6 | £11 |\n| Deposit | none | £30 |\n\n"
    "## Hours\n| Day | Opens | Closes |\n|---|---|---|\n| Thursday | 9:00 | 18:00 |\n| Friday | 9:00 | 19:15 |"
)


@pytest.mark.parametrize(
    ("question", "first_cells"),
    [
        ("What does an hour in a pedal boat cost?", ["Each hour"]),
        ("How high is the deposit for a rowing boat?", ["Deposit"]),
        ("When does the hire close on Friday?", ["Friday"]),
        ("How high is the deposit for an hour in a pedal boat?", ["Deposit"]),
        ("What happens on Friday?", []),
        ("What does a blanket cost for a pedal boat?", []),
        ("When does it close?", []),
    ],
)
def test_a_row_is_meant_whose_first_cell_and_one_of_whose_columns_a_question_names(
    question: str, first_cells: list[str]
) -> None:
    assert [row.cells[0][1] for row in named_rows(question, table_rows(HIRE))] == first_cells


DRILLS = "| | Arlo 18 | Benn Easy |\n|---|---|---|\n| Price | £160 | £90 |\n| Weight | 2 kg | 1 kg |"


@pytest.mark.parametrize(
    ("question", "first_cells"),
    [
        ("What does the Benn Easy cost?", ["Price"]),
        ("What is the price of the Benn Easy?", ["Price"]),
        ("Was kostet der Arlo 18?", ["Price"]),
        ("What does a spare battery for the Arlo 18 cost?", []),
        ("What does it cost?", []),
        ("How much does the Arlo 18 weigh?", ["Weight"]),
        ("What weir is by the Arlo 18?", []),
        ("What is the weight of the Arlo 18?", ["Weight"]),
    ],
)
def test_the_row_with_the_prices_is_meant_by_what_something_costs(question: str, first_cells: list[str]) -> None:
    assert [row.cells[0][1] for row in named_rows(question, table_rows(DRILLS))] == first_cells


TICKETS = (
    "| Ticket | Price |\n|---|---|\n| Under 5 | free |\n| Child 5 to 11 | £2.80 |\n"
    "| Young person 12 to 17 | £3.90 |\n| Adult | £6 |"
)


@pytest.mark.parametrize(
    ("question", "first_cells"),
    [
        ("what does it cost for my lad, he's 9", ["Child 5 to 11"]),
        ("what's it cost to get into the baths, it's for my lad he's 9", ["Child 5 to 11"]),
        ("What does my daughter pay? She is 14 years old.", ["Young person 12 to 17"]),
        ("how much is it for a 3-year-old?", ["Under 5"]),
        ("What is the price for an adult, I am 40?", ["Adult"]),
        ("What do they pay, she's 9 and he's 12?", []),
        ("When is it open for my lad, he's 9?", []),
        ("What does parking cost? My son is 9.", []),
        ("What does a coffee cost there? My mum is 9.", []),
    ],
)
def test_whose_age_is_told_pays_what_the_row_of_that_age_says(question: str, first_cells: list[str]) -> None:
    assert [row.cells[0][1] for row in named_rows(question, table_rows(TICKETS))] == first_cells


def test_when_somebody_of_an_age_comes_stands_in_the_row_of_that_age() -> None:
    rows = table_rows("| Group | Training |\n|---|---|\n| 6 to 9 | Thursday 17:15 |\n| 10 to 12 | Monday 17:30 |")
    for question, first_cells in (
        ("At what time do they train? My son is 11.", ["10 to 12"]),
        ("Where do they train? My son is 11.", []),
        ("At what time does the pool close? My son is 11.", []),
    ):
        assert [row.cells[0][1] for row in named_rows(question, rows)] == first_cells


def test_the_row_of_an_age_is_found_by_a_column_of_ages_as_well() -> None:
    rows = table_rows(
        "| Group | Age | Training |\n|---|---|---|\n"
        "| Wrens | 7 and 8 | Thursday 17:15 |\n| Kites | 9-10 | Monday 17:30 |"
    )
    for age, group in ((8, ["Wrens"]), (10, ["Kites"]), (11, [])):
        question = f"At what time does my daughter train? She is {age}."
        assert [row.cells[0][1] for row in named_rows(question, rows)] == group


OFFICES = "| Post | Name | Telephone |\n|---|---|---|\n| Caretaker | Ole Brandt | 114 |\n| Gardener | Ida Falk | 117 |"


@pytest.mark.parametrize(
    ("question", "first_cells"),
    [
        ("Who is the gardener of the castle?", ["Gardener"]),
        ("And who is the caretaker?", ["Caretaker"]),
        ("When does the gardener come?", []),
        ("Who painted the castle?", []),
    ],
)
def test_who_holds_a_post_stands_in_the_column_of_names(question: str, first_cells: list[str]) -> None:
    assert [row.cells[0][1] for row in named_rows(question, table_rows(OFFICES))] == first_cells


FAIR = (
    "| Day | Time | What |\n|---|---|---|\n| Saturday 12 | 12:00 | Workshop for children |\n"
    "| Saturday 12 | 18:30 | Contest of the cheeses |\n| Sunday 13 | 13:00 | Fondue |"
)


def test_of_two_events_of_one_day_the_one_that_is_asked_for_is_meant() -> None:
    rows = table_rows(FAIR)
    assert named_rows("At what time is the contest on Saturday?", rows) == [rows[1]]
    assert named_rows("What is there on Saturday, and at what time?", rows) == rows[:2]
    assert named_rows("What time does it begin before the contest on Saturday?", rows) == rows[:2]
    assert unmentioned_rows("At what time is the contest on Saturday?", rows) == [rows[2]]


def test_at_what_time_on_a_day_stands_in_the_column_of_hours() -> None:
    rows = table_rows(
        "| Jour | Horaires |\n|---|---|\n| Vendredi | 10 h - 20 h |\n| Samedi et dimanche | 11 h - 18 h |"
    )
    assert named_rows("À quelle heure ferme le musée le samedi ?", rows) == [rows[1]]
    assert named_rows("Que fait le musée le samedi ?", rows) == []


def test_a_row_of_the_day_is_meant_where_a_column_is_of_the_season() -> None:
    pool = "| Day | Mai bis September | Oktober bis April |\n|---|---|---|\n| Samstag | 8-20 | 10-16 |"
    rows = table_rows(f"{pool}\n| Montag | 9-19 | zu |")
    assert named_rows("Wann schließt es samstags im Winter?", rows) == rows[:1]
    assert named_rows("Wann schließt es samstags?", rows) == []


LIGHTS = (
    "| Light | Meaning |\n|---|---|\n| One green flash | ready |\n| Two green flashes | tank empty |\n| Red | fault |"
)


def test_what_a_light_means_that_flashes_twice_stands_in_the_row_of_two_flashes() -> None:
    rows, question = table_rows(LIGHTS), "What does it mean when it flashes green twice?"
    assert named_rows(question, rows) == [rows[1]]
    assert unmentioned_rows(question, rows) == [rows[0], rows[2]]


def test_a_row_is_mentioned_by_any_form_of_its_words() -> None:
    rows = table_rows("| Who | Price |\n|---|---|\n| Adult | £9 |\n| Child (5-15) | £4 |\n| Pram | £1 |")
    assert unmentioned_rows("What does an adult with children pay?", rows) == rows[2:]
    assert unmentioned_rows("What does an adult pay, and what is it with a pram?", rows) == []
    assert unmentioned_rows("Which tickets cost less than an adult?", rows) == []
    assert unmentioned_rows("What do I pay for an adult?", rows) == rows[1:]
    hours = table_rows("| Day | Opens |\n|---|---|\n| Mon–Fri | 7:00 |\n| Sunday | 9:00 |")
    assert unmentioned_rows("When does it open on Tuesday?", hours) == hours[1:]


@pytest.mark.parametrize(
    ("question", "first_cells"),
    [
        ("what is the noise level of the Orla 20 on high?", ["Noise on high"]),
        ("how loud is the noise on high of the Orla 20", ["Noise on high"]),
        ("who checked the noise of the Orla 20 on high?", []),
        ("what does noise on high cost the Orla 20", []),
        ("how big is the tank of the Orla 20", []),
    ],
)
def test_a_property_with_all_words_of_its_name_is_meant_though_no_column_is_named(
    question: str, first_cells: list[str]
) -> None:
    hire = "| Item | Price |\n|---|---|\n| Bike hire | £12 |"
    assert not named_rows("how much is the deposit for bike hire?", table_rows(hire))
    data = "| Property | Value |\n|---|---|\n| Tank | 4 litres |\n| Noise on low | 39 dB |\n| Noise on high | 48 dB |"
    assert [row.cells[0][1] for row in named_rows(question, table_rows(data))] == first_cells


ARABIC = "| اليوم | الفتح | الإغلاق |\n|---|---|---|\n| السبت | 9:00 | 18:00 |\n| الجمعة | 14:00 | 20:30 |"
GREEK = "| Ημέρα | Άνοιγμα | Κλείσιμο |\n|---|---|---|\n| Παρασκευή | 9:00 | 17:00 |\n| Σάββατο | 10:00 | 21:15 |"


@pytest.mark.parametrize(
    ("question", "table", "told"),
    [
        ("متى تغلق الحديقة يوم الجمعة؟", ARABIC, "اليوم: الجمعة, الإغلاق: 20:30"),
        ("Πότε κλείνει το Σάββατο;", GREEK, "Ημέρα: Σάββατο, Κλείσιμο: 21:15"),
    ],
)
def test_the_column_of_closing_is_known_in_other_scripts(question: str, table: str, told: str) -> None:
    [row] = named_rows(question, table_rows(table))
    assert with_asked_columns(question, row).spoken == told


ROOMS = "| Room | Price |\n|---|---|\n| Double room | 90 € |\n| Zuschlag für Seeblick | 14 € |\n| Breakfast | 9 € |"


@pytest.mark.parametrize(
    ("question", "first_cells"),
    [
        ("How much extra is it to look out on the water?", ["Zuschlag für Seeblick"]),
        ("Wie viel kommt noch dazu, wenn man das Wasser sehen will? (Double room)", ["Zuschlag für Seeblick"]),
        ("Combien faut-il payer en plus pour la vue ?", ["Zuschlag für Seeblick"]),
        ("What is the price of a double room?", ["Double room"]),
        ("How much is the view?", []),
        ("How much does an extra night cost?", []),
        ("How much does the extra breakfast cost? I mean the price.", ["Breakfast"]),
        ("Wie hoch ist der Seeblickzuschlag?", ["Zuschlag für Seeblick"]),
        ("¿Cuánto cuesta la habitación más barata?", []),
    ],
)
def test_what_comes_on_top_of_a_price_is_the_row_that_is_called_so(question: str, first_cells: list[str]) -> None:
    assert [row.cells[0][1] for row in named_rows(question, table_rows(ROOMS))] == first_cells


def test_of_two_surcharges_neither_is_meant_by_what_names_none() -> None:
    two = f"{ROOMS}\n| Weekend surcharge | 20 € |"
    assert named_rows("How much extra is it to look out on the water?", table_rows(two)) == []
