"""Duties: what asks for all that somebody has to do, to bring or to hand in. A letter says it in many sentences."""

import re

from utils.languages.question_words import asking_part

_DOER = r"(?:i|we|you|he|she|they|one|(?:my|our|his|her|their|the) \w+(?: \w+)?|(?-i:[A-Z]\w+))"
_TO_BE_DONE = (
    r"(?:do(?! with\b)|bring|prepare|pack|send(?! (?:him|her|them) )|sign(?! up\b)|clear|hand (?:in|over)|fill in"
    r"|get ready|see to|arrange|provide(?! as\b)|submit)"
)
_ASKS_DUTIES = re.compile(
    rf"\bwhat (?:all |else |exactly )?(?:do|does|did|will|would) {_DOER} (?:still )?(?:have|need) to {_TO_BE_DONE}\b"
    rf"|\bwhat (?:all |else |exactly )?(?:must|should|shall) {_DOER} (?:still )?{_TO_BE_DONE}\b"
    rf"|\bwhat (?:all |else |exactly )?(?:am|are|is) {_DOER} (?:supposed|expected|asked|required) to {_TO_BE_DONE}\b"
    rf"|\bwhat (?:do|does|did) {_DOER} (?:want|expect|need|ask) (?:of|from) (?:me|us)\b"
    r"|\bwhat(?:['’]s| is) (?:there )?(?:(?:still|left|for (?:me|us)) ){1,2}to (?:do|be done)\b"
    r"|\bwhat(?:['’]s| is) there to (?:do|be done) for (?:me|us)\b",
    re.IGNORECASE,
)
_IN_ONE_CASE = re.compile(r"\b(?:if|in case|unless)\b|\bto (?:win|get|reach|become|make)\b", re.IGNORECASE)
"""What asks for the one thing that is to be done then."""
_WORDS_THAT_ASK = re.compile(
    r"\b(?:what|which|when|where|who|whom|why|how)\b"
    r"|(?:^\W*|[.?!,]\s+(?:and |but )?)(?:am|is|are|do|does|did|can|could|may|must|will|should)\b",
    re.IGNORECASE,
)


def asks_duties(english: str) -> bool:
    """Whether a message in English asks for all that somebody has to do: "what do I have to do before the move?"."""
    asked = asking_part(english)
    return bool(_ASKS_DUTIES.search(asked)) and not _IN_ONE_CASE.search(asked)


def asks_duties_alone(english: str) -> bool:
    """Whether a message in English asks for them in one question: "what must I sign and bring?"."""
    return asks_duties(english) and len(_WORDS_THAT_ASK.findall(asking_part(english))) == 1
