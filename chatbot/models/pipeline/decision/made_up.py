"""Whether a message asks for a piece that is made up, as a story or a poem: nothing is looked up for it."""

import re

from chatbot.models.dialogue import ADDRESS

_ASKS_FOR = r"\b(?:write|tell|make up|invent|compose|create|improvise|come up with|think of|give|sing|draft)\b"
_ANY = r"(?:an?|another|one|some|two|three|four|five|\d+)"
_PIECE = (
    r"(?:stor(?:y|ies)|(?:fairy )?tales?|fables?|poems?|verses?|haikus?|limericks?|sonnets?|rhymes?|odes?|ballads?"
    r"|songs?|lyrics|lullab(?:y|ies)|jokes?|puns?|riddles?)"
)
_HOW = r"(?: (?!(?:of|the|for|to|at|about|on|in|with|from|that|which)\b)[\w'-]+){0,4}?"
"""Words before the piece: "another short bedtime"."""
_MADE_UP = re.compile(rf"{_ASKS_FOR}(?: for)?(?: me| us)? {_ANY}{_HOW} {_PIECE}\b", re.IGNORECASE)
_WITHOUT_VERB = re.compile(rf"^\W*(?:please )?{_ANY}{_HOW} {_PIECE} (?:about|of|for|on|in|with)\b", re.IGNORECASE)
"""What is asked for without a verb: "a short story about two robots"."""
_KNOWN = re.compile(
    r"\b(?:by|true|real|famous|news|latest|today|current|recent|from|according to|based on|that i|i wrote"
    r"|my (?:\w+ )?(?:notes?|files?|documents?|library|folder)|yourself|about you|magpie|remind|reminder|tomorrow)\b",
    re.IGNORECASE,
)
"""What says that a piece exists already, that something has to be known for it, or that more is wished for."""


def wants_made_up(message: str) -> bool:
    """Whether a message in English asks for a piece that nobody could look up."""
    asked = " ".join(message.split())
    is_piece = _MADE_UP.search(asked) or _WITHOUT_VERB.search(asked)
    return bool(is_piece) and not (_KNOWN.search(asked) or ADDRESS.search(asked))
