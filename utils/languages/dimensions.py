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
    "time": r"how (?:long|far|quick\w*|fast|soon|old)|how many (?:minutes|hours|days|weeks|months|years)"
    r"|wie (?:lang\w?|weit|schnell|alt)|dauert|combien de temps|dure|quelle durée|cuánto (?:tiempo|dura|tarda)|dura"
    r"|quanto tempo|hoe (?:lang|ver|oud|snel)|duurt|demora",
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
    "mass": r"kg|g|mg|lbs?|oz|stone|tonnes?|t",
    "length": r"km|m|cm|mm|miles?|mi|ft|feet|inch(?:es)?|in",
    "time": r"min\w*|h|hrs?|hours?|s|sec\w*|days?|weeks?|months?|years?|tage?n?|wochen?|monate?n?|jahre?n?|stunden?"
    r"|jours?|semaines?|mois|ans?|heures?|días?|semanas?|mes(?:es)?|años?|horas?|giorn[io]|settiman[ae]|mes[ei]|ann[io]|or[ea]"
    r"|weken|dag(?:en)?|maand(?:en)?|jaar|uur|dias?|anos?",
    "temperature": r"°|degrees|grad|degrés|grados|gradi|graden|graus",
    "loudness": r"db",
    "volume": r"l|ml|cl|dl|lit(?:re|er)s?|litros?|litri|litro",
}
_MONEY_SIGNS = re.compile(r"[€£$¥]|\b(?:eur|usd|gbp|chf|euros?|pounds?|dollars?|fr|kr|zł)\b", re.IGNORECASE)
_ASKING_HOW_MUCH = {name: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for name, words in _HOW_MUCH_WORDS.items()}
_FIGURES_WITH_UNIT = {name: re.compile(rf"\d\s?(?:{units})(?!\w)", re.IGNORECASE) for name, units in _UNITS_OF.items()}


def asked_dimensions(question: str) -> frozenset[str]:
    """What a question asks how much of: "mass" where it asks how heavy something is."""
    return frozenset(name for name, words in _ASKING_HOW_MUCH.items() if words.search(question))


def tells_another_dimension(sentence: str, question: str) -> bool:
    """Whether all figures with a unit of a sentence are of something else than a question asks how much of: to how many
    hours somebody worked "the total is £238" is no answer. Of money that is not told: one may pay in 30 days."""
    asked, told = asked_dimensions(question) - {"money"}, dimensions_in(sentence)
    return bool(asked and told) and asked.isdisjoint(told)


def dimensions_in(text: str) -> frozenset[str]:
    """What the figures of a text are of, by their units."""
    found = {name for name, figures in _FIGURES_WITH_UNIT.items() if figures.search(text)}
    return frozenset(found | ({"money"} if _MONEY_SIGNS.search(text) else set()))
