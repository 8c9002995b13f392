"""What a passage says nearly word for word, and what a sentence makes of that."""

import re
from collections.abc import Sequence, Set
from decimal import Decimal
from itertools import combinations

from chatbot.models.pipeline.decision.names import names_in, new_names
from chatbot.models.pipeline.decision.places import says_mine
from chatbot.models.pipeline.reading.clauses import figures_in, money_in, split_clauses
from chatbot.models.pipeline.reading.editions import asks_of_past, is_of_another_number, is_of_another_year
from chatbot.models.pipeline.reading.expected import (
    Kind,
    expected_kind,
    is_of_kind,
    names_date,
)
from chatbot.models.pipeline.reading.sentences import body_sentences, split_sentences
from chatbot.models.pipeline.writing.checks.told_hours import tells_other_hour
from rag.documents import Passage
from rag.search.rare_words import telling_words, word_stems
from tools.reckoning.amounts import currencies_paid, currency_signs
from tools.reckoning.numerals import numbers_in
from utils.languages.detection import language_of, same_language
from utils.languages.dimensions import tells_money_instead
from utils.languages.lexicon import load_lexicon
from utils.languages.quantities import without_durations

_WORD = re.compile(r"\w+")
_ASKS_LEFT = re.compile(r"\b(?:left|remain\w*)\b(?!-)", re.IGNORECASE)
_ASKS_WHICH_THINGS = re.compile(
    r"^(?:(?:and|but|so|then) )?(?:which|what) "
    r"(?!(?:is|are|was|were|do|does|did|will|would|can|could|has|have|had|happen\w*)\b)\w",
    re.IGNORECASE,
)
_WHO_DOES = re.compile(
    r"^(?:(?:and|but|so|then) )?who (?!(?:is|are|was|were|will|would|can|could|has|have|had|do|does|did|may|must)\b)"
    r"(?P<does>[a-z]+) (?P<whom>.+)",
    re.IGNORECASE,
)
_PASSIVE = re.compile(r"\b(?:is|are|was|were|been|being|be)\b", re.IGNORECASE)
_BY = re.compile(r"\b(?:by|to|with|for|from)\b", re.IGNORECASE)
_ASKS_SIZE = re.compile(r"\bhow (?P<asked>deep|high|tall|thick|wide|heavy)\b", re.IGNORECASE)
_SIZE = re.compile(
    r"(?<![\d.,])(?P<figure>\d[\d.,]{0,12})(?: [^\W\d_]+)? (?P<said>deep|long|high|tall|wide|thick|heavy)\b"
)
"""What a question in English asks the size of, and the size that an answer tells."""
_OTHER_SIZES = {"heavy": "deep long high tall wide thick", "wide": "deep long high tall heavy thick"} | dict.fromkeys(
    ("deep", "high", "tall", "thick"), "long wide heavy"
)
"""What does not say it: snow may be as deep as it lies high."""
_IS = re.compile(r"\b(?:is|are|works?)\b", re.IGNORECASE)
_WAS_ONCE = re.compile(
    r"\b(?:was|were|had been|worked) (?:\w+ )?(?:first|once|originally|initially|formerly|previously)\b"
    r"|\b(?:formerly|used to be)\b",
    re.IGNORECASE,
)
"""What a sentence in English has that tells of what is so no more."""
_PEOPLE = r"(?:adults|grown-ups|people|persons|pensioners|seniors|students|children|kids|of us)"
_SEVERAL_PEOPLE = re.compile(rf"\b(?:two|three|four|five|six|seven|eight|[2-9]|\d\d) {_PEOPLE}\b", re.IGNORECASE)
_FOR_SEVERAL = re.compile(rf"{_SEVERAL_PEOPLE.pattern}|\b(?:both|groups?|famil(?:y|ies)|couples?)\b", re.IGNORECASE)
_COSTS = re.compile(
    r"\b(?:costs?|prices?|priced|fares?|fees?|kost(?:et|en|ar|er|a)|coûten?t?|cuestan?|costano?|custam?|kosztuj\w)\b",
    re.IGNORECASE,
)
"""What says that a figure is a price, in some eight languages."""
_FIGURE_OF_NO_YEAR = re.compile(r"(?<![\d.,])(?!(?:19|20)\d\d(?![\d.,]))\d")
WHOLE_SENTENCE = 8
"""Words from which on a sentence has some of what it answers; a name or a thing by itself need not."""


def is_of_another(passage: Passage, sentence: str, question: str) -> bool:
    """Whether a passage is of another year than question or sentence say, or of a thing of another number.

    Its lines that have the figures of the sentence must be of the year, no others: "This replaces that of 2025".
    """
    figures = figures_in(sentence) - figures_in(question)
    saying = [line for line in split_sentences(passage.text) if figures & figures_in(line)]
    text = "\n".join(saying) if saying else passage.text
    if is_of_another_number(passage.headed_title, passage.text, question):
        return True
    return is_of_another_year(passage.title, text, f"{question} {sentence}")


def is_of_asked_kind(sentence: str, kind: Kind, question: str) -> bool:
    """Whether a sentence says something of the kind that is asked for; what something costs is a price without a sign
    of money, as tables have it below "Prices", but not where the question has it: the 300 of the Beam 300 is none."""
    if is_of_kind(sentence, kind, question):
        return True
    costs = kind is Kind.PRICE and _COSTS.search(sentence) is not None and not names_date(sentence)
    costs = costs and bool(figures_in(sentence) - figures_in(question))
    return costs and _FIGURE_OF_NO_YEAR.search(without_durations(sentence)) is not None


def says_as_own(sentence: str, statement: str, language: str) -> bool:
    """Whether a sentence says what the user stated as if it were the speaker's own: with "my", or in their very words.

    `language` is ISO 639-1.
    """
    return says_mine(sentence, language) or _WORD.findall(sentence.casefold()) == _WORD.findall(statement.casefold())


def tells_otherwise(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether a sentence tells something else of the passages than a question in English asks for: another hour, none,
    the price of one for several or in another currency, or as so what is told of the past."""
    checks = (tells_other_hour, _tells_past_as_present, _tells_price_of_one, _tells_other_currency)
    return any(check(texts, sentence, english) for check in checks)


def _tells_other_currency(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether a price is told in a currency that neither passages nor question name, where they name another one."""
    named = currency_signs(" ".join([english, *texts]))
    return bool(named) and bool(currencies_paid(sentence) - named)


def _tells_price_of_one(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether the price of one is told for several, who are counted in a question in English and in no line that has
    it: what two adults pay is not what adults pay."""
    told = set(money_in(sentence))
    if not told or not _SEVERAL_PEOPLE.search(english) or expected_kind(english) is not Kind.PRICE:
        return False
    clauses = (clause for text in texts for line in body_sentences(text) for clause in split_clauses(line))
    saying = [clause for clause in clauses if told & set(money_in(clause))]
    return bool(saying) and not any(map(_FOR_SEVERAL.search, saying))


def _tells_past_as_present(texts: Sequence[str], sentence: str, english: str) -> bool:
    """Whether somebody is said to be what they were at first: "he was first a boat builder"."""
    if asks_of_past(english) or not _IS.search(sentence) or _WAS_ONCE.search(sentence):
        return False
    told = telling_words(sentence) - telling_words(english) - word_stems(names_in(sentence))
    saying = [line for text in texts for line in split_sentences(text) if told and told <= word_stems(line)]
    return bool(saying) and all(map(_WAS_ONCE.search, saying))


def says_opposite(text: str, sentence: str) -> bool:
    """Whether the lines of a text with the figures of a sentence say the opposite of one of its words: that something
    begins then which is said to end.
    """
    figures, said = figures_in(sentence), _directions(sentence)
    lines = [_directions(line) for line in split_sentences(text) if figures and figures <= figures_in(line)]
    return bool(lines) and all(any((pair, -side) in line - said for pair, side in said - line) for line in lines)


def _directions(text: str) -> set[tuple[int, int]]:
    """On which side of which pairs of opposites the words of a text stand."""
    known = load_lexicon().directions
    return {place for word in _WORD.findall(text.casefold()) for place in known.get(word, ())}


def lacks_side(texts: Sequence[str], question: str) -> bool:
    """Whether texts have some of the names of a question for the one of two things and others not: of the one alone
    they cannot say that it has more.
    """
    names = word_stems(names_in(question))
    missing = names - word_stems("\n".join(texts))
    return bool(missing) and missing != names


def speaks_of_something_else(sentence: str, question: str, english: str, quote: str = "") -> bool:
    """Whether a whole sentence has no word of a question for which things something holds, `english` in English: what
    lacks water, the open school does not. Or tells how long is what was asked how deep, or names others than `quote`,
    the best sentence of the passages, for a question who it is.
    """
    others = tells_money_instead(sentence, english) or _tells_another_size(sentence, english)
    if others or _names_others(quote, sentence, question, english):
        return True
    asks = _ASKS_WHICH_THINGS.match(english) and len(sentence.split()) >= WHOLE_SENTENCE
    if not asks or not same_language(sentence, language_of(question) or "en"):
        return False
    return not word_stems(sentence) & telling_words(question)


def _names_others(quote: str, sentence: str, question: str, english: str) -> bool:
    """Whether a whole sentence names nobody that the best one of the passages does, or, where that names none, has no
    word of a question that it has, for one that asks who it is: who leads the choir, "the concert is in St Odo's" does
    not say, nor who pays less, when it is free."""
    asks = expected_kind(english) is Kind.PERSON and len(sentence.split()) >= WHOLE_SENTENCE
    if not asks or not same_language(sentence, language_of(quote) or "en"):
        return False
    named, said = word_stems(names_in(quote)) - word_stems(question), word_stems(sentence)
    if named:
        return named.isdisjoint(said)
    asked, quoted = telling_words(question), word_stems(quote)
    about = (asked | telling_words(quote)).isdisjoint(said)
    return bool(asked & quoted) and about and not word_stems(names_in(sentence)) - word_stems(question)


def _tells_another_size(sentence: str, english: str) -> bool:
    """Whether all figures of a sentence that a question in English has not are sizes of another kind than asked."""
    asked = _ASKS_SIZE.search(english)
    sizes = list(_SIZE.finditer(sentence))
    if not asked or not sizes:
        return False
    told = {figure for size in sizes for figure in numbers_in(size["figure"])}
    others = _OTHER_SIZES[asked["asked"].casefold()].split()
    return figures_in(sentence) - figures_in(english) <= told and all(size["said"] in others for size in sizes)


def turns_question_round(sentence: str, question: str) -> bool:
    """Whether a sentence makes the one who does something of what it is done to, for a question in English, or tells
    only that it was done.

    Who conducts the choir, "the choir conducts the concerts" does not say; nor "the ring was found in a bush" by whom.
    """
    asked = _WHO_DOES.match(question)
    if not asked:
        return False
    words, does, whom = sentence.split(), asked["does"].casefold(), telling_words(asked["whom"])
    done = _PASSIVE.search(sentence)
    verb = _WORD.search(sentence, done.end()) if done else None
    if done and verb and verb[0].casefold() == does and not (_BY.search(sentence) or new_names(sentence, question)):
        subject = telling_words(sentence[: done.start()])
        return bool(subject) and subject <= whom
    at = next((place for place, word in enumerate(words) if word.casefold() == does), 0)
    before = " ".join(words[:at])
    return bool(whom) and telling_words(before) == whom and not _PASSIVE.search(before)


def left_over(question: str, text: str, figures: Set[str]) -> bool:
    """Whether a question in English asks what is left, and a figure is what one number of a line leaves of another."""
    if len(figures) != 1 or ":" in "".join(figures) or not _ASKS_LEFT.search(question):
        return False
    lines = ([Decimal(number) for number in numbers_in(line)] for line in text.splitlines())
    return any(abs(a - b) == Decimal("".join(figures)) for line in lines for a, b in combinations(line, 2))
