import pytest

from chatbot.models.pipeline.reading.tables.columns import answer_from_columns

SHOPPING = (
    "date: 2026-01-02; shop: Bakery Lind; kind: bread; amount: 4.20\n"
    "date: 2026-01-09; shop: Hall; kind: cheese; amount: 12.50\n"
    "date: 2026-02-03; shop: Bakery Lind; kind: bread; amount: 3.80\n"
    "date: 2026-02-11; shop: Market; kind: fish; amount: 18.00"
)
RUNS = (
    "# Runs\n\n| Name | Distance (km) | Minutes |\n| --- | --- | --- |\n| Ida | 5.0 | 27 |\n| Tom | 10.2 | 55 |\n"
    "| Rosa | 7.5 | 36 |\n| Total | 22.7 | 118 |"
)
BOATS = (
    "## Boats\n\n| Boat | Built in | Weight |\n|---|---|---|\n| Ida | 1998 | 290 kg |\n"
    "| Tern, the biggest | 1971 | 1,240 kg |\n| Wren | 2004 | 85 kg |"
)
STORE = "item: Chairs; number: 146\nitem: Lamps; number: 4\nitem: Cups; number: 60"
METER = "\n".join(
    f"month: 2026-0{month}; kwh: {kwh}; price_per_kwh: 0.29; amount: {amount}"
    for month, kwh, amount in ((1, 412, 117.01), (2, 366, 103.94), (3, 431, 94.0))
)
NUMBERED = "number: 1; item: Chairs\nnumber: 2; item: Lamps\nnumber: 3; item: Cups"


@pytest.mark.parametrize(
    ("question", "english", "text", "told"),
    [
        (
            "What was the most expensive purchase?",
            "",
            SHOPPING,
            "date: 2026-02-11; shop: Market; kind: fish; amount: 18.00",
        ),
        ("Was war am billigsten?", "What was the cheapest?", SHOPPING, "shop: Bakery Lind; kind: bread; amount: 3.80"),
        ("Who ran the longest distance?", "", RUNS, "Runs – Name: Tom, Distance (km): 10.2, Minutes: 55"),
        ("Whose was the longest run?", "", RUNS, "Runs – Name: Tom, Distance (km): 10.2, Minutes: 55"),
        ("Who needed the least minutes?", "", RUNS, "Runs – Name: Ida, Distance (km): 5.0, Minutes: 27"),
        ("Which thing is there the fewest of?", "", STORE, "item: Lamps; number: 4"),
        (
            "in which month did i use the most electricity?",
            "",
            METER,
            "month: 2026-03; kwh: 431; price_per_kwh: 0.29; amount: 94.0",
        ),
        ("Which was the cheapest cheese?", "", SHOPPING, "shop: Hall; kind: cheese; amount: 12.50"),
    ],
)
def test_the_row_that_has_the_most_or_the_least_is_found(question: str, english: str, text: str, told: str) -> None:
    answer = answer_from_columns(question, english, [text])
    assert (
        answer is not None
        and answer.told.endswith(told)
        and answer.stands_there
        and answer.told
        in text.replace("| Tom | 10.2 | 55 |", "Runs – Name: Tom, Distance (km): 10.2, Minutes: 55").replace(
            "| Ida | 5.0 | 27 |", "Runs – Name: Ida, Distance (km): 5.0, Minutes: 27"
        )
    )


@pytest.mark.parametrize("missing", ["| Tom |  | 55 |", "| Tom | – | 55 |", "| Tom | n/a | 55 |"])
def test_a_row_without_a_figure_is_neither_the_most_nor_the_least(missing: str) -> None:
    table = RUNS.replace("| Tom | 10.2 | 55 |", missing).replace("| Total | 22.7 | 118 |", "| Ben | 9.1 | 50 |")
    for question, name in (("Who ran the shortest distance?", "Ida"), ("Who ran the longest distance?", "Ben")):
        answer = answer_from_columns(question, "", [table])
        assert answer is not None and f"Name: {name}" in answer.told


@pytest.mark.parametrize(
    ("question", "text", "value"),
    [
        ("How much did I spend in total?", SHOPPING, "The sum of amount in 4 rows of the table is 38.5."),
        ("How much did I spend in total on bread?", SHOPPING, "The sum of amount (bread) in 2 rows of the table is 8."),
        (
            "How much did I spend on bread according to @/tmp/outlays.csv?",
            SHOPPING,
            "The sum of amount (bread) in 2 rows of the table is 8.",
        ),
        (
            "What did I pay altogether in February?",
            SHOPPING,
            "The sum of amount (february) in 2 rows of the table is 21.8.",
        ),
        ("How much did I spend on bread?", SHOPPING, "The sum of amount (bread) in 2 rows of the table is 8."),
        ("What did we spend on bread?", SHOPPING, "The sum of amount (bread) in 2 rows of the table is 8."),
        ("What did we spend, all four rows together?", SHOPPING, "The sum of amount in 4 rows of the table is 38.5."),
        ("How much have I paid?", SHOPPING, "The sum of amount in 4 rows of the table is 38.5."),
        (
            "What is the average amount?",
            SHOPPING.replace("4.20", "-").replace("3.80", "n/a"),
            "The average of amount in 2 rows of the table is 15.25.",
        ),
        ("What is the average distance?", RUNS, "The average of Distance (km) in 3 rows of the table is 7.57."),
    ],
)
def test_sums_and_averages_are_worked_out_of_the_rows_that_are_meant(question: str, text: str, value: str) -> None:
    answer = answer_from_columns(question, "", [text])
    assert answer is not None and (answer.told, answer.stands_there) == (value, False)


@pytest.mark.parametrize(
    "question",
    [
        "How much did I spend on books in total?",
        "How much did I spend on cheese?",
        "How much do I pay per month?",
        "How much does bread cost?",
        "What was the second most expensive purchase?",
        "What did I pay at the bakery?",
        "At most how many rows does it have?",
        "What was the most expensive and what the cheapest purchase?",
    ],
)
def test_what_is_not_plainly_asked_of_a_column_is_left_to_the_model(question: str) -> None:
    assert answer_from_columns(question, "", [SHOPPING]) is None


@pytest.mark.parametrize(
    "texts", [[RUNS, SHOPPING], ["A walk of 3 km was the longest."], [RUNS.replace("10.2", "far")]]
)
def test_without_one_table_and_one_column_of_figures_nothing_is_worked_out(texts: list[str]) -> None:
    assert answer_from_columns("What is the longest distance?", "", texts) is None


def test_which_kind_of_rows_has_the_most_is_told_by_their_sums() -> None:
    more = f"{SHOPPING}\ndate: 2026-02-12; shop: Hall; kind: bread; amount: 11.00"
    answer = answer_from_columns("Which kind cost the most?", "", [more])
    assert answer is not None
    assert answer.told == "The kind with the most amount is bread: 19; fish: 18, cheese: 12.5."
    assert not answer.stands_there
    # Where all are of different kinds a row says it.
    single = answer_from_columns("Which name has the longest distance?", "", [RUNS])
    assert single is not None
    assert single.stands_there


def test_the_numbers_of_rows_are_no_measure() -> None:
    assert answer_from_columns("Which thing is there the fewest of?", "", [NUMBERED]) is None


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "How heavy is the biggest of their boats?",
            "Boats – Boat: Tern, the biggest, Built in: 1971, Weight: 1,240 kg",
        ),
        ("Which boat in Odo is the lightest?", "Boats – Boat: Wren, Built in: 2004, Weight: 85 kg"),
    ],
)
def test_the_biggest_is_what_is_called_so_and_the_lightest_is_found_by_weight(question: str, told: str) -> None:
    answer = answer_from_columns(question, "", [BOATS])
    assert answer is not None and answer.told == told


def test_a_superlative_inside_of_a_name_is_no_figure() -> None:
    songs = "| Song | Minutes |\n|---|---|\n| The Longest Day | 3 |\n| Suite | 9 |\n| Hymn | 4 |"
    answer = answer_from_columns("Which song is the longest?", "", [songs])
    assert answer is not None and "Suite" in answer.told


SUN = "\n".join(
    f"month: 2025-{month:02}; kwh_produced: {made}; kwh_used_at_home: {made // 2 + 9}; kwh_sold: {made // 3}"
    for month, made in enumerate((90, 150, 280, 390, 460, 450, 430), 1)
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "which month was best for our solar roof?",
            "month: 2025-05; kwh_produced: 460; kwh_used_at_home: 239; kwh_sold: 153",
        ),
        ("total produced jan to march?", "The sum of kwh_produced (jan, march) in 3 rows of the table is 520."),
        ("how much was produced in may in total?", "The sum of kwh_produced (may) in 1 rows of the table is 460."),
        ("which month was best for the neighbours?", None),
    ],
)
def test_months_that_are_typed_small_or_from_one_to_another_are_those_of_the_rows(
    question: str, told: str | None
) -> None:
    found = answer_from_columns(question, "", [SUN], "solar.csv")
    assert (found.told if found else None) == told
