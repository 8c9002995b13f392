"""Numbers as people write them: digits of all scripts, separators of all countries, fractions, powers of ten."""

import re
import unicodedata
from collections.abc import Iterable
from fractions import Fraction

from utils.languages.quantities import all_offered, quantities_in

EXPONENT = 300
"""The largest power of ten that a number may be written with."""
NUMBER_PATTERN = re.compile(
    r"(?:\d{1,3}(?: \d{3})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,']\d+)*|(?<![\w.])[.,]\d+)(?:[eE][+-]?\d{1,4}(?!\w))?"
)
_VULGAR = re.compile("[¼-¾⅐-⅞↉]")
_RAISED_DIGITS = re.compile("[⁺⁻]?[⁰¹²³⁴-⁹]+")
_SIGN_TABLE = str.maketrans(
    dict.fromkeys("−–—‐‑﹣", "-")
    | dict.fromkeys("×✕✖⨯⋅·∙•", "*")
    | dict.fromkeys("÷∕", "/")
    | dict.fromkeys("’‘ʼ′`", "'")
    | {"٪": "%", "٫": ".", "٬": ",", "→": " to ", "≈": "="}
)
_CALL = re.compile(r"(?<![\w.])[^\W\d_]+\d*\s?\(([^()]*)\)")
_MIXED_NUMBER = re.compile(r"(?<!\d)(?:(\d+) )?(\d+)⁄(\d+)")


def plain_signs(text: str) -> str:
    """A text in the signs of a keyboard: its digits 0 to 9, `5²` as `5^(2)`, `2½` as `2 1⁄2` with a fraction slash."""
    text = _VULGAR.sub(lambda found: f" {unicodedata.normalize('NFKC', found[0])}", text)
    text = _RAISED_DIGITS.sub(lambda found: f"^({unicodedata.normalize('NFKC', found[0])})", text)
    text = unicodedata.normalize("NFKC", text.translate(_SIGN_TABLE)).translate(_SIGN_TABLE)
    text = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)
    return _CALL.sub(_separate_arguments, " ".join(text.split()))


def has_decimal_commas(numbers: Iterable[str]) -> bool:
    """Whether some number of a text can only be read with a comma before its decimals, so that others may be too."""
    return any(_decimal_mark(number) == "," for number in numbers)


def read_number(written: str, commas: bool = False) -> Fraction | None:
    """The number that is written so; None where its groups of digits make none.

    `1,234` is more than a thousand and `1.234` little more than one, unless the numbers around have decimal `commas`.
    """
    digits, _, exponent = written.replace(" ", "'").lower().partition("e")
    if exponent and abs(int(exponent)) > EXPONENT:
        return None
    mark = _decimal_mark(digits) or ("," if commas else ".")
    if (mark == "." and digits.count(".") > 1) or (mark == "," and digits.count(",") > 1):
        return None
    whole, _, decimals = digits.partition(mark)
    if not re.fullmatch(r"\d*|\d{1,3}(?:[.,']\d{2,3})*[.,']\d{3}", whole) or not re.fullmatch(r"\d*", decimals):
        return None
    whole = re.sub(r"[.,']", "", whole)
    return Fraction(f"{whole or 0}.{decimals or 0}e{exponent or 0}")


def numbers_in(text: str) -> list[str]:
    """The numbers of a text in their order, each in its plainest form: `17 % of 2.340,50 €` has `17` and `2340.5`.

    Signs are left out, and number words are none. What cannot be one number, like `1.12.2026`, is several.
    """
    text = plain_signs(text)
    found: list[str] = []
    for mixed in _MIXED_NUMBER.finditer(text):
        if int(mixed[3]):
            found.append(decimal_text(int(mixed[1] or 0) + Fraction(int(mixed[2]), int(mixed[3]))))
    written = NUMBER_PATTERN.findall(_MIXED_NUMBER.sub(" ", text))
    commas = has_decimal_commas(written)
    for number in written:
        value = read_number(number, commas)
        parts = [value] if value is not None else [Fraction(part) for part in re.findall(r"\d+", number)]
        found += map(decimal_text, parts)
    return found


def decimal_text(value: Fraction) -> str:
    """A number in decimals, all of them where they end within twenty, no zeros behind."""
    scaled = round(value * 10**20)
    whole, decimals = divmod(abs(scaled), 10**20)
    return f"{'-' * (scaled < 0)}{whole}.{decimals:020}".rstrip("0").rstrip(".")


def _decimal_mark(number: str) -> str:
    """The sign that must stand before the decimals; empty where that cannot be seen."""
    commas, points = number.count(","), number.count(".")
    if commas and points:
        return "," if number.rfind(",") > number.rfind(".") else "."
    if commas == 1:
        head, _, tail = number.partition(",")
        return "" if len(re.split("[eE]", tail)[0]) == 3 and 0 < len(head) <= 3 and head[0] != "0" else ","
    if points == 1:
        head, _, tail = number.partition(".")
        return "" if len(re.split("[eE]", tail)[0]) == 3 and 0 < len(head) <= 3 and head[0] != "0" else "."
    return "," if points else ("." if commas else "")


def _separate_arguments(call: re.Match[str]) -> str:
    """A call with semicolons between its arguments: a comma may be in a number where others have a space behind."""
    arguments = call[1]
    if ";" in arguments:
        return call[0]
    separated = re.sub(r",\s" if ", " in arguments else ",", ";", arguments)
    return call[0].replace(f"({arguments})", f"({separated})")


def number_readings(text: str) -> frozenset[str]:
    """All that the numbers of a text may be, in figures and in words: "1.250" in either language, "five"."""
    return frozenset(numbers_in(text)) | all_offered(quantities_in(text))
