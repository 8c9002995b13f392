"""Expressions as people and models write them, worked out exactly: a parser by precedence, with nothing that runs code.

Percents, mixed numbers and units that bind closer than a division are no syntax of Python, so none of its parsers fits.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tools.reckoning.functions import CONSTANTS, FUNCTIONS, bounded, call, factorial, remainder
from tools.reckoning.tokens import Token, read_tokens
from tools.reckoning.units import Amount, add, convert, divide, measured, multiply, pure, raise_to, reduced, unit
from utils.errors import ToolError

DEPTH = 25
"""Parentheses, signs and functions within each other."""
_SCALES = {
    "hundred": 10**2, "thousand": 10**3, "tausend": 10**3, "mil": 10**3, "million": 10**6, "millions": 10**6,
    "mio": 10**6, "millionen": 10**6, "millones": 10**6, "milioni": 10**6, "milhões": 10**6, "miljoen": 10**6,
    "billion": 10**9, "billions": 10**9, "mrd": 10**9, "milliarde": 10**9, "milliarden": 10**9, "milliards": 10**9,
    "trillion": 10**12, "dozen": 12,
}  # fmt: skip
_CONVERTS = frozenset({"to", "in", "into", "as", "nach", "en", "em", "naar"})
_OPERATIONS: dict[str, Callable[[Amount, Amount], Amount]] = {
    "*": multiply,
    "of": multiply,
    "/": divide,
    "per": divide,
    "off": lambda share, whole: multiply(1 - pure(share), whole),
    "mod": lambda value, divisor: remainder(pure(value), pure(divisor)),
    "//": lambda value, divisor: Fraction(math.floor(pure(divide(value, divisor)))),
}


@dataclass(frozen=True)
class _Value:
    amount: Amount
    percent: bool = False
    """Whether it was written as a percentage: 200 + 10 % are 220."""


def evaluate(text: str) -> Amount:
    """What an expression of plain signs comes to, in the unit that it asks for; raises `ToolError`."""
    return _Parser(read_tokens(text)).whole()


class _Parser:
    """Works out tokens from left to right, by recursion that is bounded."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def whole(self) -> Amount:
        value = self._sum().amount
        converts = self._next.kind == "word" and self._next.text.casefold() in _CONVERTS
        value = self._converted(value) if converts else reduced(value)
        if self._next.kind != "end":
            raise ToolError(
                f'"{self._next.text[:20]}" is not understood there: write one expression, e.g. (2 + 3) * 4.'
            )
        return value

    @property
    def _next(self) -> Token:
        return self._ahead(0)

    def _ahead(self, count: int) -> Token:
        at = self._at + count
        return self._tokens[at] if at < len(self._tokens) else Token("end", "")

    def _take(self) -> Token:
        token = self._next
        self._at += 1
        return token

    def _skip(self, text: str) -> bool:
        skipped = self._next.text == text
        self._at += skipped
        return skipped

    def _converted(self, value: Amount) -> Amount:
        self._take()
        target = unit("percent") if self._skip("%") else self._units()
        if target is None:
            raise ToolError(f'"{self._next.text[:20]}" is no unit that is known here.')
        return convert(value, target)

    def _sum(self) -> _Value:
        left = self._product()
        while self._next.text in ("+", "-"):
            sign = Fraction(-1 if self._take().text == "-" else 1)
            right = self._product()
            amount = multiply(sign, right.amount)
            if right.percent and not left.percent:
                left = _Value(multiply(left.amount, 1 + pure(amount)))
            else:
                left = _Value(add(left.amount, amount), left.percent)
        return left

    def _product(self) -> _Value:
        left = self._signed()
        while True:
            name = self._next.text.casefold()
            if name in _OPERATIONS:
                self._take()
                left = _Value(_OPERATIONS[name](left.amount, self._signed().amount))
            elif self._begins_factor():
                left = _Value(multiply(left.amount, self._power().amount))
            elif left.percent and self._next.kind == "number":
                raise ToolError('"17 % 5" may be a share or a remainder: write "17 % of 5" or "17 mod 5".')
            else:
                return left

    def _begins_factor(self) -> bool:
        """Whether a factor without a sign before it stands here: 2(3 + 4), 2 pi, 3 sqrt(2)."""
        name = self._next.text.casefold()
        return name == "(" or name in CONSTANTS or _is_function(name, self._ahead(1))

    def _signed(self) -> _Value:
        self._depth += 1
        if self._depth > DEPTH:
            raise ToolError("That is nested too deep: work out a part of it first.")
        if self._next.text in ("-", "+"):
            minus = self._take().text == "-"
            value = self._signed()
            value = _Value(-value.amount, value.percent) if minus else value
        else:
            value = self._power()
        self._depth -= 1
        return value

    def _power(self) -> _Value:
        base = self._behind(self._operand())
        if not self._skip("^"):
            return base
        return _Value(raise_to(base.amount, pure(self._signed().amount)))

    def _behind(self, amount: Amount) -> _Value:
        """An operand with what stands behind it: exclamation marks, percent."""
        value = _Value(amount)
        while self._next.text in ("!", "%"):
            if self._take().text == "!":
                value = _Value(factorial(pure(value.amount)))
            else:
                value = _Value(multiply(value.amount, Fraction(1, 100)), percent=True)
        return value

    def _operand(self) -> Amount:
        token = self._next
        if token.kind == "number":
            return self._measured()
        if self._skip("("):
            value = self._sum().amount
            self._close()
            return value
        name = token.text.casefold()
        if _is_function(name, self._ahead(1)):
            self._take()
            return call(name, self._arguments())
        if token.text in CONSTANTS or name in ("pi", "tau"):
            self._take()
            return CONSTANTS[name]
        found = self._units() if token.kind == "word" else None
        if found is None:
            raise ToolError(_missing(token))
        return found

    def _close(self) -> None:
        if not self._skip(")") and self._next.kind != "end":
            raise ToolError(f'A parenthesis is not closed before "{self._next.text[:20]}".')

    def _arguments(self) -> list[Fraction]:
        """The numbers of a function, in parentheses or one alone."""
        if not self._skip("("):
            self._depth += 1
            value = self._power() if self._depth <= DEPTH else self._signed()
            self._depth -= 1
            return [pure(value.amount)]
        values = [pure(self._sum().amount)]
        while self._skip(";") or self._skip(","):
            values.append(pure(self._sum().amount))
        self._close()
        return values

    def _measured(self) -> Amount:
        """A number with the units behind it, also several: 5 ft 3 in."""
        amount: Amount = self._number()
        measure = self._units()
        if measure is None:
            return amount
        amount = measured(amount, measure)
        while self._next.kind == "number" and self._ahead(1).kind == "word":
            number, more = self._number(), self._units()
            if more is None:
                raise ToolError(f'"{self._next.text[:20]}" is no unit that is known here.')
            amount = add(amount, measured(number, more))
        return amount

    def _number(self) -> Fraction:
        value = self._take().number
        if self._next.kind == "number" and value.denominator == 1 and self._ahead(1).text in ("/", "⁄"):
            # 2 1/2, where two numbers with nothing between are nothing else.
            part = self._take().number
            self._take()
            value += _quotient(part, self._take())
        elif self._skip("⁄"):
            value = _quotient(value, self._take())
        while self._next.kind == "word" and self._next.text.casefold() in _SCALES:
            value = bounded(value * _SCALES[self._take().text.casefold()])
        return value

    def _units(self) -> Amount | None:
        """The units that stand here, as km/h or kg m^2; None where there is none."""
        found = self._unit()
        while found is not None and self._next.text in ("/", "per", "*"):
            at, sign = self._at, self._take().text
            more = self._unit()
            if more is None:
                self._at = at
                break
            found = multiply(found, more) if sign == "*" else divide(found, more)
        return found

    def _unit(self) -> Amount | None:
        """One unit with its exponent."""
        token, after = self._next, self._ahead(1)
        name = token.text.casefold()
        if token.kind != "word" or not self._names_unit(name, after):
            return None
        exponent = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}.get(name, 1)
        if exponent > 1:
            self._take()
            found = unit(self._next.text)
        elif after.kind == "word" and (found := unit(f"{token.text}_{after.text}")) is not None:
            self._take()
        else:
            found = unit(token.text)
        if found is None:
            return None
        self._take()
        if self._next.text == "^":
            self._take()
            exponent *= self._exponent()
        return raise_to(found, Fraction(exponent)) if exponent != 1 else found

    def _exponent(self) -> int:
        inside = self._skip("(")
        minus = self._skip("-")
        number = self._take().number
        if inside:
            self._close()
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


def _quotient(part: Fraction, divisor: Token) -> Fraction:
    if divisor.number == 0:
        raise ToolError("Nothing can be divided by zero.")
    return part / divisor.number


def _missing(token: Token) -> str:
    if token.kind == "end":
        return "The expression is not complete: something is missing at its end."
    return f'"{token.text[:20]}" is not understood here: write numbers, + - * / ^, %, units and functions.'
