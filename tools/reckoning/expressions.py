"""Expressions as people and models write them, worked out exactly: a parser by precedence, with nothing that runs code.

Percents, mixed numbers and units that bind closer than a division are no syntax of Python, so none of its parsers fits.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tools.reckoning.functions import CONSTANTS, FUNCTIONS, call_function, check_bounds, factorial, remainder
from tools.reckoning.tokens import Token, read_tokens
from tools.reckoning.units import (
    Amount,
    add_amounts,
    convert_amount,
    divide_amounts,
    find_unit,
    measure_amount,
    multiply_amounts,
    pure_number,
    raise_to,
    reduce_units,
)
from utils.errors import ToolError

MAX_NESTING = 25
"""Parentheses, signs and functions within each other."""
_SCALES = {
    "hundred": 10**2, "thousand": 10**3, "tausend": 10**3, "mil": 10**3, "million": 10**6, "millions": 10**6,
    "mio": 10**6, "millionen": 10**6, "millones": 10**6, "milioni": 10**6, "milhões": 10**6, "miljoen": 10**6,
    "billion": 10**9, "billions": 10**9, "mrd": 10**9, "milliarde": 10**9, "milliarden": 10**9, "milliards": 10**9,
    "trillion": 10**12, "dozen": 12,
}  # fmt: skip
_CONVERTS = frozenset({"to", "in", "into", "as", "nach", "en", "em", "naar"})
_OPERATIONS: dict[str, Callable[[Amount, Amount], Amount]] = {
    "*": multiply_amounts,
    "of": multiply_amounts,
    "/": divide_amounts,
    "per": divide_amounts,
    "off": lambda share, whole: multiply_amounts(1 - pure_number(share), whole),
    "mod": lambda value, divisor: remainder(pure_number(value), pure_number(divisor)),
    "//": lambda value, divisor: Fraction(math.floor(pure_number(divide_amounts(value, divisor)))),
}


@dataclass(frozen=True)
class _Value:
    amount: Amount
    percent: bool = False
    """Whether it was written as a percentage: 200 + 10 % are 220."""


def evaluate_expression(text: str) -> Amount:
    """What an expression of plain signs comes to, in the unit that it asks for; raises `ToolError`."""
    return _Parser(read_tokens(text)).parse_whole()


class _Parser:
    """Works out tokens from left to right, by recursion that is bounded."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def parse_whole(self) -> Amount:
        value = self._parse_sum().amount
        converts = self._next_token.kind == "word" and self._next_token.text.casefold() in _CONVERTS
        value = self._convert_value(value) if converts else reduce_units(value)
        if self._next_token.kind != "end":
            raise ToolError(
                f'"{self._next_token.text[:20]}" is not understood there: write one expression, e.g. (2 + 3) * 4.'
            )
        return value

    @property
    def _next_token(self) -> Token:
        return self._token_ahead(0)

    def _token_ahead(self, count: int) -> Token:
        at = self._at + count
        return self._tokens[at] if at < len(self._tokens) else Token("end", "")

    def _take_token(self) -> Token:
        token = self._next_token
        self._at += 1
        return token

    def _skip_token(self, text: str) -> bool:
        skipped = self._next_token.text == text
        self._at += skipped
        return skipped

    def _convert_value(self, value: Amount) -> Amount:
        self._take_token()
        target = find_unit("percent") if self._skip_token("%") else self._parse_units()
        if target is None:
            raise ToolError(f'"{self._next_token.text[:20]}" is no unit that is known here.')
        return convert_amount(value, target)

    def _parse_sum(self) -> _Value:
        left = self._parse_product()
        while self._next_token.text in ("+", "-"):
            sign = Fraction(-1 if self._take_token().text == "-" else 1)
            right = self._parse_product()
            amount = multiply_amounts(sign, right.amount)
            if right.percent and not left.percent:
                left = _Value(multiply_amounts(left.amount, 1 + pure_number(amount)))
            else:
                left = _Value(add_amounts(left.amount, amount), left.percent)
        return left

    def _parse_product(self) -> _Value:
        left = self._parse_signed()
        while True:
            name = self._next_token.text.casefold()
            if name in _OPERATIONS:
                self._take_token()
                left = _Value(_OPERATIONS[name](left.amount, self._parse_signed().amount))
            elif self._begins_factor():
                left = _Value(multiply_amounts(left.amount, self._parse_power().amount))
            elif left.percent and self._next_token.kind == "number":
                raise ToolError('"17 % 5" may be a share or a remainder: write "17 % of 5" or "17 mod 5".')
            else:
                return left

    def _begins_factor(self) -> bool:
        """Whether a factor without a sign before it stands here: 2(3 + 4), 2 pi, 3 sqrt(2)."""
        name = self._next_token.text.casefold()
        return name == "(" or name in CONSTANTS or _is_function(name, self._token_ahead(1))

    def _parse_signed(self) -> _Value:
        self._depth += 1
        if self._depth > MAX_NESTING:
            raise ToolError("That is nested too deep: work out a part of it first.")
        if self._next_token.text in ("-", "+"):
            minus = self._take_token().text == "-"
            value = self._parse_signed()
            value = _Value(-value.amount, value.percent) if minus else value
        else:
            value = self._parse_power()
        self._depth -= 1
        return value

    def _parse_power(self) -> _Value:
        base = self._parse_suffixes(self._parse_operand())
        if not self._skip_token("^"):
            return base
        return _Value(raise_to(base.amount, pure_number(self._parse_signed().amount)))

    def _parse_suffixes(self, amount: Amount) -> _Value:
        """An operand with what stands behind it: exclamation marks, percent."""
        value = _Value(amount)
        while self._next_token.text in ("!", "%"):
            if self._take_token().text == "!":
                value = _Value(factorial(pure_number(value.amount)))
            else:
                value = _Value(multiply_amounts(value.amount, Fraction(1, 100)), percent=True)
        return value

    def _parse_operand(self) -> Amount:
        token = self._next_token
        if token.kind == "number":
            return self._parse_measured()
        if self._skip_token("("):
            value = self._parse_sum().amount
            self._close_parenthesis()
            return value
        name = token.text.casefold()
        if _is_function(name, self._token_ahead(1)):
            self._take_token()
            return call_function(name, self._parse_arguments())
        if token.text in CONSTANTS or name in ("pi", "tau"):
            self._take_token()
            return CONSTANTS[name]
        found = self._parse_units() if token.kind == "word" else None
        if found is None:
            raise ToolError(_missing_text(token))
        return found

    def _close_parenthesis(self) -> None:
        if not self._skip_token(")") and self._next_token.kind != "end":
            raise ToolError(f'A parenthesis is not closed before "{self._next_token.text[:20]}".')

    def _parse_arguments(self) -> list[Fraction]:
        """The numbers of a function, in parentheses or one alone."""
        if not self._skip_token("("):
            self._depth += 1
            value = self._parse_power() if self._depth <= MAX_NESTING else self._parse_signed()
            self._depth -= 1
            return [pure_number(value.amount)]
        values = [pure_number(self._parse_sum().amount)]
        while self._skip_token(";") or self._skip_token(","):
            values.append(pure_number(self._parse_sum().amount))
        self._close_parenthesis()
        return values

    def _parse_measured(self) -> Amount:
        """A number with the units behind it, also several: 5 ft 3 in."""
        amount: Amount = self._parse_number()
        measure = self._parse_units()
        if measure is None:
            return amount
        amount = measure_amount(amount, measure)
        while self._next_token.kind == "number" and self._token_ahead(1).kind == "word":
            number, more = self._parse_number(), self._parse_units()
            if more is None:
                raise ToolError(f'"{self._next_token.text[:20]}" is no unit that is known here.')
            amount = add_amounts(amount, measure_amount(number, more))
        return amount

    def _parse_number(self) -> Fraction:
        value = self._take_token().number
        if self._next_token.kind == "number" and value.denominator == 1 and self._token_ahead(1).text in ("/", "⁄"):
            # 2 1/2, where two numbers with nothing between are nothing else.
            part = self._take_token().number
            self._take_token()
            value += _divide_by_token(part, self._take_token())
        elif self._skip_token("⁄"):
            value = _divide_by_token(value, self._take_token())
        while self._next_token.kind == "word" and self._next_token.text.casefold() in _SCALES:
            value = check_bounds(value * _SCALES[self._take_token().text.casefold()])
        return value

    def _parse_units(self) -> Amount | None:
        """The units that stand here, as km/h or kg m^2; None where there is none."""
        found = self._parse_unit()
        while found is not None and self._next_token.text in ("/", "per", "*"):
            at, sign = self._at, self._take_token().text
            more = self._parse_unit()
            if more is None:
                self._at = at
                break
            found = multiply_amounts(found, more) if sign == "*" else divide_amounts(found, more)
        return found

    def _parse_unit(self) -> Amount | None:
        """One unit with its exponent."""
        token, after = self._next_token, self._token_ahead(1)
        name = token.text.casefold()
        if token.kind != "word" or not self._names_unit(name, after):
            return None
        exponent = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}.get(name, 1)
        if exponent > 1:
            self._take_token()
            found = find_unit(self._next_token.text)
        elif after.kind == "word" and (found := find_unit(f"{token.text}_{after.text}")) is not None:
            self._take_token()
        else:
            found = find_unit(token.text)
        if found is None:
            return None
        self._take_token()
        if self._next_token.text == "^":
            self._take_token()
            exponent *= self._parse_exponent()
        return raise_to(found, Fraction(exponent)) if exponent != 1 else found

    def _parse_exponent(self) -> int:
        inside = self._skip_token("(")
        minus = self._skip_token("-")
        number = self._take_token().number
        if inside:
            self._close_parenthesis()
        if number.denominator != 1 or not 0 < number < 10:
            raise ToolError("A unit is raised to a whole power up to 9.")
        return -number.numerator if minus else number.numerator

    def _names_unit(self, name: str, after: Token) -> bool:
        """Whether a word is not one of those with another meaning here; `in` is inches where no unit follows it."""
        if name == "in":
            return after.text != "%" and (after.kind != "word" or after.text.casefold() in _CONVERTS)
        return not _is_function(name, after) and not any(
            name in others for others in (CONSTANTS, _CONVERTS, _OPERATIONS)
        )


def _is_function(name: str, after: Token) -> bool:
    """Whether a word calls a function; without a parenthesis `min` are minutes."""
    return name in FUNCTIONS and (name != "min" or after.text == "(")


def _divide_by_token(part: Fraction, divisor: Token) -> Fraction:
    if divisor.number == 0:
        raise ToolError("Nothing can be divided by zero.")
    return part / divisor.number


def _missing_text(token: Token) -> str:
    if token.kind == "end":
        return "The expression is not complete: something is missing at its end."
    return f'"{token.text[:20]}" is not understood here: write numbers, + - * / ^, %, units and functions.'
