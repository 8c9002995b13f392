"""What a message tells of who wrote it: where it does nothing else, a reply to it is wanted, and neither a look-up nor
advice; behind a question it is told beside it."""

import re

from chatbot.conversation.wishes import users_sentences
from chatbot.models.pipeline.reading.sentences import asks_something
from rag.search.rare_words import telling_words
from utils.languages.message_parts import without_aside

MAX_STATEMENT_WORDS = 30
_TELLS = re.compile(
    r"^(?:(?:and|but|so|oh|well|by the way|fyi|guess what|today|yesterday)[,:!]? )?"
    r"(?:(?:my|our|i|we|the (?:exam|interview|trip|meeting|doctor|weekend|party|test|wedding))\b"
    r"|it(?:['’]s| is) [^.?!]{2,60}? (?:and|but|so) (?:i|we|my|our)\b)",
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

_OF_PEOPLE = re.compile(
    r"\W*(?:(?:and|but|so|oh|well|by the way),? )?(?:my|our) (?:[a-z-]+ )?"
    r"(?:mother|mum|mom|father|dad|parents|sisters?|brothers?|cousins?|aunt|uncle"
    r"|grand(?:ma|pa|mother|father|parents|son|daughter)|wife|husband|partner"
    r"|girlfriend|boyfriend|sons?"
    r"|daughters?|child(?:ren)?|kids?|nieces?|nephews?|friends?|neighbou?rs?|colleagues?|boss|flatmate|roommate|family)"
    r"(?: (?-i:[A-Z])[\w'’-]+){0,2}"
    r"(?:(?: (?:is|are|was|were|(?:has|have)(?! an?\b)|will)|['’]s))?(?: (?:just|also|now|soon))? "
    r"(?:mov(?:es?|ed|ing)|liv(?:es?|ed|ing)|work(?:s|ed|ing)?|getting|com(?:es?|ing)|came|visit(?:s|ed|ing)?|called|named|born"
    r"|bought|married|stud(?:y|ies|ied|ying)|plays?|loves?|likes?|start(?:s|ed|ing)?|turn(?:s|ed|ing)?|retir(?:es?|ed|ing)"
    r"|an?|\d+)\b(?![^.!?]*\b(?:when|where|can|may|should|does|do|is there)\b)[^.!?\n]*[.!]?\s*$",
    re.IGNORECASE,
)
"""One sentence in English that says what somebody near to its author does or is, and nothing else."""
_REMARK = re.compile(
    r"(?P<asked>[^?]{8,}\?)\s+(?:(?:and|but) )?(?:i(?!['’]d\b)|we|he|she|it|they|my|our|his|her|their"
    r"|(?:s?he|it|they)['’]?(?:s|re)|(?:i|we)['’]?(?:m|ve|re))\b[^?]{2,}$",
    re.IGNORECASE,
)
"""A question in English with a sentence behind it that tells what it is about."""
_LOOKS = re.compile(r"\b(?:look|search|find|check)\b", re.IGNORECASE)
"""What a question has whose next sentence may say where."""


def without_remark(english: str) -> str:
    """A short message in English without what it tells behind its question: "may we bring her? She is a poodle".

    Which she is says nothing of where it is looked up. What wishes for something behind a question stays.
    """
    remark = _REMARK.match(english)
    if not remark or len(english.split()) > MAX_STATEMENT_WORDS or _WANTS.search(english, remark.end("asked")):
        return english
    asked = remark["asked"]
    return asked if len(telling_words(asked)) > 1 and not _LOOKS.search(asked) else english


def tells_of_life(english: str) -> bool:
    """Whether each sentence of a short message in English tells of the user's life, and none asks or wishes."""
    english = without_aside(english)
    sentences = [one.strip() for one in users_sentences(english) if one.strip()]
    if not sentences or len(english.split()) > MAX_STATEMENT_WORDS or _WANTS.search(english):
        return False
    return bool(_TELLS.match(sentences[0])) and not any(map(asks_something, sentences))


def tells_of_somebody_near(english: str) -> bool:
    """Whether a message in English is one sentence that tells what a relative or a friend does or is."""
    return bool(_OF_PEOPLE.match(english)) and not _WANTS.search(english)
