"""The tokens of an expression: numbers, words and signs."""

import re
from dataclasses import dataclass
from fractions import Fraction

from tools.reckoning.numerals import NUMBER_PATTERN, has_decimal_commas, read_number
from utils.errors import ToolError

_EXPRESSION_TOKEN = re.compile(
    rf"\s*(?:(?P<number>{NUMBER_PATTERN.pattern})|(?P<word>°?[^\W\d_]+\d*|°|√)|(?P<sign>//|⁄|[-+*/^()%!;,=]))"
)


@dataclass(frozen=True)
class Token:
    """A number, a word or a sign; the end is an empty sign."""

    kind: str
    text: str
    number: Fraction = Fraction(0)


def read_tokens(text: str) -> list[Token]:
    """The tokens of an expression; raises `ToolError` at what can be none."""
    found, at = [], 0
    commas = has_decimal_commas(NUMBER_PATTERN.findall(text))
    while at < len(text.rstrip()):
        token = _EXPRESSION_TOKEN.match(text, at)
        if token is None:
            raise ToolError(
                f'"{text[at:].split()[0][:20]}" is not understood here: write numbers, + - * / ^, %, units.'
            )
        at, kind = token.end(), token.lastgroup or ""
        written = token[kind]
        number = read_number(written, commas) if kind == "number" else Fraction(0)
        if number is None:
            raise ToolError(f'"{written[:40]}" is no number: write it with a point before the decimals.')
        found.append(Token(kind, written, number))
    return found
