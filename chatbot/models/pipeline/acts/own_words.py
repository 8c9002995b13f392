"""What is to be remembered, in the user's own words: a model leaves out whose sister it is, or one of two things."""

import re

from chatbot.models.pipeline.reading.sentences import split_sentences
from rag.search.rare_words import telling_words, word_stems
from utils.languages.message_parts import without_aside

MIN_OWN_SHARE = 0.8
"""The share of its words that a fact must have from the message."""
MAX_WORDS_AROUND_FACT = 5
"""Words of a message that a fact of one word may come from."""
_WISHED = re.compile(
    r"^(?:[^\s,]+,?\s+){1,5}?(?:that|dass|daß|que|che|dat|att|że|že|что|що|hogy|că|ότι|πως)\s+(?=\S+\s+\S+\s+\S)",
    re.IGNORECASE,
)
"""The beginning of a wish, before the clause that says what is to be remembered."""
_TWO_FACTS = re.compile(
    r"\b(?P<that>that|dass|daß|que|che|dat|att|at|że|že) (?P<first>[^.!?;\n]{6,100}?),? "
    r"(?:and|und|et|y|e|en|och|og|i|a) (?:also |auch |aussi |también |anche |ook )?"
    r"(?P=that) (?P<second>[^.!?;\n]{6,100})",
    re.IGNORECASE,
)
"""Two clauses of what is to be remembered: "that I sing bass and that my vet is Roth"."""
_TOLD_ABOVE = re.compile(
    r"(?P<told>[^\n]{6,300}?)[.,;!…-]{1,3}\s{0,3}(?:(?:so|and|also|please|pls|bitte|und) )?"
    r"(?:(?:remember|keep|note|save|store) (?:that|this|it|those|all (?:of )?(?:that|this))(?: down| in mind)?"
    r"(?: for me)?|merke? dir das|behalte? das(?: im kopf)?|retiens(?: bien)? (?:ça|cela)"
    r"|recuérdalo|acuérdate de (?:eso|esto)|ricordalo|ricordatelo|lembra-te disso|onthoud dat)"
    r"(?:,? (?:please|pls|plz|ok(?:ay)?|thanks|thx|bitte|merci))?"
    r"[\s.!?:)]{0,5}$",
    re.IGNORECASE,
)
"""What was told before the wish to remember it: "i'm joana and i live in brackmoor. remember that pls"."""
_ANOTHER_SENTENCE = re.compile(r"[.!?…]\s|[。！？]\S")


def own_clause(what: str, message: str) -> str:
    """What is to be remembered, in the user's own words where the model left some out: "my sister" was lost of hers."""
    if told := _TOLD_ABOVE.fullmatch(without_aside(message).strip()):
        own = [one for one in split_sentences(told["told"]) if word_stems(one) & word_stems(what)]
        return " ".join(own).strip() if word_stems(what) <= word_stems(" ".join(own)) else what
    said = _WISHED.match(message)
    clause = message[said.end() :].strip() if said else ""
    whole = what and clause and not _ANOTHER_SENTENCE.search(clause)
    # Who does it is no telling word: "take milk in my coffee" is what a model leaves of "I take ...".
    lost = telling_words(clause) - word_stems(what) or clause.rstrip(" .!").casefold().endswith(f" {what.casefold()}")
    return clause if whole and lost else what


def without_wish(message: str) -> str:
    """A message without the words that ask to remember what it goes on with."""
    return _WISHED.sub("", message, count=1)


def two_clauses(message: str) -> list[str]:
    """The two facts of a message that asks to remember that one is so and that another is; empty where it does not.

    Kept as one, the other would be forgotten with it.
    """
    found = _TWO_FACTS.search(message)
    return [found["first"].strip(" ,"), found["second"].strip(" ,")] if found else []


def is_said(what: str, message: str) -> bool:
    """Whether words that are to be remembered are the message's own, and a statement rather than a name."""
    own, said = word_stems(what), word_stems(message)
    return len(own & said) >= MIN_OWN_SHARE * len(own) and (len(own) > 1 or len(said) < MAX_WORDS_AROUND_FACT)
