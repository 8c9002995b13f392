"""Whether a message only tells something of who wrote it: a reply to it is wanted, and neither a look-up nor advice."""

import re

from chatbot.conversation.wishes import users_sentences
from chatbot.models.pipeline.reading.evidence import asks_something

MAX_STATEMENT_WORDS = 30
_TELLS = re.compile(
    r"^(?:(?:and|but|so|oh|well|by the way|fyi|guess what|today|yesterday)[,:!]? )?"
    r"(?:my|our|i|we|the (?:exam|interview|trip|meeting|doctor|weekend|party|test|wedding))\b",
    re.IGNORECASE,
)
"""How statements in English of one's own life begin."""
_WANTS = re.compile(
    r"\b(?:please|want|need|would like|['’]d like|wonder\w*|look(?:ing)? for|search\w*|find|help|how|what|which|why"
    r"|who|(?:do|did|does)n['’]t|(?:do|did|does) not|can['’]?t|cannot|could you|can you|not sure|confused|error|mean"
    r"|meant|said|asked|think|believe|budget|prefer|question|tell me|let me|remind|remember|forget|translate|write"
    r"|summar\w+|explain|rewrite|fix|code)\b",
    re.IGNORECASE,
)
"""Words with which something is wished for, taken back, or added to a question."""


def tells_of_life(english: str) -> bool:
    """Whether each sentence of a short message in English tells of the user's life, and none asks or wishes."""
    sentences = [one.strip() for one in users_sentences(english) if one.strip()]
    if not sentences or len(english.split()) > MAX_STATEMENT_WORDS or _WANTS.search(english):
        return False
    return bool(_TELLS.match(sentences[0])) and not any(map(asks_something, sentences))
