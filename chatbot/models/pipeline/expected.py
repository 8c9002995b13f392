"""What kind of thing a question asks for: one that asks how much is not answered by a sentence without a figure."""

import re

from chatbot.turn.quantities import find_quantities, normalize

_HOW_MUCH = re.compile(
    r"\bhow (?:much|many|long|high|tall|old|far|big|large|loud|noisy|fast|heavy|wide|deep|thick|late|early|expensive|"
    r"hot|cold|warm)\b"
    r"|\b(?:what|which) (?:time|year|percentage|share)\b"
    r"|\bwhat (?:is|was|are|were|does) the (?:\w+ )?(?:price|cost|fee|fare|deposit|rent|height|length|weight|age|"
    r"number|distance|duration|temperature)\b",
    re.IGNORECASE,
)
"""What a question in English has that is answered by a figure."""
_NONE = re.compile(
    r"\b(?:free|nothing|none|kostenlos|gratis|umsonst|frei|nichts|keine?\w?|gratuit\w{0,3}|rien|aucune?|nada|ning[uú]n\w?|"
    r"niente|nessun\w?|nenhum\w?|grátis|niets|geen|ingenting|inge[nt]|ingen|fri|ilmai\w+|maksut\w+|ei|darmow\w+|bezpłatn\w+|"
    r"zdarma|bezplatn\w+|žádn\w+|nimic|ingyen\w*|nincs|бесплатн\w+|нет|безкоштовн\w+|немає|δωρεάν|ücretsiz|bedava|yok|"
    r"miễn phí|không)\b|مجان|بدون|חינם|אין|मुफ़्त|मुफ्त|नि:?शुल्क|免费|免費|無料|无|無|무료|없",
    re.IGNORECASE,
)
"""Words for no price and no number, in 26 languages."""


def wants_figure(question: str) -> bool:
    """Whether a question in English is answered by a number, a price, a time or a date."""
    return bool(_HOW_MUCH.search(question))


def has_figure(sentence: str) -> bool:
    """Whether a sentence says a number, in digits or in words, or that there is none."""
    return bool(_NONE.search(sentence)) or bool(find_quantities(normalize(sentence)))
