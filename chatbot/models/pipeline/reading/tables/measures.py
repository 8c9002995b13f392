"""Which column of figures a question means that does not name it: kilometres for the longest run."""

import re
from collections.abc import Sequence

from rag.search.rare_words import word_stems

MONEY_NAMES = word_stems(
    "amount price cost fee total paid fare rent betrag preis kosten summe prix montant coût precio importe coste prezzo"
    " importo costo valor preço bedrag prijs belopp pris kwota cena sum euro eur usd gbp"
    " costs kostet kosten coûte coûtent cuesta cuestan costano custa kost kostar koster kosztuje стоит стоимость цена"
)
"""Names of columns that have money, and what something does that has a price."""
_LENGTHS = word_stems(
    "km kilometre kilometer mile metre meter length distance länge strecke longueur longitud lunghezza"
)
_OF_LENGTH = re.compile(
    r"\b(?:long|short)est (?:\w+ )?(?:runs?|walks?|rides?|hikes?|routes?|trails?|tours?|swims?|jumps?|throws?|roads?"
    r"|rivers?|bridges?|distances?|ways?)\b(?!.{0,200}\b(?:takes?|lasts?|time|minutes|hours)\b)"
)
"""Asks in English for the longest of what has a length, and perhaps a time as well."""
_MEASURED_BY = (
    (_OF_LENGTH, _LENGTHS),
    (re.compile(r"\b(?:electricity|energy)\b"), word_stems("kwh wh mwh")),
    (
        re.compile(r"\b(?:mak(?:e|es|ing)|made|produc\w+|generat\w+|yield\w*|solar)\b"),
        word_stems("produced production output generated generation yield"),
    ),
    (re.compile(r"\b(?:water|petrol|fuel|diesel|milk)\b"), word_stems("litre liter l ml m3 gallon")),
    (
        re.compile(r"\b(?:heav(?:y|iest)|lightest|weigh\w*)\b"),
        word_stems("weight mass kg gewicht poids peso vikt vekt waga hmotnost вес"),
    ),
    (re.compile(r"\b(?:rain|rainfall|snow|wettest|driest)\b"), word_stems("mm cm rain precipitation regen pluie")),
)
"""What a question in English asks the most of, and words for the columns that have it."""


def measures_meant(asked: str, measures: Sequence[str]) -> Sequence[str]:
    """Of the columns with figures those of kilometres, where the longest run is asked for, of kilowatt-hours where it
    is electricity, and no price of one of them; all elsewhere."""
    for asks, names in _MEASURED_BY:
        if not asks.search(asked):
            continue
        if meant := [name for name in measures if word_stems(name) & names and not word_stems(name) & MONEY_NAMES]:
            return meant
    return measures


def words_of_measures(asked: str) -> list[str]:
    """The words of a question, in small letters, that say of what it asks the most."""
    return [found[0] for asks, _ in _MEASURED_BY for found in asks.finditer(asked)]
