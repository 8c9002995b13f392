"""What comes on top of a price: of a table with a fee and what is added to it for haste, the latter is asked for."""

import re

from rag.chunking.tables import TableRow

_ASKS_SURCHARGE = re.compile(
    r"\b(?:surcharge|supplement|extra (?:charge|cost|fee)|(?:how much|what) (?:\w+ ){0,4}(?:extra|on top|in addition)"
    r"|how much more (?:is|do|does|will|would|for)|zuschlag|aufpreis|aufschlag|aufgeld"
    r"|(?:was|wie ?viel) (?:\w+ ){0,5}(?:dazu|hinzu|zusätzlich|obendrauf|extra)"
    r"|supplément|majoration|combien (?:\S+ ){0,5}en plus|recargo|suplemento|cuánto (?:\w+ ){0,4}(?:más|adicional)"
    r"|supplemento|maggiorazione|quanto (?:\w+ ){0,4}in più|sobretaxa|acréscimo|quanto (?:\w+ ){0,4}a mais"
    r"|toeslag|hoeveel (?:\w+ ){0,4}(?:extra|bovenop|bij)|tillägg|tillæg|tillegg|dopłat\w+|příplat\w+)\b"
    r"|(?:доплат|надбавк)\w+|追加料金|割増|附加费|加急费|추가 ?요금",
    re.IGNORECASE,
)
_NAMES_OF_SURCHARGES = re.compile(
    r"\b(?:surcharge|supplement|(?:extra|additional) (?:charge|cost|fee)|\w*(?:zuschlag|aufpreis|aufschlag)"
    r"|supplément|majoration|recargo|suplemento|supplemento|maggiorazione|sobretaxa|acréscimo|\w*toeslag"
    r"|\w*(?:tillägg|tillæg|tillegg)|dopłata|příplatek)\b"
    r"|доплата|надбавка|追加料金|割増|附加费|加急费|추가 ?요금",
    re.IGNORECASE,
)


def asks_surcharge(question: str) -> bool:
    """Whether a question asks what is paid on top of a price."""
    return _ASKS_SURCHARGE.search(question) is not None


def surcharge_rows(rows: list[TableRow]) -> list[TableRow]:
    """The rows of a table that are called a surcharge."""
    return [row for row in rows if row.cells and _NAMES_OF_SURCHARGES.search(row.cells[0][1])]
