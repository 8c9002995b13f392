"""What comes on top of a price: of a table with a fee and what is added to it for haste, the latter is asked for."""

import re
from collections.abc import Sequence

from rag.chunking.tables import TableRow

_SURCHARGE = (
    r"(?:surcharge|(?:single |price )?supplement|(?:extra|additional) (?:charge|cost|fee))s?"
    r"|\w*(?:zuschlag|zuschläge|aufpreis|aufschlag)\w?|suppléments?|majorations?|recargos?|suplementos?|supplement[oi]"
    r"|maggiorazion[ei]|sobretaxas?|acréscimos?|\w*toeslag(?:en)?|\w*tillägg|\w*tillæg|\w*tillegg|dopłat\w{1,2}"
    r"|příplat\w{1,2}"
)
_NAMES_OF_SURCHARGES = re.compile(
    rf"\b(?:{_SURCHARGE})\b|(?:доплат|надбавк)\w+|追加料金|割増|附加费|加急费|추가 ?요금", re.IGNORECASE
)
_ASKS_SURCHARGE = re.compile(
    rf"{_NAMES_OF_SURCHARGES.pattern}"
    r"|\b(?:what|how much(?: extra| more)?) (?:is|does|do|will|would) (?:\w+ ){1,5}"
    r"(?:extra|on top|in addition)(?=\W*$| if\b)"
    r"|\bhow much (?:extra|more) (?:is|does|do|will|would)\b"
    r"|\b(?:was|wie ?viel) kommt (?:\w+ ){0,3}(?:dazu|hinzu|obendrauf)\b|\bcombien (?:\S+ ){0,5}payer en plus\b"
    r"|\bcuánto (?:\w+ ){0,3}(?:adicional|de más)\b|\bquanto (?:\w+ ){0,4}(?:in più|a mais)\b"
    r"|\bhoeveel (?:\w+ ){0,4}bovenop\b",
    re.IGNORECASE,
)


def asks_surcharge(question: str) -> bool:
    """Whether a question asks what is paid on top of a price."""
    return _ASKS_SURCHARGE.search(question) is not None


def surcharge_rows(rows: Sequence[TableRow]) -> list[TableRow]:
    """The rows of a table that are called a surcharge."""
    return [row for row in rows if row.cells and _NAMES_OF_SURCHARGES.search(row.cells[0][1])]
