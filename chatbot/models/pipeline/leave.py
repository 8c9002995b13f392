"""Leave: what asks for it, and what gives or refuses it. Somebody's rules do, and no model knows them."""

import re

from utils.languages.question_words import asking_part

_ASKS_LEAVE = re.compile(
    r"\W*(?:(?:and|but|so|then|or) )?(?:"
    r"may (?!day\b)(?-i:[A-Z][a-z]+) (?:\w+ ){0,3}(?:on|at|with|come|play|take|go|join)\b"
    r"|may (?:i|we|my|our)\b(?! (?:ask|say|tell|suggest|call|know|see|have|get)\b)"
    r"|(?:am|are|is) [^?.!]{1,40}\b(?:allowed|permitted|admitted)\b"
    r"|(?:can|could) (?:i|we|my|our)\b[^?]{0,60}\b(?:come (?:along|too|with)|take part|join (?:in|us)|bring)\b"
    r"|(?:can|could) (?:i|we) take (?:(?:\w+ ){1,4}(?:with (?:me|us)|along|in)\b|(?:my|our) (?:\w+ )?"
    r"(?:dogs?|cats?|pets?|bikes?|bicycles?|prams?|buggy|luggage|suitcases?|kids?|child|children|son|daughter|baby)\b)"
    r"|(?:can|could) (?:my|our) (?:\w+ )?(?:son|daughter|child|children|kids?|wife|husband|partner|friends?"
    r"|mother|father|parents|dogs?|cats?)\b(?! (?:eat|drink|use|take|have)\b)"
    r"(?=[^?]{0,60}\b(?:there|in|into|inside|on|at|too|along|with|come|go|stay|sleep|enter|join|climb|swim|ride|play"
    r"|fetch|collect|pick|borrow|sign|drive)\b))",
    re.IGNORECASE,
)
"""What a question in English begins with that asks for leave, which somebody's rules give."""
_ALLOWED_WORDS = ("allowed", "permitted")
_WORDS_FOR_MORE = frozenset(
    (
        "how",
        "what",
        "who",
        "which",
        "when",
        "where",
        "why",
        "max",
        "maximum",
        "weight",
        "number",
        "size",
        "age",
        "speed",
    )
)
_LAST_CLAUSE = re.compile(r"[.!?…,;]\s+")
BRIEFLY = 4
"""Words of a question at most that ends so: "dogs allowed?"."""
_REFUSES = (
    r"forbid\w*|prohibit\w*|banned|excluded|only|verboten|untersagt|nur|interdit\w*|défendu\w*|seulement|prohibid\w+"
    r"|sólo|solo|vietat\w+|proibid\w+|verboden|alleen|förbjud\w+|forbud\w*|zabronion\w+|zakázán\w*|запрещ\w+|заборон\w+"
    r"|yasak\w*"
)
_REFUSES_UNSPACED = "禁止|不得|금지"
_GIVES = (
    r"may|must|allowed|permitted|admitted|welcome|accompanied|except|dürfen|darf|müssen|muss|erlaubt|gestattet|begleitung"
    r"|peu(?:t|vent)|doi(?:t|vent)|autorisée?s?|admise?s?|accompagnée?s?|pueden?|deben?|permit\w+|admit\w+|ammess\w+"
    r"|permitid\w+|apenas|toegestaan|tillåt\w*|tilladt|tillatt|wolno|dozwolon\w+|povolen\w*|можно|нельзя|разреш\w+|дозвол\w+"
)
_CLOSED = r"closed|geschlossen|fermée?s?|cerrad\w+|chius\w+|fechad\w+|gesloten"
_SPEAKS_OF_LEAVE = re.compile(
    rf"\b(?:{_REFUSES}|{_GIVES})\b|{_REFUSES_UNSPACED}|可以|允许|허용",
    re.IGNORECASE,
)
"""Words of rules, in some twenty languages."""
_SAYS_CLOSED = re.compile(rf"\b(?:{_CLOSED})\b|关闭", re.IGNORECASE)
_FORBIDS = re.compile(rf"\b(?:{_REFUSES}|{_CLOSED})\b|{_REFUSES_UNSPACED}|关闭", re.IGNORECASE)
"""Words with which something is forbidden or left to others."""


def asks_leave(english: str) -> bool:
    """Whether a question in English asks for leave: "may my son come along?", "are dogs allowed?"."""
    asked = asking_part(english)
    words = _LAST_CLAUSE.split(english.casefold().rstrip(" ?.!"))[-1].split()
    briefly = 0 < len(words) <= BRIEFLY and words[-1] in _ALLOWED_WORDS and _WORDS_FOR_MORE.isdisjoint(words)
    return briefly or any(_ASKS_LEAVE.match(one) for one in (english, asked))


def speaks_of_leave(sentence: str) -> bool:
    """Whether a sentence says what is allowed or forbidden."""
    return _SPEAKS_OF_LEAVE.search(sentence) is not None


def forbids(sentence: str) -> bool:
    """Whether a sentence forbids something, or leaves it to others."""
    return _FORBIDS.search(sentence) is not None


def says_closed(text: str) -> bool:
    """Whether a text has a word for closed."""
    return _SAYS_CLOSED.search(text) is not None
