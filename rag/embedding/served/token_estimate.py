"""How many tokens a text has for a model whose tokenizer is not here: an estimate, by its words and signs."""

import re

from utils.languages.scripts import UNSEGMENTED

# Words fall into pieces of four letters or so, numbers of three digits; a sign is a token by itself.
_ESTIMATED_TOKEN = re.compile(rf"[{UNSEGMENTED}\uac00-\ud7af]|\d{{1,3}}|[^\W\d_]{{1,4}}|[^\w\s]|_")


def find_tokens(text: str) -> list[tuple[int, int]]:
    """About where each token of a text begins and ends."""
    return [match.span() for match in _ESTIMATED_TOKEN.finditer(text)]


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has."""
    return sum(1 for _ in _ESTIMATED_TOKEN.finditer(text))


def cut_to_tokens(text: str, limit: int) -> str:
    """The beginning of a text that has about so many tokens."""
    tokens = find_tokens(text)
    return text if len(tokens) <= limit else text[: tokens[limit][0]]
