"""Mass, length, time and others: which of them a question asks how much of, and which the figures of a text are of.

In English, German, French, Spanish, Italian, Dutch and Portuguese.
"""

import re

_HOW_MUCH_WORDS = {
    "mass": r"how heavy|how many (?:kilo\w*|kg|grams?)|weigh\w*|weight|wie schwer|wiegt|gewicht|pèse(?:nt)?|poids"
    r"|pesan?|peso|weegt|zwaar",
    "length": r"how (?:far|long|tall|high|deep|wide|big|large)|how many (?:kilomet\w+|km|miles?|met(?:re|er)s)|depth"
    r"|height|distance|wie (?:weit|lang|hoch|tief|breit|gro(?:ß|ss))|quelle (?:distance|hauteur|profondeur|taille)"
    r"|qué (?:altura|distancia|profundidad)|quanti (?:chilometri|metri)|hoe (?:ver|lang|hoog|diep|breed)"
    r"|que (?:altura|distância)",
    "time": r"how (?:long|far|quick\w*|soon|old)|how many (?:minutes|hours|days|weeks|months|years)"
    r"|wie (?:lang\w?|weit|alt)|dauert|combien de temps|dure|quelle durée|cuánto (?:tiempo|dura|tarda)|dura"
    r"|quanto tempo|hoe (?:lang|ver|oud)|duurt|demora",
    "temperature": r"how (?:hot|cold|warm)|temperatur\w*|wie (?:warm|heiß|kalt)|température|chaude?|hoe (?:warm|koud)",
    "loudness": r"how (?:loud|noisy)|wie laut|bruit|ruido|rumore|hoe luid|barulho",
    "volume": r"how (?:big|large)|how much (?:water|milk|fits)|how many lit(?:re|er)s|wie gro(?:ß|ss)"
    r"|wie ?viel (?:wasser|milch)|litres?|liter|litros?|litri",
    "money": r"how much (?:is|are|for|to|does|do|would|will)|costs?|prices?|charge (?:for|an?|per)|charged|pay|rent|fee"
    r"|set \w{2,4} back|kostet|kosten|preis|zahl\w*|koste|coûten?t?|prix|tarif|paie\w?|payer|cuestan?|precio|pag[ao]"
    r"|costano?|prezzo|quanto viene|kost|prijs|betaal\w*|preço|custam?",
}
"""How long and how far may be told as a time or as a length, how big as a length or what goes in."""
_UNITS_OF = {
    "mass": r"kg|kilos?|kilograms?|kilogramm|g|grams?|gramm|grammes?|mg|lbs?|pounds?|oz|stone|tonnes?|t",
    "length": r"km|kilomet(?:re|er)s?|kilometer|m|met(?:re|er)s?|meter|mètres?|metros?|metri|cm|mm|miles?|mi|ft|feet"
    r"|inch(?:es)?",
    "time": r"min(?:s|utes?|uten|uti|utos?)?|h|hrs?|hours?|sec(?:s|onds?)?|days?|weeks?|months?|years?|tage?n?|wochen?"
    r"|monate?n?|jahre?n?|stunden?|jours?|semaines?|mois|ans?|heures?|días?|semanas?|mes(?:es)?|años?|horas?"
    r"|giorn[io]|settiman[ae]|mes[ei]|ann[io]|or[ea]|weken|dag(?:en)?|maand(?:en)?|jaar|uur|dias?|anos?",
    "temperature": r"°\s?[CF]?|degrees|grad|degrés|grados|gradi|graden|graus",
    "loudness": r"db",
    "volume": r"l|ml|cl|dl|lit(?:re|er)s?|litros?|litri|litro",
}
_MONEY_SIGNS = re.compile(r"[€£$¥]|\b(?:eur|usd|gbp|chf|euros?|pounds?|dollars?|kr|zł)\b", re.IGNORECASE)
_ASKING_HOW_MUCH = {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _HOW_MUCH_WORDS.items()}
_FIGURES_WITH_UNIT = {name: re.compile(rf"\d\s?(?:{units})(?!\w)", re.IGNORECASE) for name, units in _UNITS_OF.items()}
_ASKS_FOR_UNITS = re.compile(
    r"\bhow many (?:minutes|hours|days|weeks|months|years|kilo\w*|kg|grams|kilomet\w+|km|miles"
    r"|met(?:re|er)s|lit(?:re|er)s)\b"
    r"|\bhow (?:heavy|loud|noisy|hot|cold|warm)\b",
    re.IGNORECASE,
)
_SUM_OF_MONEY = re.compile(
    r"[€£$¥] ?\d[\d.,]{0,12}|\d[\d.,]{0,12} ?(?:[€£$¥]|(?:eur|usd|gbp|chf|euros?|pounds?|dollars?|kr|zł)\b)",
    re.IGNORECASE,
)
_SAYS_WITHOUT_FIGURES = re.compile(
    r"\d|\b(?:minutes?|hours?|\w*days?|weeks?|months?|years?|nights?|noon|midnight|kilo\w*|grams?|miles?|met(?:re|er)s?"
    r"|lit(?:re|er)s?|pounds?|stone|degrees?|heavy|light|loud|quiet|hot|cold|warm)\b",
    re.IGNORECASE,
)


def asked_dimensions(question: str) -> frozenset[str]:
    """What a question asks how much of: "mass" where it asks how heavy something is."""
    return frozenset(name for name, words in _ASKING_HOW_MUCH.items() if words.search(question))


def tells_money_instead(sentence: str, question: str) -> bool:
    """Whether a sentence tells an amount of money and no other figure, for a question in English how many hours, or how
    heavy, it was: "the total is £238" does not say how long somebody worked, "three weeks, for £90" does."""
    if not _ASKS_FOR_UNITS.search(question) or not _SUM_OF_MONEY.search(sentence):
        return False
    return not _SAYS_WITHOUT_FIGURES.search(_SUM_OF_MONEY.sub(" ", sentence))


def dimensions_in(text: str) -> frozenset[str]:
    """What the figures of a text are of, by their units."""
    found = {name for name, figures in _FIGURES_WITH_UNIT.items() if figures.search(text)}
    return frozenset(found | ({"money"} if _MONEY_SIGNS.search(text) else set()))
