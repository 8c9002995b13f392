"""Questions about what the user said: "What did I tell you about my rent?" is answered from their own words alone."""

import json
import re
from collections.abc import Sequence
from functools import cache

from chatbot.models.pipeline.reading.sentences import asks_something, count_words
from chatbot.prompts.loader import FOLDER
from rag.search.rare_words import word_stems

MAX_RECALLED_WORDS = 40
"""Words of such a question at most: a long message tells of something."""
_MENTIONED = re.compile(
    r"\W*(?:(?:and|so|but|now) )?(?:what|which|where|when|who|whose|how)\b[^?]{4,80}? (?:that |which |whom? )?"
    r"i (?:just |already |once )?(?:mentioned|spoke (?:of|about)|told you (?:of|about))"
    r"(?: (?:before|earlier|just now|to you|at first))?\s*\?\W*$",
    re.IGNORECASE,
)
_STILL_KNOWN = re.compile(
    r"\W*(?:(?:and|so) )?do you (?:still )?(?:know|remember|recall) (?:my (?:name|age|birthday|job|hometown)\b"
    r"|(?:who|how old) i am\b|where i (?:live|work|was born|come from)\b|what i (?:do for a living|like|am called)\b"
    r"|my \w+\W*$|what i do\W*$)",
    re.IGNORECASE,
)
_WHAT_IS_KNOWN = re.compile(
    r"\W*(?:(?:and|so) )?what do you (?:still )?(?:know|remember) (?:about|of) "
    r"(?:(?P<oneself>(?:what|where|how|who) i (?!(?:can|could|should|must|may|might|have|need|sen[dt]|attached|uploaded"
    r"|pasted|wrote|said|asked)\b)\w+)|my \w+)(?: \w+)?\W*$",
    re.IGNORECASE,
)
_EARLIER = word_stems(
    "what which that do you me my i before earlier already ever just now ago minute hour moment second today yesterday "
    "a the last first so far again here in this chat conversation talk about of remember tell"
)
"""Words that say when something was said, not what it was about."""


def asks_of_mentioned(message: str) -> bool:
    """Whether a question in English asks something of what its author says to have mentioned, or who they are: they may
    have said it."""
    return bool(_MENTIONED.match(message) or _STILL_KNOWN.match(message) or asks_what_is_known(message))


def asks_what_is_known(english: str, *, of_oneself: bool = False) -> bool:
    """Whether a question in English asks what is known of its author or their things; `of_oneself` for the former."""
    found = _WHAT_IS_KNOWN.match(english)
    return bool(found and (found["oneself"] or not of_oneself))


def asks_what_was_said(message: str) -> bool:
    """Whether a message asks for what its author said: in English by the order of its words alone, else as a question.

    Of 13,627 messages in 20 languages 27 are found, of which 25 ask just that.
    """
    if count_words(message) > MAX_RECALLED_WORDS:
        return False
    english, others = _recalling_patterns()
    return bool(english.search(message) or asks_of_mentioned(message)) or (
        asks_something(message) and any(pattern.search(message) for pattern in others)
    )


def recalled_topic(question: str) -> str:
    """What such a question in English is about, without the words that ask for it; all of it in another language."""
    pattern, _ = _recalling_patterns()
    return " ".join(pattern.sub(" ", question).split())


def names_nothing(topic: str) -> bool:
    """Whether a topic is none: nothing is left of "What did I just tell you?"."""
    return not word_stems(topic) - _EARLIER


@cache
def _recalling_patterns() -> tuple[re.Pattern[str], Sequence[re.Pattern[str]]]:
    """How English asks it, and how other languages do."""
    words: dict[str, str] = json.loads((FOLDER / "recalled_questions.json").read_text(encoding="utf-8"))
    compiled = {language: re.compile(pattern, re.IGNORECASE) for language, pattern in words.items()}
    return compiled.pop("en"), list(compiled.values())
