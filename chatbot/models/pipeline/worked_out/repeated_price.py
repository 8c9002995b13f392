"""What something costs that is done several times: the one price that answers, multiplied; a small model tells one."""

import re
from fractions import Fraction

from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.tables.clear_cell import ClearCell, clear_cell
from chatbot.models.pipeline.worked_out.party_price import counted_number, write_total
from chatbot.models.pipeline.writing.written import number_marks
from tools.reckoning.amounts import only_amount
from tools.reckoning.numerals import number_readings

_NUMBER_SAID = r"(?P<count>two|three|four|five|six|seven|eight|nine|ten|[2-9]|[1-9]\d)"
_REPEATED = re.compile(
    rf"(?<!\bin )(?<!\bwithin )(?<!\bafter )(?<!\bbefore )\b(?:{_NUMBER_SAID} (?P<unit>times|visits|nights|days|weeks"
    r"|months|hours)|(?P<twice>twice))\b(?! (?:ago|later|from now|an? (?:day|week|month|year)|per|old)\b)",
    re.IGNORECASE,
)
_SO_MANY = re.compile(
    r"\b(\w{1,12})[- ](?:times|visits?|entries|rides?|trips?|swims?|nights?|days?|weeks?|months?|hours?)\b",
    re.IGNORECASE,
)
_ASKS_WHOLE_PRICE = re.compile(
    r"\b(?:all ?together|in (?:total|all)|(?:the|a) total|how much (?:is|are|would|will) (?:that|it|this|we|i)\b"
    r"|what (?:do|does|would|will) (?:that|it|this|we|i|the whole \w+) (?:cost|come to|pay|be)\b)",
    re.IGNORECASE,
)
"""What asks for all of it, and not for the price of each."""


def tell_repeated_price(english: str, reading: Reading) -> str:
    """`3 × Family, Off-peak (14.80) = 44.40` with its passage's number; empty where a question in English does not ask
    for several times of something, or no cell of a table is surely the price of one."""
    repeated = _REPEATED.search(english)
    if not repeated or not _ASKS_WHOLE_PRICE.search(english) or not reading.passage_numbers:
        return ""
    said = repeated["count"] or "2"
    count = counted_number(said.casefold())
    cell = clear_cell(reading.quoted_row, reading.rows, english)
    price = only_amount(cell.text) if cell else None
    if cell is None or price is None or _is_of_several(cell, count) or not _is_of_one(reading, repeated["unit"] or ""):
        return ""
    column = next((column for column, text in cell.row.cells[1:] if text == cell.text), "")
    name = ", ".join(filter(None, (cell.row.cells[0][1], column)))
    total = write_total(count * Fraction(price.value), price, cell.text)
    return f"{count} × {name} ({cell.text}) = {total}{number_marks(reading.passage_numbers[:1])}"


def _is_of_several(cell: ClearCell, count: int) -> bool:
    """Whether a price is of so many already: "Ten visits", and not "up to 3 children"."""
    told = " ".join(f"{column} {text}" for column, text in cell.row.cells)
    return any(str(count) in number_readings(found[1]) for found in _SO_MANY.finditer(told))


def _is_of_one(reading: Reading, unit: str) -> bool:
    """Whether prices are said to be for one of a unit of time, where several of that are asked for."""
    one = unit.rstrip("s").casefold()
    if one in ("", "time", "visit"):
        return True
    told = "\n".join(source.passage.text for source in reading.sources)
    return re.search(rf"\b(?:per|an?|one|for (?:a|one)) {one}\b", told, re.IGNORECASE) is not None
