"""Whose price a row of a table is, by the ages in its name: "under 16", "65 and over", "Kinder von 6 bis 13"; and the
age that a question tells."""

import re
from collections.abc import Sequence

from chatbot.models.pipeline.reading.tables.number_spans import span_of
from utils.languages.lexicon import load_lexicon

_NO_AGES = re.compile(
    r"\b(?:(?<!young )(?:persons?|people)|pers|personen|groups?|gruppen?|groupes?|grupos?|gruppi|zones?|zonen?|uhr"
    r"|hours?|h|min\w*|km|kg|m|cm|met(?:er|re)s?|metros?|metri|days?|tage|jours|rides?|trips?|fahrten|visits?|weeks?"
    r"|nights?|nächte|nuits|noches|notti|months?|monate?n?|mois|mes(?:es|i)|guests?|gäste|famil\w+"
    r"|(?:january|february|march|april|may|june|july|august|september|october|november|december)\w*)\b"
    r"|\d[:.,]\d|%|\d\s?(?:человек\w*|чел|час\w*|минут\w*|дн\w+|сут\w+|мес\w+|км|кг|руб\w*|άτομα|ώρες|ημέρες|λεπτά)\b"
    r"|\d\s?[人名時时点點分号號円元月일명시분원]",
    re.IGNORECASE,
)
"""What makes the numbers of a name those of something else."""
_SOMEBODY = (
    r"sons?|daughters?|lads?|boys?|girls?|kids?|child(?:ren)?|baby|toddler|nephews?|nieces?|grand\w+|brothers?|sisters?"
    r"|mum|mom|mother|dad|father|wife|husband|partner|friends?"
)
_NO_OTHER_AGE = r"(?!\s?(?:,|&|-|–|and|or|to|und|oder|et|ou|y|o|e)\s?\d)"
"""Before which an age is not the only one: "9 and 12"."""
_SAID_AGE = re.compile(
    rf"\b(?:(?:(?:s?he|i)['’](?:s|m)|(?:(?:my|our) (?:{_SOMEBODY}) |he |she |i )(?:is|am|turned|turns)|aged?)"
    rf" (?:only |just |almost |nearly |already )?(?P<is>\d{{1,2}})(?!\d){_NO_OTHER_AGE}"
    r"(?![.,:]\d|\s?%|\s?(?:am|pm|a\.m|p\.m|o['’]clock|hours?|hrs?|days?|weeks?|months?|min\w*|miles?|km|kg|kilos?|stone"
    r"|feet|foot|ft|cm|m|met(?:er|re)s?|of|per|pounds?|euros?|people|persons?|nights?)\b)"
    rf"|(?:{_SOMEBODY}|teenager) of (?P<of>\d{{1,2}})(?!\d){_NO_OTHER_AGE}"
    r"(?! (?!pays?|costs?|needs?|has|have|gets?|comes?|go|goes|in|at|on|to|for|with)\w)"
    r"|(?<!\d )(?<!and )(?<!und )(?<!et )(?<!\d)(?P<old>\d{1,2})[- ]"
    r"(?:years?[- ]olds?(?! (?:house|building|car|wine|tree)\b)|yo|y/o|jährig\w{0,2}|jahren?|ans|años|anni|anos"
    r"|jaar|år|lat|lata|let|roků|ετών|χρον\w{1,3}|лет|года?|років|роки|yaşında\w?|tuổi|سن\w{1,3})\b"
    r"(?! (?:ago|назад|тому)\b))"
    r"|(?<!\d)(?P<years>\d{1,2})\s?(?:[岁歲歳才살]|세(?![기대트]))(?!以|未|이|미)",
    re.IGNORECASE,
)
"""An age as people tell it in some twenty languages: "he's 9", "ma fille de 8 ans"."""
_OF_TIME = re.compile(
    r"\b(?:since|for|in|within|every|ago|seit|vor|nach|alle|depuis|pendant|il y a|tous les|desde hace|hace|durante|da"
    r"|fa|há|sinds|i|od|przez|po|za|на|за|через|до|младше|старше|от|منذ|قبل|για|σε)\s+$",
    re.IGNORECASE,
)
"""What stands before years that are no age: "for 9 years"."""
_COLUMN_OF_AGES = re.compile(r"\b(?:ages?|alter|âges?|edad|età|idade|leeftijd|ålder|alder|wiek|věk)\b", re.I)
_NO_COLUMN_OF_PEOPLE = re.compile(
    r"\b(?:guests?|gäste|persons?|people|participants|dates?|times?|hours|nights?|size|height|größe|number|zone|duration)\b",
    re.IGNORECASE,
)
"""The name of a column whose numbers are no ages."""
_JOINED_AGES = re.compile(r"(?<!\d)(\d{1,2}) (?:and|or|und|oder|et|ou|y|o|e|en|of|och|og|i|a) (\d{1,2})(?!\d)")
"""Two ages in a column of them: "7 and 8"."""
_NUMBER_WORD = re.compile(r"[^\W\d_]+")
_GOING_ON = re.compile(r"\(([^()]{1,200})\)$")


def told_age(question: str) -> int | None:
    """The one age in years that a question tells, or what it goes on with in brackets; None where it tells none, or
    several."""
    for said in map(_in_digits, (*_GOING_ON.findall(question), question)):
        found = [one for one in _SAID_AGE.finditer(said) if one["is"] or not _OF_TIME.search(said[: one.start()])]
        if ages := {int(next(filter(None, one.groups()))) for one in found}:
            return ages.pop() if len(ages) == 1 else None
    return None


def _in_digits(text: str) -> str:
    """A text with its number words as figures, but for one, which is mostly an article."""
    numbers = load_lexicon().numbers
    return _NUMBER_WORD.sub(lambda word: str(numbers.get(word[0].casefold(), word[0])), text)


def is_column_of_ages(column: str) -> bool:
    """Whether a column is called after ages, in a dozen languages."""
    return _COLUMN_OF_AGES.search(column) is not None


def is_row_of_age(cells: Sequence[tuple[str, str]], age: int) -> bool:
    """Whether a row of a table, whose cells have the names of their columns, is for people of an age in years: by its
    first cell, or by one of a column of ages, "11 and 12"."""
    column, name = cells[0]
    first = [] if _NO_COLUMN_OF_PEOPLE.search(column) else [name]
    in_column = (_JOINED_AGES.sub(r"\1-\2", cell) for column, cell in cells[1:] if _COLUMN_OF_AGES.search(column))
    return any(is_of_age(name, age) for name in (*first, *in_column))


def is_of_age(name: str, age: int) -> bool:
    """Whether the name of a row is of people of an age in years; not where it says no ages."""
    ages = None if _NO_AGES.search(name) else span_of(name)
    return ages is not None and ages[0] <= age <= ages[1]
