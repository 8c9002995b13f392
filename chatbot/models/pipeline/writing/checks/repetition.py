"""What is said once more: the rounds of a small model, "a soft breeze, a soft breeze", and answers given before."""

import re
from itertools import takewhile

from chatbot.models.pipeline.decision.names import has_digit, names_in
from chatbot.models.pipeline.decision.router import CAPITALISED
from chatbot.models.pipeline.reading.expected import new_figures, says_figures, says_none
from chatbot.models.pipeline.reading.sentences import asks_reason, asks_something
from chatbot.models.pipeline.reading.tables.named_rows import share_form
from rag.search.rare_words import telling_words, word_stems
from utils.languages.detection import language_of
from utils.languages.lexicon import load_lexicon

TIMES = 6
"""A refrain comes back three or four times."""
MIN_CHARS = 200
"""Of all rounds together, so that a row of short words is none."""
MAX_CHARS = 400
"""Of one round."""
LONG_SENTENCE = 60
"""Characters of a sentence that prose does not say twice."""
_ITEM_LINE = re.compile(r"[-*•]\s+\S")
ITEM_TIMES = 2
"""An item is said at most in one list: nobody lists a thing three times."""
SAID_AGAIN = 0.75
"""The share of a question's telling words that a sentence has which says no more than the question: a name of several
that it chooses among has few."""
_QUESTION_WORD = r"\b(?:when|where|who|whom|whose|which|what|why|how)\b(?!.*\bor\b)"
_ASKS_FOR_ANOTHER = re.compile(
    rf"(?:(?:and|but|so|then|on|at|in|to|from|for|by|with|until|since) )*{_QUESTION_WORD}", re.IGNORECASE | re.DOTALL
)
"""What a question in English begins with that its own words alone do not answer."""
_ASKS_FOR_ANOTHER_ANYWHERE = re.compile(_QUESTION_WORD, re.IGNORECASE | re.DOTALL)
"""The same of a translation, in which it may stand last: "the museum is open until what hour?"."""
_BEING = re.compile(r"\b(?:is|was|are|were)\b", re.IGNORECASE)
_BEHIND_SENTENCE = re.compile(r"(?<=[.!?…])\s")
_RUN_OF_LETTERS = re.compile(r"[^\W\d_](?:[\w'’.-]*\w)?")
LAST_CHARS = 12
"""By which it is found where the round before ended."""


def goes_in_circles(said: str, question: str) -> bool:
    """Whether a text ends in the same words, six times and more; not where the question holds them, who wants them so.

    Case and spacing do not count. Signs without a letter, as a ruled line or a row of zeros, are no words.
    """
    end = " ".join(said[-2 * TIMES * MAX_CHARS :].casefold().split())
    period = len(end) - LAST_CHARS - end.rfind(end[-LAST_CHARS:], 0, len(end) - 1)
    span = max(TIMES * period, MIN_CHARS)
    if period > MAX_CHARS or span > len(end) or end[-span + period :] != end[-span:-period]:
        return False
    words = end[-period:].strip(" ,.;:!?…")
    return any(sign.isalpha() for sign in words) and not _is_asked_for(end[-2 * period :], words, question)


def repeats_itself(said: str, sentence: str, question: str) -> bool:
    """Whether a long sentence was said already, word for word, or an item of a list; not where the question has it, who
    may want it so.
    """
    words = sentence.strip().casefold()
    if _ITEM_LINE.match(words) and said.count("```") % 2 == 0:
        lines = [line.strip() for line in said.casefold().splitlines()]
        items = takewhile(lambda line: not line or _ITEM_LINE.match(line), reversed(lines))
        return list(items).count(words) >= ITEM_TIMES and words.lstrip("-*• ") not in question.casefold()
    return len(words) >= LONG_SENTENCE and words in said.casefold() and words not in question.casefold()


def _is_asked_for(rounds: str, words: str, question: str) -> bool:
    """Whether the question says the words of a round, wherever in it the round is taken to begin."""
    asked = " ".join(question.casefold().split())
    return any(rounds[start : start + len(words)].strip(" ,.;:!?…") in asked for start in range(len(words)))


def says_answer_again(sentence: str, question: str, said: str) -> bool:
    """Whether a sentence says no more than what other questions of its message were answered before: no other word, or
    their figures alone and of what its own question asks nothing else.
    """
    if not said:
        return False
    words, known = word_stems(sentence), word_stems(said)
    if telling_words(sentence) <= known:
        return True
    figures = new_figures(sentence, question)
    return bool(figures) and says_figures(said, figures) and words & telling_words(question) <= known


def names_another(sentence: str, question: str, said: str) -> bool:
    """Whether a sentence is about a name that neither its question has nor the answer to another one of the message,
    and about none that these have: in which year Ada was first, "Odo was in 1902" does not say.

    Not told of German, where all things have capitals, nor of scripts without them.
    """
    if not said or sentence.lower() == sentence.upper() or language_of(sentence) in CAPITALISED:
        return False
    named = [name for name in names_in(sentence.rstrip(".!?…")).split() if not has_digit(name)]
    strange = [name for name in named if not word_stems(name) <= word_stems(f"{question} {said}")]
    verb = _BEING.search(sentence)
    behind = sentence[verb.end() :].split()[:1] if verb else []
    # "The first one was Odo Lane": the name stands right behind the verb, and no place does.
    return bool(behind) and behind[0].rstrip(".,") in strange


def says_question_again(sentence: str, question: str, english: str) -> bool:
    """Whether a sentence has most of what a question for who, when or how many has, and nothing else: "the
    ferry leaves on Mondays". Of one for why it need not have most.

    `english` is the question in English. A denial that the question has not is an answer.
    """
    asked, said = word_stems(question), telling_words(sentence)
    own = question == english
    # "It blinks red. What does that mean?" asks in its second sentence.
    asking = [one for one in _BEHIND_SENTENCE.split(english) if asks_something(one)]
    begins = any(_ASKS_FOR_ANOTHER.match(one) for one in (english, *asking))
    asks = begins if own else _ASKS_FOR_ANOTHER_ANYWHERE.search(english)
    # "Played" is "play" once more, but French is not France.
    plain = word_stems(" ".join(word for word in _RUN_OF_LETTERS.findall(question) if word == word.lower()))
    if not asks or not all(word in asked or share_form({word}, plain) for word in said):
        return False
    denials = (_denials(sentence) - _denials(question)) or (says_none(sentence) and not says_none(question))
    least = 1 if asks_reason(english) else SAID_AGAIN * len(telling_words(question))
    return not denials and len(said) >= least


def _denials(text: str) -> frozenset[str]:
    return load_lexicon().negations & set(map(str.casefold, _RUN_OF_LETTERS.findall(text)))
