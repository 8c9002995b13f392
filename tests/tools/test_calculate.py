from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.base import ToolContext, tool
from tools.calculate import MAX_EXPRESSION_CHARS, calculate, numbers_in, work_out
from utils.errors import ToolError


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("17 % of 2340", "17 % of 2340 = 397.8"),
        ("17% of 2340", "17% of 2340 = 397.8"),
        ("2340 * 17%", "2340 * 17% = 397.8"),
        ("15 percent of 260", "15 percent of 260 = 39"),
        ("15 Prozent von 260", "15 Prozent von 260 = 39"),
        ("15 pour cent de 260", "15 pour cent de 260 = 39"),
        ("200 + 10%", "200 + 10% = 220"),
        ("1000 - 2340*17%", "1000 - 2340*17% = 602.2"),
        ("20% off 80", "20% off 80 = 64"),
        ("20/80 in %", "20/80 in % = 25%"),
        ("20 is what percent of 80?", "20 is what percent of 80 = 25%"),
        ("what percentage of 80 is 20?", "what percentage of 80 is 20 = 25%"),
    ],
)
def test_a_percentage_of_a_number_is_taken(expression: str, told: str) -> None:
    assert str(work_out(expression)) == told


@pytest.mark.parametrize(
    ("expression", "number"),
    [
        ("12,5 % of 640", "80"),
        ("1,234.5 * 2", "2,469"),
        ("1.234,5 * 2", "2,469"),
        ("1.234 + 0,5", "1,234.5"),
        ("1,234 * 2", "2,468"),
        ("0,125 * 8", "1"),
        ("12 345 + 1", "12,346"),
        ("1'234'567 - 1", "1,234,566"),
        ("12,34,567 + 0", "1,234,567"),
        ("2 1/2 + 1/4", "2.75"),
        ("2½ * 2", "5"),
        ("1e3 * 2", "2,000"),
        ("１２＋３", "15"),
        ("٣ + ٤", "7"),
        ("१२ × ३", "36"),
        ("3 million / 4", "750,000"),
        ("0.1 + 0.2", "0.3"),
    ],
)
def test_numbers_are_read_as_they_are_written_anywhere(expression: str, number: str) -> None:
    assert work_out(expression).number == number


@pytest.mark.parametrize(
    ("expression", "number"),
    [
        ("3 × 4 ÷ 2 − 1", "5"),
        ("5 · 3²", "45"),
        ("3 x 4", "12"),
        ("What is 5 + 3 = ?", "8"),
        ("√2", "1.41421356237"),
        ("sqrt(2)^2", "2"),
        ("square root of 144", "12"),
        ("-2^2", "-4"),
        ("2^3^2", "512"),
        ("2**100", "1,267,650,600,228,229,401,496,703,205,376"),
        ("2(3+4)", "14"),
        ("1/3", "0.333333333333"),
        ("sin(30°)", "0.5"),
        ("cos(pi)", "-1"),
        ("ln(e)", "1"),
        ("log(1000)", "3"),
        ("log2(8)", "3"),
        ("exp(1)", "2.71828182846"),
        ("cbrt(-8)", "-2"),
        ("5!", "120"),
        ("300!", "3.06057512216e614"),
        ("max(1,2,3)", "3"),
        ("mean(1,5; 2,5)", "2"),
        ("sum(1,000, 2,000)", "3,000"),
        ("round(2.345, 2)", "2.35"),
        ("17 mod 5", "2"),
        ("17 // 5", "3"),
        ("7 mal 8", "56"),
        ("0", "0"),
        ("1 / 10^12", "1e-12"),
    ],
)
def test_arithmetic_is_exact_and_readable(expression: str, number: str) -> None:
    assert work_out(expression).number == number


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("5 miles to km", "= 8.04672 km"),
        ("100 F in C", "≈ 37.7777777778 °C"),
        ("-40 °C in °F", "= -40 °F"),
        ("3 cups to ml", "= 709.7647095 ml"),
        ("60 km/h * 30 min", "= 30 km"),
        ("60 km / 2 h", "= 30 km/h"),
        ("5 ft 3 in to cm", "= 160.02 cm"),
        ("5'10\" in cm", "= 177.8 cm"),
        ("5 in in cm", "= 12.7 cm"),
        ("3 h 25 min to minutes", "= 205 min (3 h 25 min)"),
        ("5 Meilen in Kilometer", "= 8.04672 km"),
        ("10 km / 500 m", "= 20"),
        ("2 sq ft to m2", "= 0.18580608 m²"),
        ("1 year in days", "= 365.25 days (365 days 6 h)"),
    ],
)
def test_units_are_converted_and_kept(expression: str, told: str) -> None:
    assert str(work_out(expression)).endswith(told)


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        ("250 min to h", "250 min to h ≈ 4.16666666667 h (4 h 10 min)"),
        ("3 * 47 min", "3 * 47 min = 141 min (2 h 21 min)"),
        ("36 h to days", "36 h to days = 1.5 days (1 day 12 h)"),
        ("4000 s to min", "4000 s to min ≈ 66.6666666667 min (1 h 6 min 40 s)"),
        ("2 h to min", "2 h to min = 120 min"),
        ("3 weeks to days", "3 weeks to days = 21 days"),
        ("1 s to min", "1 s to min ≈ 0.0166666666667 min"),
        ("90000 days to h", "90000 days to h = 2,160,000 h"),
    ],
)
def test_a_length_of_time_is_told_as_a_clock_tells_it_as_well(expression: str, told: str) -> None:
    assert str(work_out(expression)) == told


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("", "nothing to work out"),
        ("1 +", "not complete"),
        ("abc", '"abc" is not understood'),
        ("import os", "not understood"),
        ("17 % 5", '"17 % of 5" or "17 mod 5"'),
        ("1/0", "divided by zero"),
        ("0^-1", "negative power"),
        ("5 km / 0", "divided by zero"),
        ("2**10**9", "more than 1,200 digits"),
        ("9^9^9", "more than 1,200 digits"),
        ("0.5^5000", "more than 1,200 digits"),
        ("301!", "0 to 300"),
        ("300!!", "0 to 300"),
        ("1e999", "no number"),
        ("1.12.2026 + 1", "no number"),
        ("sqrt(-1)", "square root"),
        ("(-8)^0.5", "negative number"),
        ("log(0)", "positive"),
        ("tan(pi/2)", "no value"),
        ("round(1; 0.5)", "decimals"),
        ("sqrt(1; 2)", "does not take 2"),
        ("5 km + 3 s", "do not fit together"),
        ("20 C + 5 C", "Temperatures"),
        ("15 USD to EUR", "exchange rates"),
        ("5 to km", "without a unit"),
        ("(" * 60 + "1", "nested too deep"),
        ("-" * 60 + "1", "nested too deep"),
        ("√" * 60 + "1", "nested too deep"),
        ("1+" * MAX_EXPRESSION_CHARS + "1", "200 characters"),
        ("2^(1 km)", "not fit together"),
    ],
)
def test_what_cannot_be_worked_out_is_refused_in_words_that_help(expression: str, said: str) -> None:
    with pytest.raises(ToolError) as refused:
        work_out(expression)
    assert said in str(refused.value)
    assert len(str(refused.value)) <= 200


def test_the_value_and_its_unit_can_be_used_by_other_code() -> None:
    result = work_out("1/3 of 5 miles in km")
    assert (result.value, result.unit, result.exact) == (Fraction("8.04672") / 3, "km", True)


async def test_a_model_calls_it_with_one_expression() -> None:
    made = tool(calculate)
    result = await made.run({"expression": "17 % of 2340"}, ToolContext("?"))
    assert (made.schema.name, list(made.schema.parameters["properties"])) == ("calculate", ["expression"])
    assert result.text == "17 % of 2340 = 397.8"


def test_the_numbers_of_a_text_are_told_in_their_plainest_form() -> None:
    assert numbers_in("17 % von 2.340,50 € und 1,5") == ["17", "2340.5", "1.5"]
    assert numbers_in("1,234.50 and -007 at 1.12.2026") == ["1234.5", "7", "1", "12", "2026"]
    assert numbers_in("max(1,2,3) + 5²") == ["1", "2", "3", "5", "2"]
    assert numbers_in("١٢٫٥ ３ २") == ["12.5", "3", "2"]
    assert numbers_in("2½ cups, 10 000 and 1e3") == ["2.5", "10000", "1000"]
    assert numbers_in("none") == []


PIECES = st.sampled_from(
    ["1", "2.5", "1,234", "10", "+", "-", "*", "/", "^", "%", "!", "(", ")", " ", ";", ",", "√", "sqrt(", "max(", "ln",
     "round(", "km", "h", " in ", "to", "C", "of", "e", "pi", "½", "²", "million", "per", "9", "°", "=", "min", "lcm("]
)  # fmt: skip


@given(st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=24).map("".join)))
@settings(max_examples=300, deadline=None)
def test_no_expression_raises_anything_but_a_tool_error(expression: str) -> None:
    numbers_in(expression)
    try:
        result = work_out(expression)
    except ToolError as error:
        assert str(error)
    else:
        assert len(str(result)) < 4 * MAX_EXPRESSION_CHARS
