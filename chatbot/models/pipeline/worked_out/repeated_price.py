"""What something costs that is done several times: the one price that answers, multiplied; a small model tells one."""

import re
from dataclasses import replace

from chatbot.conversation.turns import Turn
from chatbot.models.dialogue import answer_text
from chatbot.models.pipeline.reading.answer_evidence import Reading
from chatbot.models.pipeline.reading.expected import is_money
from chatbot.models.pipeline.reading.tables.clear_cell import ClearCell, clear_cell
from chatbot.models.pipeline.worked_out.party_price import counted_number, write_total
from chatbot.models.pipeline.writing.written import number_marks, without_number_marks
from rag.search.rare_words import says_anything, telling_words, word_stems
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
_OF_NO_ONE = re.compile(
    r"\b(?:deposit|discount|off|reduc\w+|refund\w*|fine|penalty|annual|yearly|monthly|season"
    r"|(?:an?|per|each|every|one) (?:year|month|season))\b",
    re.IGNORECASE,
)
"""What an amount is that is not paid each time."""
_OF_DOING = word_stems("go goes going visit come coming do take buy use need want much cost pay then would")
"""Words that say nothing of what it is that is done several times."""


def tell_repeated_price(english: str, reading: Reading) -> str:
    """`3 × Family, Off-peak (14.80) = 44.40` with its passage's number; empty where a question in English does not ask
    for several times of something, or no cell of a table is surely the price of one."""
    repeated = _REPEATED.search(english)
    if not repeated or not _ASKS_WHOLE_PRICE.search(english) or not reading.passage_numbers:
        return ""
    told = "\n".join(source.passage.text for source in reading.sources)
    count = _count_of(repeated)
    cell = clear_cell(reading.quoted_row, reading.rows, english)
    price = only_amount(cell.text) if cell else None
    if cell is None or price is None or _is_of_several(cell, count) or not _is_of_one(told, repeated["unit"] or ""):
        return ""
    column = next((column for column, text in cell.row.cells[1:] if text == cell.text), "")
    name = ", ".join(filter(None, (cell.row.cells[0][1], column)))
    total = write_total(count * price.value, price, cell.text)
    return f"{count} × {name} ({cell.text}) = {total}{number_marks(reading.passage_numbers[:1])}"


def tell_repeated_answer(english: str, before: Turn) -> str:
    """`3 × £17.90 = £53.70` of the one price that was just answered from a source, where a question in English asks for
    several times of that and names nothing else: "and if we go three times, how much is that in total?"; else empty.
    """
    repeated, answered = _REPEATED.search(english), without_number_marks(answer_text(before)).strip()
    price = only_amount(answered) if is_money(answered) else None
    if not repeated or price is None or not (before.cited_sources and _ASKS_WHOLE_PRICE.search(english)):
        return ""
    if _OF_NO_ONE.search(answered) or any(counted_number(one[1].casefold()) > 1 for one in _SO_MANY.finditer(answered)):
        return ""
    rest = _ASKS_WHOLE_PRICE.sub(" ", _REPEATED.sub(" ", english))
    named = telling_words(rest) - _OF_DOING if says_anything(rest, "en") else frozenset()
    if named - word_stems(f"{before.question.content} {answered}"):
        return ""
    if not _is_of_one(f"{before.question.content}\n{answered}", repeated["unit"] or ""):
        return ""
    count = _count_of(repeated)
    # Behind an amount without its money stands any word: "17.90 at peak times".
    price = replace(price, unit=price.unit if is_money(price.unit) else "")
    one, all_of_them = (write_total(times * price.value, price, answered) for times in (1, count))
    return f"{count} × {one} = {all_of_them}"


def _count_of(repeated: re.Match[str]) -> int:
    """How many times are said: "twice" has no number."""
    return counted_number((repeated["count"] or "2").casefold())


def _is_of_several(cell: ClearCell, count: int) -> bool:
    """Whether a price is of so many already: "Ten visits", and not "up to 3 children"."""
    told = " ".join(f"{column} {text}" for column, text in cell.row.cells)
    return any(str(count) in number_readings(found[1]) for found in _SO_MANY.finditer(told))


def _is_of_one(told: str, unit: str) -> bool:
    """Whether a text says prices for one of a unit of time, where several of that are asked for."""
    one = unit.rstrip("s").casefold()
    if one in ("", "time", "visit"):
        return True
    return re.search(rf"\b(?:per|an?|one|for (?:a|one)) {one}\b", told, re.IGNORECASE) is not None
