"""Words that stand for what was named before: a short message that has one is hardly about something new."""

import re

from chatbot.models.pipeline.decision.names import names_in
from chatbot.models.pipeline.reading.sentences import asks_something
from utils.languages.detection import language_of

MAX_POINTING_WORDS = 12
"""Words up to which a message that has such a word is taken to speak of what stands outside of it: of 521 such
messages in English 380 go on from before, of 242 longer ones 18."""
_PRONOUNS = {
    "en": r"\b(?:its?|he|she|they|him|hers?|his|them|theirs?)\b"
    r"|^\W*(?:and |so |but |then )*which one(?= (?:is|are|was|has|had|does|did|costs?|weighs?|lasts?|can|will)\b)"
    r"|\b(?:the (?:other )?|th(?:is|at) )one(?=\W*$|[,?] | (?:is|was|does|do|costs?|in|at|by|on|near|from|for)\b)"
    r"|\b(?:which|who|what|one|both|each|none|neither)(?: one)? of th(?:e|[eo]se) (?:two|three|four)"
    r"(?= (?:is|are|was|were|has|have|had|do|does|did|costs?|weighs?|lasts?|can|will|would|should)\b|\W{0,3}$|,)",
    "de": r"\b(?:er|(?:[Ww]elche[rs]?|[Ww]er|[Ww]as) von (?:den )?beiden(?! [A-ZÄÖÜ])|sie|ihn|ihm|ihr\w{0,2}"
    r"|sein\w{0,2}|da(?:von|für|mit|zu|rin|rüber|ran))\b",
    "fr": r"\b(?:des (?:deux|trois)(?= (?:est|a|coûte|pèse|dure)\b)|ils?|elles?|lui|leurs?|celui|celle|ceux)\b",
    "es": r"\b(?:él|ellas?|ellos|sus?|esos?|esas?|eso)\b",
    "it": r"\b(?:lui|lei|loro|ess[oaie]|suoi|su[oae])\b",
    "pt": r"\b(?:eles?|elas?|deles?|delas?|isso)\b",
    "nl": r"\b(?:hij|ze|zij|hem|haar|hun|daarvan|ervan|erover|ermee)\b",
    "sv": r"\b(?:han|hon|honom|henne|hans|hennes|deras)\b",
    "da": r"\b(?:han|hun|ham|hende|hans|hendes|deres)\b",
    "no": r"\b(?:han|hun|ham|henne|hans|hennes|deres)\b",
    "pl": r"\b(?:ona?|ono|oni|jego|jej|ich|nich|nim|niej)\b",
    "cs": r"\b(?:on[aio]?|jeho|její|jejich|něm|nich)\b",
    "ru": r"\b(?:он[аио]?|его|её|ее|их|ему|ней|нём|нем|них)\b",
    "uk": r"\b(?:він|вон[аио]|його|її|їх|йому|ній|ньому|них)\b",
    "zh": "[他她它]",
    "ja": "それ|彼",
    "ko": "그것|그는|그녀",
}
"""Pronouns of the third person, in languages that do not leave them out."""
_EXPLETIVES = re.compile(
    r"\b(?:is|was|isn['’]t|be|been) it\b|\bit (?:is|was|has been|costs? (?:\w+ )?to)\b|\bit['’]s\b|\bil\b"
    r"|\bit (?:rain|snow|freez|tak|took|matter|seem|happen|hurt|make sense|depend)\w*",
    re.IGNORECASE,
)
"""What stands for nothing, or may: "it" beside such a verb; what it does, or what is done with it, was named before."""
# Capitals matter in German alone, where they are the polite form of address.
_POINTING = {
    language: re.compile(pattern if language == "de" else f"(?i:{pattern})") for language, pattern in _PRONOUNS.items()
}
_GOING_ON_WORD = re.compile(
    r"^\W*(?:and|but|so|then|what about|how about|und|aber|et|mais|y|pero|e|ma|mas|en|maar|och|og|men|ale|i|a|и|а"
    r"|но|і|та)\b|^\W*(?:那|而|和|そして|では|그럼)",
    re.IGNORECASE,
)
"""What a message begins with that goes on from before."""
_ASKS_FURTHER = re.compile(
    r"(?:(?:and|und|et|y|e|en) )?(?:at |for |in |on |by |from )?(?:who|what|when|where|which|why|how|is|are|do|does|did"
    r"|can|may|was|wann|wo|wie|wer|quand|où|combien|comment|cuándo|dónde|cuánto|cómo|quando|dove|quanto|come)\b",
    re.IGNORECASE,
)
"""What a further clause begins with that asks by itself: "and how hot?"."""
_MAY_POINT = {
    "en": r"it|that|this|those|these|there",
    "de": r"es|dies\w{0,2}|dort|da",
    "fr": r"il|cela|ça|ce|cet|cette|ces|là",
    "es": r"eso|ese|esa|esto|este|esta|allí|ahí",
    "it": r"quest[oaie]|quell[oaie]|lì|là",
    "pt": r"isso|isto|ess[ea]|est[ea]|lá|ali",
    "nl": r"het|dit|dat|die|deze|daar",
    "ru": r"это|эт\w{1,3}|там",
    "uk": r"це|ц\w{1,3}|там",
    "pl": r"to|ten|ta|te|tam",
    "cs": r"to|ten|ta|tam",
}
"""Words that may stand for something that was said, or for nothing."""
_NEXT_CLAUSE = re.compile(r"[,;:]\s|\s(?:and|und|et|y|e|en|och|og|i|a|и|та|oraz|ve)\s", re.IGNORECASE)
"""What begins a further clause, whose pronouns may stand for what the first one names."""
NEW_SUBJECT = 4
"""Words of a message in another language than the one before from which on it is about something new."""


def begins_in_another_language(message: str, earlier: str) -> bool:
    """Whether a question of some words is in another language than the one before and has nothing that points back."""
    languages = language_of(message), language_of(earlier)
    long = len(message.split()) >= NEW_SUBJECT or (len(message) >= 3 * NEW_SUBJECT and languages[0] in ("zh", "ja"))
    new = all(languages) and languages[0] != languages[1] and long and asks_something(message)
    return new and not may_point_back(message)


def may_point_back(message: str) -> bool:
    """Whether a message has a word with which one may go on from what was said: "and", "there", or a pronoun."""
    words = _MAY_POINT.get(language_of(message) or "")
    may = words and re.search(rf"\b(?:{words})\b", message, re.IGNORECASE)
    return bool(may or _GOING_ON_WORD.match(message)) or points_back(message)


def certainly_points_back(message: str) -> bool:
    """Whether a question names nothing and has such a word that does not stand for nothing, as "it" does when it rains.

    Of 57 such messages 51 go on from before.
    """
    return asks_something(message) and points_at_something(message) and not names_in(message)


def points_at_something(message: str) -> bool:
    """Whether it points back with a word that does not stand for nothing."""
    return points_back(_EXPLETIVES.sub(" ", message))


def points_back(message: str) -> bool:
    """Whether a short message has a word that stands for something else than what it names.

    In "when does the choir rehearse, and who conducts it?" it does not: of 130 such messages 33 go on from before.
    """
    pattern = _POINTING.get(language_of(message))
    first, *further = _NEXT_CLAUSE.split(message, maxsplit=1)
    named_before = further and len(first.split()) >= NEW_SUBJECT
    # Two questions that are joined are two short ones.
    asked = first if named_before and _ASKS_FURTHER.match(further[0]) else message
    if pattern is None or len(asked.split()) > MAX_POINTING_WORDS:
        return False
    return bool(pattern.search(first if named_before else message))
