"""A remembered fact that is put right: with the next message, "sorry, it's 221", or later where what is wrong is named.

What is no plain correction is none: a fact that is lost for a remark was the user's.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache

from rapidfuzz import fuzz

from chatbot.conversation.messages import ToolCall
from chatbot.conversation.turns import Turn
from chatbot.conversation.wishes import correction_in
from chatbot.models.pipeline.acts.outcomes import UNDONE
from chatbot.models.pipeline.decision.names import has_digit
from chatbot.models.pipeline.reading.calendar.weekdays import days_in, word_of_day
from rag.search.rare_words import telling_words, word_stems
from rag.search.stop_words import STOP_WORDS
from utils.languages.detection import language_of

MIN_LIKENESS_OF_NAMES = 70.0
"""In percent, how alike two names are of which one was mistyped: "Halloran" and "Hallorin"."""
MIN_WORDS_SAID_AGAIN = 4
"""Words of a fact that is said again with another word in it, at least."""
_SOLE_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DENIED = r"(?:not|instead of|nicht|pas|no|non|não|niet)(?: (?:the|der|die|das|den|le|la|el|il|o|a|de|het))?"
_REPLACED = r"[\w€$£%.:-]{0,40}[\w€$£%]"
_PREPOSITION = r"(?:(?:to|on|in|at|for|by|with|from|auf|gegen|zu|mit|am|à|en|au|de|con|per|em|met|op|voor) )?"
_INSTEAD = (
    re.compile(
        rf"\b{_DENIED} (?:[^\W\d_]{{1,20}} ){{0,3}}(?P<old>{_REPLACED}),? "
        rf"(?:but|it['’]s|sondern|mais|sino|ma|mas|maar) {_PREPOSITION}(?P<new>{_REPLACED})"
    ),
    re.compile(rf"(?<![\w'’€$£%.:-])(?P<new>{_REPLACED}),? (?:(?:and|et|y|e) )?{_DENIED} (?P<old>{_REPLACED})"),
)
"""Two words of which one stands for the other: "not Tuesday but Thursday", "Thursday, not Tuesday", "not allergic to
walnuts but to cashews"."""
_REPLACING_NAME = (
    r"(?!(?:Frau|Herrn?|Doktor|Professor|Madame|Monsieur|Mme|Mrs|Miss|Señor\w?|Signor\w?|Doctor|Docteure?)\b)"
    r"[^\W\d_a-z][\w'’-]{2,}"
)
_IS_NOW = (
    re.compile(
        r"(?i:\b(?:now|maintenant|désormais|jetzt|ahora|ora|adesso|agora|nu))\b[^.!?]{0,30}?"
        rf"(?i:\b(?:is|it['’]s|c['’]est|ist|heißt|es|è|é)\b) (?:[^\W\d_]+\.? ){{0,3}}?(?P<new>{_REPLACING_NAME})"
    ),
    re.compile(
        rf"(?i:\b(?:it['’]s|c['’]est)) (?:[^\W\d_]+\.? ){{0,3}}?(?P<new>{_REPLACING_NAME}) (?i:now|maintenant)\b",
    ),
)
_FORGETS_NAME = re.compile(
    r"(?i:\b(?:forget(?: about)?|oublie[rz]?|vergiss|olvida|dimentica|esquece|vergeet)) "
    rf"(?:[^\W\d_]+\.? ){{0,2}}?(?P<old>{_REPLACING_NAME})"
)
"""What says who it is now, and who is to be forgotten: "it's Dr Benn now, forget Roth"."""
_CAPITALISED = re.compile(r"\b[^\W\d_a-z][\w'’-]{3,}")
_SAYS_WRONG = re.compile(
    r"\b(?:wrong|meant|mistyped|misspelled|typo|correct|falsch|gemeint|vertippt|faux|fausse|trompée?|erreur|equivocad\w|error"
    r"|sbagliat\w|errore|errad\w|fout|verkeerd)\b",
    re.IGNORECASE,
)
_SAYS_SO = word_stems(
    "meant mean said say wrong right correct correctly spelled spelt written number name code day course make should "
    "mistake typo mistyped please fix change update "
    "zahl nummer name tag gemeint meinte richtig falsch numéro nom jour número nombre día numero"
)
"""What stands in a correction beside what is put right."""


def next_correction(turns: Sequence[Turn], facts: Sequence[str]) -> ToolCall | None:
    """The next call that puts right what was remembered; None where nothing is left.

    What is right is kept before what was wrong is forgotten, and what failed ends it.
    """
    last, right = turns[-1], correction_in(turns[-1].question.content)
    undone = any(result.failed or UNDONE.match(result.content) for result in last.results)
    if undone:
        return None
    found = _replaced(turns[-1].question.content, facts)
    if right:
        found = _put_right_next(turns, facts, right) or _put_right_later(facts, right) or found
    wrong, better = found or ("", "")
    done = [call.name for call in last.calls]
    if better and not done and wrong in facts:
        return ToolCall("remember", {"fact": better})
    return ToolCall("forget", {"fact": wrong}) if better and done == ["remember"] and wrong in facts else None


def _replaced(message: str, facts: Sequence[str]) -> tuple[str, str] | None:
    """The only fact with a name that a message wants forgotten, with the one in its place that it says it is now."""
    forgotten, now = _FORGETS_NAME.search(message), next(filter(None, (said.search(message) for said in _IS_NOW)), None)
    if not forgotten or not now:
        return None
    found = [(fact, better) for fact in facts if (better := _with_word(fact, forgotten["old"], now["new"]))]
    return found[0] if len(found) == 1 else None


def _put_right_next(turns: Sequence[Turn], facts: Sequence[str], right: str) -> tuple[str, str] | None:
    """The only fact which the turn before had remembered and the message corrects, and what is right."""
    before = turns[-2].calls if len(turns) > 1 else ()
    kept = [str(call.arguments.get("fact", "")) for call in before if call.name == "remember"]
    found = [(fact, better) for fact in kept if fact in facts and (better := corrected_text(fact, right))]
    return found[0] if len(found) == 1 else None


def _put_right_later(facts: Sequence[str], right: str) -> tuple[str, str] | None:
    """The only fact of which the message says a word, and that another is wrong, with what is right: "I do not react to
    hazelnuts but to almonds". "Paris, not Berlin" corrects what was looked up."""
    pairs, said = _named_pairs(right), word_stems(right)
    found = list[tuple[str, str]]()
    for fact in facts:
        about = [pair for pair in pairs if (telling_words(fact) - word_stems(pair[0])) & said]
        if better := _first_plain(fact, right, about):
            found.append((fact, better))
    return found[0] if len(found) == 1 else None


def corrected_text(text: str, right: str) -> str:
    """A text with what is right in the place of something in it; empty where that is not plain.

    That is a word which is said to be wrong, the one in whose place another stands where the text is said again, the
    only number or day of each, or a name that is much like another, and nothing else may be said.
    """
    pairs = [*_named_pairs(right), *_pairs_said_again(text, right)]
    pairs += [(one_of(text), one_of(right)) for one_of in (_only_numeral, word_of_day)]
    pairs += [
        (old, new)
        for new in _CAPITALISED.findall(right)
        for old in _CAPITALISED.findall(text)
        if fuzz.ratio(old.casefold(), new.casefold()) >= MIN_LIKENESS_OF_NAMES
    ]
    return _first_plain(text, right, pairs)


def _named_pairs(right: str) -> list[tuple[str, str]]:
    """The words of a message that it says are wrong, each with what is right."""
    return [(found["old"], found["new"]) for pattern in _INSTEAD for found in pattern.finditer(right)]


def _pairs_said_again(text: str, right: str) -> Iterator[tuple[str, str]]:
    """The words of a text in whose place a message that says it again has another: "my vet is Roth", of "my vet is
    Brandt"."""
    words = text.rstrip(" .!").split()
    for place, word in enumerate(words) if len(words) >= MIN_WORDS_SAID_AGAIN else ():
        around = (" ".join(words[:place]), " ".join(words[place + 1 :]))
        before, behind = (re.escape(part) + (" " if part and not end else "") for end, part in enumerate(around))
        behind = f" {behind}" if behind else ""
        found = re.search(rf"(?<!\w){before}(?P<new>{_REPLACED}){behind}(?!\w)", right, re.IGNORECASE)
        new = found["new"].rstrip(".") if found else ""
        # "My vet is closed" says something else of the vet.
        if new and ((_is_named(word) and _is_named(new)) or _SAYS_WRONG.search(right)):
            yield word, new


def _is_named(word: str) -> bool:
    """Whether a word has a capital or a digit, as names and numbers have."""
    return word != word.lower() or has_digit(word)


def _first_plain(text: str, right: str, pairs: Sequence[tuple[str, str]]) -> str:
    """The text with the first of some pairs' new words in the place of the old; empty where none is plain."""
    known = [(old, new) for old, new in pairs if old and new and not _whole_word(new).search(text)]
    plain = (pair for pair in known if _are_of_one_sort(*pair) and not _says_more(right, text, pair))
    return next(filter(None, (_with_word(text, old, new) for old, new in plain)), "")


def _are_of_one_sort(old: str, new: str) -> bool:
    """Whether two words may stand for one another: both figures, both days, or both no word that stands everywhere."""
    if has_digit(old) != has_digit(new) or bool(days_in(old)) != bool(days_in(new)):
        return False
    return has_digit(old) or not (word_stems(f"{old} {new}") & _common_words())


def _says_more(right: str, text: str, pair: tuple[str, str]) -> bool:
    """Whether a correction says something beside what is put right: "Sorry, I have to go, back in 10 minutes"."""
    for word in pair:
        right = _whole_word(word).sub(" ", right)
    languages = sorted({language_of(text) or "en", language_of(right) or "en"})
    return bool(word_stems(right) - word_stems(text) - _common_words(*languages) - _SAYS_SO)


@cache
def _common_words(*languages: str) -> frozenset[str]:
    """The stop words of some languages; of all without any."""
    return word_stems(" ".join(word for one in languages or STOP_WORDS for word in STOP_WORDS.get(one, ())))


def _only_numeral(text: str) -> str:
    found = list(dict.fromkeys(_SOLE_NUMBER.findall(text)))
    return found[0] if len(found) == 1 else ""


def _whole_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)


def _with_word(text: str, old: str, new: str) -> str:
    """The text with another word in a word's place; empty where it does not have that word once."""
    pattern = _whole_word(old)
    known = len(pattern.findall(text)) == 1 and old.casefold() != new.casefold()
    return pattern.sub(lambda _: new, text) if known else ""
