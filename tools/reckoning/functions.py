"""Exact arithmetic within limits: powers, roots and functions of fractions; knows nothing of units."""

import math
from collections.abc import Callable, Sequence
from decimal import Context, Decimal, DecimalException
from fractions import Fraction

from utils.errors import ToolError

BITS = 4096
"""Of a numerator or denominator: some 1,200 digits."""
LARGEST_FACTORIAL = 300
PRECISION = Context(prec=40)
"""Of what is no fraction: far more digits than are shown, so that errors of rounding never are."""
PI = Fraction("3.14159265358979323846264338327950288419716939937511")
E = Fraction("2.71828182845904523536028747135266249775724709369996")
CONSTANTS = {"pi": PI, "π": PI, "tau": 2 * PI, "e": E}


def check_bounds(value: Fraction) -> Fraction:
    """The value itself; raises `ToolError` where it has too many digits to go on with."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > BITS:
        raise ToolError("The result has more than 1,200 digits: work with smaller numbers.")
    return value


def raise_power(base: Fraction, exponent: Fraction) -> Fraction:
    """`base` to the power of `exponent`, exact where it is a fraction; raises `ToolError`."""
    if base == 0 and exponent < 0:
        raise ToolError("Zero has no negative power.")
    if exponent.denominator == 1 and is_exact(base):
        size = max(base.numerator.bit_length(), base.denominator.bit_length()) - 1
        if abs(exponent) > BITS * 4 or abs(exponent) * size > BITS:
            if abs(base) not in (0, 1):
                raise ToolError("That power has more than 1,200 digits: work with smaller numbers.")
            exponent = exponent % 2 + 2 * (exponent != 0)
        return Fraction(base**exponent.numerator)
    if base < 0 and exponent.denominator != 1:
        raise ToolError("A negative number has no real power that is not whole.")
    root = _exact_root(base, exponent.denominator) if is_exact(base) else None
    if root is not None:
        return raise_power(root, Fraction(exponent.numerator))
    return _work_in_decimals(lambda: PRECISION.power(_as_decimal(base), _as_decimal(exponent)))


def square_root(value: Fraction) -> Fraction:
    """Exact where it is a fraction; raises `ToolError`."""
    if value < 0:
        raise ToolError("A negative number has no real square root.")
    root = _exact_root(value, 2)
    return root if root is not None else _work_in_decimals(lambda: PRECISION.sqrt(_as_decimal(value)))


def factorial(value: Fraction) -> Fraction:
    """Of a whole number up to 300; raises `ToolError`."""
    if value.denominator != 1 or not 0 <= value <= LARGEST_FACTORIAL:
        raise ToolError(f"A factorial needs a whole number from 0 to {LARGEST_FACTORIAL}.")
    return Fraction(math.factorial(value.numerator))


def remainder(value: Fraction, divisor: Fraction) -> Fraction:
    """What is left over, with the sign of the divisor; raises `ToolError`."""
    if divisor == 0:
        raise ToolError("Nothing can be divided by zero.")
    return value % divisor


def call_function(name: str, arguments: Sequence[Fraction]) -> Fraction:
    """The value of a function of `FUNCTIONS`; raises `ToolError`."""
    function, least, most = FUNCTIONS[name]
    if not least <= len(arguments) <= most:
        raise ToolError(f"{name}() does not take {len(arguments)} numbers; separate them by semicolons.")
    return check_bounds(function(*arguments))


def is_exact(value: Fraction) -> bool:
    """Whether a value is as it was worked out, not rounded to the digits of `PRECISION`."""
    return value.denominator.bit_length() < 90


def _logarithm(value: Fraction, base: Fraction | None = None) -> Fraction:
    if value <= 0 or (base is not None and (base <= 0 or base == 1)):
        raise ToolError("Only a positive number has a logarithm, to a positive base that is not 1.")
    tens = _work_in_decimals(lambda: PRECISION.log10(_as_decimal(value)))
    if base is None or base == 10:
        return tens
    found = tens / _work_in_decimals(lambda: PRECISION.log10(_as_decimal(base)))
    near = Fraction(round(found))
    return near if abs(found - near) < Fraction(1, 10**30) else found


def _natural_logarithm(value: Fraction) -> Fraction:
    if value <= 0:
        raise ToolError("Only a positive number has a logarithm.")
    return _work_in_decimals(lambda: PRECISION.ln(_as_decimal(value)))


def _round_half_up(value: Fraction, places: Fraction = Fraction(0)) -> Fraction:
    if places.denominator != 1 or not -50 <= places <= 50:
        raise ToolError("round() rounds to a whole number of decimals, for instance round(2.345; 2).")
    scale = Fraction(10) ** places.numerator
    # Halves away from zero, as people are taught, not to the even neighbour.
    return Fraction(math.floor(abs(value) * scale + Fraction(1, 2)), 1) / scale * (-1 if value < 0 else 1)


def _median(*values: Fraction) -> Fraction:
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _wrap_float(function: Callable[[float], float]) -> Callable[[Fraction], Fraction]:
    def work_in_floats(value: Fraction) -> Fraction:
        try:
            found = function(float(value))
        except (ValueError, OverflowError) as error:
            raise ToolError("That function has no value there.") from error
        if abs(found) > 1e15:
            raise ToolError("That function has no value there.")
        # What is that near to a short number is one, as sin(30°) is 0.5.
        short = round(found, 10)
        return Fraction(str(short)) if abs(found - short) < 1e-14 else Fraction(found)

    return work_in_floats


def _whole_only(function: Callable[..., int]) -> Callable[..., Fraction]:
    def work_in_integers(*values: Fraction) -> Fraction:
        if any(value.denominator != 1 for value in values):
            raise ToolError("That function takes whole numbers.")
        return Fraction(function(*(value.numerator for value in values)))

    return work_in_integers


def _exact_root(value: Fraction, degree: int) -> Fraction | None:
    """The root where it is a fraction itself; None where it is none or the degree is large."""
    if degree > 64:
        return None
    parts = [_whole_root(part, degree) for part in (value.numerator, value.denominator)]
    return Fraction(parts[0], parts[1]) if parts[0] is not None and parts[1] is not None else None


def _whole_root(value: int, degree: int) -> int | None:
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**degree < value else (low, middle)
    return low if low**degree == value else None


def _cube_root(value: Fraction) -> Fraction:
    root = raise_power(abs(value), Fraction(1, 3))
    return -root if value < 0 else root


def _as_decimal(value: Fraction) -> Decimal:
    return PRECISION.divide(Decimal(value.numerator), Decimal(value.denominator))


def _work_in_decimals(work: Callable[[], Decimal]) -> Fraction:
    try:
        found = work()
    except DecimalException as error:
        raise ToolError("That is too large or too small to work out.") from error
    if not found.is_finite() or abs(found.adjusted()) > 1000:
        raise ToolError("That is too large or too small to work out.")
    return Fraction(found)


_MANY = 200
FUNCTIONS: dict[str, tuple[Callable[..., Fraction], int, int]] = {
    "sqrt": (square_root, 1, 1),
    "√": (square_root, 1, 1),
    "root": (square_root, 1, 1),
    "cbrt": (_cube_root, 1, 1),
    "abs": (abs, 1, 1),
    "round": (_round_half_up, 1, 2),
    "floor": (lambda value: Fraction(math.floor(value)), 1, 1),
    "ceil": (lambda value: Fraction(math.ceil(value)), 1, 1),
    "min": (min, 2, _MANY),
    "max": (max, 2, _MANY),
    "sum": (lambda *values: sum(values, Fraction(0)), 1, _MANY),
    "mean": (lambda *values: sum(values, Fraction(0)) / len(values), 1, _MANY),
    "average": (lambda *values: sum(values, Fraction(0)) / len(values), 1, _MANY),
    "avg": (lambda *values: sum(values, Fraction(0)) / len(values), 1, _MANY),
    "median": (_median, 1, _MANY),
    "factorial": (factorial, 1, 1),
    "gcd": (_whole_only(math.gcd), 1, _MANY),
    "lcm": (_whole_only(math.lcm), 1, _MANY),
    "log": (_logarithm, 1, 2),
    "lg": (_logarithm, 1, 1),
    "log10": (_logarithm, 1, 1),
    "log2": (lambda value: _logarithm(value, Fraction(2)), 1, 1),
    "ln": (_natural_logarithm, 1, 1),
    "exp": (lambda value: raise_power(E, value), 1, 1),
    "pow": (raise_power, 2, 2),
    "sin": (_wrap_float(math.sin), 1, 1),
    "cos": (_wrap_float(math.cos), 1, 1),
    "tan": (_wrap_float(math.tan), 1, 1),
    "asin": (_wrap_float(math.asin), 1, 1),
    "acos": (_wrap_float(math.acos), 1, 1),
    "atan": (_wrap_float(math.atan), 1, 1),
}
"""Each function by its name, with the least and most numbers that it takes; angles are in radians."""
