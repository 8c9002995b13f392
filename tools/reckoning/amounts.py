"""Amounts as texts write them: a figure with the sign or the word that says of what it is."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction

from tools.reckoning.numerals import decimal_text, numbers_in
from tools.reckoning.units import divide_amounts, find_unit, pure_number
from utils.errors import ToolError

_WRITTEN_AMOUNT = re.compile(
    r"(?<![\w.,:/–-])(?P<sign>[€$£¥]\s?)?"
    r"(?P<number>\d{1,3}(?:[.,' ]\d{3}){1,4}(?:[.,]\d+)?|\d+(?:[.,]\d+)?)(?![\w:/–-]|[.,:]\d)"
    r"(?:\s?(?P<unit>[€$£¥%°](?!\d)|[^\W\d_]+))?"
)
_CURRENCY_SIGNS = ("€", "$", "£", "¥")
_CURRENCY_NAMES = {
    "$": re.compile(r"d[oó]l+[aá]r|dolar|доллар|долар|(?-i:\b[A-Z]{2}D\b)|peso|美元|ドル", re.IGNORECASE),
    "€": re.compile(r"(?<![^\W\d_])eur|евро|євро|ευρώ|欧元|ユーロ", re.IGNORECASE),
    "£": re.compile(r"pound|quid|pence|pfund|livre|libra|sterlin|фунт|GBP|英镑", re.IGNORECASE),
    "¥": re.compile(r"(?<![^\W\d_])yen|yuan|jpy|cny|rmb|元|円|圆", re.IGNORECASE),
}
"""How texts name the currency of a sign."""
_BARE_YEARS = range(1000, 2200)
"""Bare figures that are taken for years."""


@dataclass(frozen=True)
class Amount:
    """A figure of a text."""

    value: Fraction
    sign: str
    """What stands before it, as the sign of a currency does."""
    unit: str

    @property
    def is_year(self) -> bool:
        """Whether it is taken for a year."""
        return not (self.sign or self.unit) and self.value in _BARE_YEARS

    def write_value(self, value: Fraction) -> str:
        """Another value in its form; money that is not whole with its hundredths."""
        spaced = f" {self.unit}" if self.unit[:1].isalpha() else self.unit
        money = value.denominator != 1 and (self.sign or self.unit in _CURRENCY_SIGNS)
        return f"{self.sign}{f'{float(value):.2f}' if money else decimal_text(value)}{spaced}"


def value_in(amount: Amount, unit: str) -> Fraction | None:
    """The figure of an amount in another unit; None where that measures something else or is no unit."""
    try:
        one, other = find_unit(amount.unit), find_unit(unit)
        return amount.value * pure_number(divide_amounts(one, other)) if one is not None and other is not None else None
    except ToolError:
        return None


def written_amounts(text: str) -> list[str]:
    """The amounts of a text as they stand there, each with its sign or unit."""
    return [match[0] for match in _WRITTEN_AMOUNT.finditer(text)]


def currency_signs(text: str) -> frozenset[str]:
    """The signs of the currencies that a text names, by the sign or by a word."""
    return frozenset(sign for sign, words in _CURRENCY_NAMES.items() if sign in text or words.search(text))


def currencies_paid(text: str) -> frozenset[str]:
    """The signs of the currencies that the amounts of a text are in."""
    return frozenset(sign for amount in written_amounts(text) for sign in currency_signs(amount))


def only_amount(text: str, no_units: Collection[str] = ()) -> Amount | None:
    """The one amount of a text; None where it has none or several. `no_units` are words that are no unit: "in 1854 by
    Lowe" has none.
    """
    found = []
    for match in _WRITTEN_AMOUNT.finditer(text):
        numbers = numbers_in(match["number"])
        if len(numbers) == 1:
            unit = "" if (match["unit"] or "").casefold() in no_units else match["unit"] or ""
            found.append(Amount(Fraction(numbers[0]), (match["sign"] or "").strip(), unit))
    return found[0] if len(found) == 1 else None
