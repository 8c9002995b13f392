"""The words of arithmetic in several languages, turned into the signs that the parser reads."""

import re

from tools.reckoning.numerals import plain_signs

_QUESTION_AROUND = re.compile(
    r"^\s*(?:what(?:'s| is| are)|how (?:much|many) (?:is|are)|calculate|compute|evaluate|was (?:ist|sind|macht)|"
    r"wie ?viel (?:ist|sind|macht)|combien (?:font|fait)|cu[aá]nto (?:es|son)|quanto (?:fa|é|è)|hoeveel is)\b:?",
    re.I,
)
_WORDS_AND_SIGNS = [
    (r"(?:percentage|percent|per cent|prozent|pour ?cent|por ?ciento|per ?cento|por ?cento|procent|"
     r"pct)", "%"),
    (r"(?:the )?(?:square root of|quadratwurzel (?:aus|von)|wurzel (?:aus|von)|racine carrée de|raíz cuadrada de|"
     r"radice quadrata di|raiz quadrada de|wortel van)", "√"),
    (r"(?:the )?cube root of", "cbrt"),
    (r"(?:the )?half of|die hälfte von|la moitié de|la mitad de|la metà di|metade de", "0.5 *"),
    (r"multiplied by|times|multipliziert mit|mal|fois|multiplicado por|moltiplicato per|vezes|veces|keer", "*"),
    (r"divided by|geteilt durch|dividiert durch|divisé par|dividido (?:por|entre)|diviso(?: per)?|gedeeld door", "/"),
    (r"(?:raised )?to the power of|raised to|hoch|puissance|elevado a|elevato a", "^"),
    (r"squared|zum quadrat|au carré|al cuadrado|al quadrato|ao quadrado", "^2"),
    (r"cubed|au cube|al cubo|ao cubo", "^3"),
    (r"plus|más|più|mais|and|und", "+"),
    (r"minus|moins|menos|meno", "-"),
    (r"modulo|modulus", "mod"),
]  # fmt: skip
_SIGNS_BY_WORDS = [(re.compile(rf"(?<![^\W_])(?:{words})(?![^\W_])", re.I), sign) for words, sign in _WORDS_AND_SIGNS]
_PERCENT_OF = re.compile(r"%\s*(?:of the|of|vom|von|der|des|de la|de|du|del|di|da|do|van)(?![^\W_])", re.I)
_TIMES = re.compile(r"(?<=[\d)%])\s*[xX]\s*(?=[\d(.√-])")
_FEET = re.compile(r"(?<!\d)(\d+) ?' ?(\d{1,2}(?:\.\d+)?) ?(?:\"|'')")
_SHARE_QUESTION = re.compile(
    r"^(.+?) (?:as|is what|is how many|are what) (?:an? )?(?:percentage|percent|%) of (.+)$", re.I
)
_WHAT_SHARE = re.compile(r"^(?:what|how many) (?:percentage|percent|%) of (.+?) (?:is|are) (.+)$", re.I)
_CURRENCY = re.compile(r"[$€£¥₹]")


def wanted_expression(text: str) -> str:
    """The expression of a text as it was written, without the question around it."""
    asked = _QUESTION_AROUND.sub("", " ".join(text.split()))
    # An exclamation mark at the very end is a factorial.
    return asked.rstrip(" =?.!" if asked.endswith(("=", "?")) else " .").strip()


def in_signs(expression: str) -> str:
    """An expression in the signs that the parser reads: `15 Prozent von 260` as `15 % of 260`."""
    text = (
        _FEET.sub(r"\1 ft \2 inch", plain_signs(_CURRENCY.sub(" ", expression)))
        .replace("**", "^")
        .replace(" : ", " / ")
    )
    text = _WHAT_SHARE.sub(r"(\2) / (\1) in %", _SHARE_QUESTION.sub(r"(\1) / (\2) in %", text))
    for words, sign in _SIGNS_BY_WORDS:
        text = words.sub(f" {sign} ", text)
    return " ".join(_TIMES.sub(" * ", _PERCENT_OF.sub("% of", text)).split())
