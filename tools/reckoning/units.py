"""Quantities: numbers with units, and what may be done with them; only importer of pint."""

import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from tools.reckoning.functions import check_bounds, raise_power
from utils.errors import ToolError

Amount = Any
"""A `Fraction`, or a quantity of pint whose magnitude is one."""

_CURRENCIES = frozenset(
    ["eur", "usd", "gbp", "chf", "jpy", "cny", "inr", "euro", "euros", "dollar", "dollars", "yen", "rupees", "franken"]
)
# Names that pint does not know or takes for something else.
_UNIT_NAMES = {
    "c": "degC", "°c": "degC", "celsius": "degC", "f": "degF", "°f": "degF", "fahrenheit": "degF", "°": "degree",
    "k": "kelvin", "°k": "kelvin", "°r": "degR", "kmh": "kph", "l": "liter", "mpg": "mile_per_gallon",
    "fl_oz": "fluid_ounce", "sqm": "m2", "sqft": "ft2", "cc": "cm3", "ccm": "cm3", "kilo": "kilogram",
    "kilos": "kilogram", "std": "hour", "stunde": "hour", "stunden": "hour", "heure": "hour", "heures": "hour",
    "hora": "hour", "horas": "hour", "ora": "hour", "ore": "hour", "uur": "hour", "minuten": "minute",
    "minuto": "minute", "minutos": "minute", "minuti": "minute", "minuut": "minute", "sekunde": "second",
    "sekunden": "second", "secondes": "second", "segundos": "second", "secondi": "second", "tag": "day",
    "tage": "day", "tagen": "day", "jour": "day", "jours": "day", "día": "day", "días": "day", "dias": "day",
    "giorno": "day", "giorni": "day", "dagen": "day", "woche": "week", "wochen": "week", "semaine": "week",
    "semaines": "week", "semana": "week", "semanas": "week", "jahr": "year", "jahre": "year", "años": "year",
    "meile": "mile", "meilen": "mile", "millas": "mile", "milles": "mile", "miglia": "mile", "milhas": "mile",
    "mijl": "mile", "zoll": "inch", "pouces": "inch", "pulgadas": "inch", "pollici": "inch", "fuß": "foot",
    "fuss": "foot", "pieds": "foot", "pies": "foot", "piedi": "foot", "gramm": "gram", "grammes": "gram",
    "gramos": "gram", "grammi": "gram", "kilogramm": "kilogram", "kilogrammes": "kilogram",
    "kilómetros": "kilometer", "kilometri": "kilometer", "chilometri": "kilometer", "quilômetros": "kilometer",
    "kilomètres": "kilometer", "mètres": "meter", "metros": "meter", "metri": "meter", "centímetros": "centimeter",
    "litro": "liter", "litros": "liter", "litri": "liter", "tasse": "cup", "tassen": "cup", "tasses": "cup",
    "tazas": "cup", "tazze": "cup", "el": "tablespoon", "tl": "teaspoon", "unzen": "ounce", "onces": "ounce",
    "onzas": "ounce", "libras": "pound", "livres": "pound", "knoten": "knot", "nudos": "knot",
}  # fmt: skip
_SYMBOLS_SHOWN = {
    "cup": "cups", "fluid_ounce": "fl oz", "day": "days", "week": "weeks", "month": "months", "year": "years",
    "kilometer_per_hour": "km/h", "mile_per_hour": "mph", "degree": "°", "nautical_mile": "nautical miles",
    "light_year": "light years", "ton": "short tons", "percent": "%",
}  # fmt: skip
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def find_unit(name: str) -> Amount | None:
    """One of the unit of that name or symbol, as it is written or in small letters; None if there is none."""
    if name.casefold() in _CURRENCIES:
        raise ToolError("There are no exchange rates here: look the rate up on the web, then multiply by it.")
    name = _UNIT_NAMES.get(name.casefold(), name) if len(name) > 1 or name in "CFKlLcfk°" else name
    if name == "c" or name == "f":
        return None
    found = _parse_unit(name)
    if found is None:
        found = _parse_unit(name.casefold())
    if found is None and (raised := re.fullmatch(r"(\D+)([23])", name)):
        base = find_unit(raised[1])
        return None if base is None else raise_to(base, Fraction(raised[2]))
    return found


def is_quantity(amount: Amount) -> bool:
    """Whether an amount has a unit."""
    return not isinstance(amount, Fraction)


def add_amounts(left: Amount, right: Amount) -> Amount:
    """The sum, in the unit of the left; raises `ToolError`."""
    return _check_amount(lambda: left + right)


def multiply_amounts(left: Amount, right: Amount) -> Amount:
    """The product; raises `ToolError`."""
    return _check_amount(lambda: left * right)


def divide_amounts(left: Amount, right: Amount) -> Amount:
    """The quotient; raises `ToolError`."""
    return _check_amount(lambda: left / right)


def raise_to(base: Amount, exponent: Amount) -> Amount:
    """The power; raises `ToolError`."""
    if is_quantity(exponent):
        raise ToolError("An exponent is a number without a unit.")
    if not is_quantity(base):
        return raise_power(base, exponent)
    if abs(exponent) > 9 or exponent.denominator > 3:
        raise ToolError("A quantity can be raised to whole powers up to 9.")
    _check_amount(lambda: base * base)
    return _check_amount(lambda: type(base)(raise_power(base.magnitude, exponent), base.units**exponent))


def measure_amount(number: Fraction, measure: Amount) -> Amount:
    """So many of a unit; raises `ToolError`."""
    if not is_quantity(measure):
        return multiply_amounts(number, measure)
    # Not a product: 20 °C is not 20 times 1 °C.
    return _check_amount(lambda: type(measure)(number * measure.magnitude, measure.units))


def convert_amount(amount: Amount, target: Amount) -> Amount:
    """The same quantity in the unit of `target`; a number alone is taken in percent or refused. Raises `ToolError`."""
    if not is_quantity(target):
        raise ToolError("The unit to convert to is a number: write one like km/h.")
    if not is_quantity(amount):
        if target.dimensionless:
            return _check_amount(lambda: target * (amount / pure_number(target)))
        raise ToolError("A number without a unit cannot be converted: write its unit behind it, as in 5 miles to km.")
    return _check_amount(lambda: amount.to(target.units))


def pure_number(amount: Amount) -> Fraction:
    """An amount as a number alone: angles in radians; raises `ToolError`."""
    if isinstance(amount, Fraction):
        return amount
    number = _check_amount(lambda: amount.to("dimensionless"))
    return number if isinstance(number, Fraction) else Fraction(number.magnitude)


def reduce_units(amount: Amount) -> Amount:
    """With units that can be told as one merged: 1800 km min/h are 30 km."""
    return _check_amount(lambda: amount.to_reduced_units()) if is_quantity(amount) else amount


def describe_amount(amount: Amount) -> tuple[Fraction, str]:
    """The number and its unit as it is shown, e.g. `km/h`; an empty one for a number alone."""
    if not is_quantity(amount):
        return amount, ""
    above = [_unit_symbol(name, exponent) for name, exponent in amount.unit_items() if exponent > 0]
    below = [
        _unit_symbol(name, exponent if not above else -exponent)
        for name, exponent in amount.unit_items()
        if exponent < 0
    ]
    shown = "·".join(above or below) + "".join(f"/{name}" for name in below if above)
    return amount.magnitude, shown


def _unit_symbol(name: str, exponent: Fraction) -> str:
    symbol = _SYMBOLS_SHOWN.get(name) or _unit_registry().get_symbol(name)
    if exponent == 1:
        return str(symbol)
    return (
        f"{symbol}{str(exponent).translate(_SUPERSCRIPTS)}" if exponent.denominator == 1 else f"{symbol}^({exponent})"
    )


def _check_amount(work: Callable[[], Amount]) -> Amount:
    try:
        found = work()
    except ZeroDivisionError as error:
        raise ToolError("Nothing can be divided by zero.") from error
    except (TypeError, ArithmeticError) as error:
        raise _refuse_units(error) from error
    if not is_quantity(found):
        return check_bounds(Fraction(found))
    check_bounds(Fraction(found.magnitude))
    return found if tuple(found.unit_items()) else Fraction(found.magnitude)


def _refuse_units(error: Exception) -> ToolError:
    # What goes wrong here has to do with units, so that pint is loaded already.
    from pint.errors import OffsetUnitCalculusError

    if isinstance(error, OffsetUnitCalculusError):
        return ToolError("Temperatures in °C or °F can be converted, but not added or multiplied.")
    return ToolError("These units do not fit together: check that both measure the same.")


def _parse_unit(name: str) -> Amount | None:
    from pint.errors import PintError

    if not re.fullmatch(r"[^\W\d]+(?:_[^\W\d]+)*", name):
        return None
    try:
        return _unit_registry().Quantity(Fraction(1), _unit_registry().parse_units(name))
    except (PintError, AttributeError, ValueError, AssertionError):
        return None


@cache
def _unit_registry() -> Any:
    # Importing pint and reading its definitions takes 0.7 s (measured); the first unit pays for it.
    from pint import UnitRegistry

    registry: Any = UnitRegistry(non_int_type=Fraction, cache_folder=None)
    registry.define("mile_per_gallon = mile / gallon = mpg")
    return registry
