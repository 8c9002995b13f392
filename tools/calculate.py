"""The tool that works out arithmetic, exactly and within limits; `work_out` is the same for other code."""

import asyncio
import math
from dataclasses import dataclass
from fractions import Fraction

from tools.reckoning.expressions import evaluate_expression
from tools.reckoning.functions import is_exact
from tools.reckoning.numerals import decimal_text, numbers_in
from tools.reckoning.units import describe_amount
from tools.reckoning.wording import in_signs, wanted_expression
from utils.errors import ToolError
from utils.text import one_line

__all__ = ["MAX_EXPRESSION_CHARS", "Result", "calculate", "numbers_in", "work_out"]

MAX_EXPRESSION_CHARS = 200
"""Characters of an expression."""
DIGITS_SHOWN = 12
"""Significant digits of what does not end, or ends later than `MAX_WHOLE_DIGITS` digits."""
MAX_WHOLE_DIGITS = 15
_CLOCK_UNITS = {"days": 86_400, "h": 3600, "min": 60, "s": 1}
"""The units of time that a clock has, by the sign that they are shown with."""
_MOST_SECONDS = 1000 * 86_400
"""From here on nobody counts the hours."""
_MAX_PLAIN_NUMBER = 10**40
"""From here on a number is told in powers of ten."""


@dataclass(frozen=True)
class Result:
    """What an expression comes to: exactly, or to 40 digits where that is no fraction; the unit as it is shown."""

    expression: str
    value: Fraction
    unit: str = ""

    @property
    def exact(self) -> bool:
        """Whether the number is shown with all its digits."""
        return is_exact(self.value) and shown_number(self.value)[1]

    @property
    def number(self) -> str:
        """The number as it is shown: `1,234.5`."""
        return shown_number(self.value)[0]

    def __str__(self) -> str:
        behind = f"{'' if self.unit in ('%', '°') else ' '}{self.unit}" if self.unit else ""
        clock = clock_parts(self.value, self.unit)
        return f"{self.expression} {'=' if self.exact else '≈'} {self.number}{behind}{f' ({clock})' if clock else ''}"


async def calculate(expression: str) -> str:
    """Work out an expression exactly: numbers, + - * / ^, percent, roots, functions, units.

    Args:
        expression: E.g. "17 % of 2340", "(3 + 4)^2 / 7", "5 miles to km", "mean(3; 4.5; 6)".
    """
    return str(await asyncio.to_thread(work_out, expression))


def work_out(expression: str) -> Result:
    """What an expression in signs or words comes to; raises `ToolError` with what to write instead.

    Takes milliseconds whatever it is given, and the first unit of a process half a second.
    """
    asked = wanted_expression(one_line(expression, 4 * MAX_EXPRESSION_CHARS))
    signs = in_signs(asked) if len(asked) <= MAX_EXPRESSION_CHARS else asked
    if len(signs) > 2 * MAX_EXPRESSION_CHARS or len(asked) > MAX_EXPRESSION_CHARS:
        raise ToolError(f"An expression may have {MAX_EXPRESSION_CHARS} characters: work out a part of it first.")
    if not signs:
        raise ToolError('There is nothing to work out: write an expression, e.g. "17 % of 2340".')
    return Result(asked, *describe_amount(evaluate_expression(signs)))


def clock_parts(value: Fraction, unit: str) -> str:
    """A length of time in days, hours, minutes and seconds, as in `6 h 40 min`; empty where one of them tells it."""
    if unit not in _CLOCK_UNITS or value < 0 or value * _CLOCK_UNITS[unit] >= _MOST_SECONDS:
        return ""
    left, parts = round(value * _CLOCK_UNITS[unit]), []
    for name, seconds in _CLOCK_UNITS.items():
        count, left = divmod(left, seconds)
        if count:
            parts.append(f"{count} {name if count > 1 else name.removesuffix('s') or name}")
    return " ".join(parts) if len(parts) > 1 else ""


def shown_number(value: Fraction) -> tuple[str, bool]:
    """A number as it is shown, its thousands grouped, and whether these are all its digits."""
    if value == 0:
        return "0", True
    if abs(value) >= _MAX_PLAIN_NUMBER or abs(value) < Fraction(1, 10**9):
        return _in_powers(value), False
    whole_digits = len(str(abs(value.numerator) // value.denominator))
    terminates = (10**20 * value).denominator == 1
    text = decimal_text(value)
    if terminates and (value.denominator == 1 or len(text.strip("-0.").replace(".", "")) <= MAX_WHOLE_DIGITS):
        return _group_digits(text), True
    magnitude = whole_digits if abs(value) >= 1 else math.floor(math.log10(abs(value))) + 1
    return _group_digits(decimal_text(round(value, max(DIGITS_SHOWN - magnitude, 0)))), False


def _in_powers(value: Fraction) -> str:
    shift = len(str(abs(value.numerator))) - len(str(value.denominator))
    digits = value / Fraction(10) ** shift
    if abs(digits) < 1:
        digits, shift = digits * 10, shift - 1
    return f"{decimal_text(round(digits, DIGITS_SHOWN - 1))}e{shift}"


def _group_digits(text: str) -> str:
    whole, point, decimals = text.partition(".")
    return f"{int(whole):,}{point}{decimals}" if whole.strip("-0") else text
