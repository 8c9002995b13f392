"""Whether a passage has another number or name nearer to what a sentence and its question speak of."""

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.citations.claims import Claim, PassageText
from chatbot.citations.texts import Statement, WordToken, word_key

REACH = 40.0
"""Characters at which a word counts half."""
MAX_RIVALS = 40
"""Rivals that are looked at."""


@dataclass(frozen=True)
class _Place:
    statement: Statement
    at: int
    ours: bool
    """Whether the sentence has it."""


def find_rivals(claim: Claim, text: PassageText) -> tuple[float, float]:
    """By how much another number, and another name, is nearer to the other words than the sentence's own; 0 to 1."""
    own = frozenset().union(*(quantity.required for quantity in claim.new_quantities))
    asked = frozenset().union(*(quantity.offered for quantity in claim.question.quantities))
    numbers = [
        _Place(s, q.start, bool(q.offered & own))
        for s in text.sentences
        for q in s.quantities
        if q.exact and not q.offered & asked
    ]
    said = {token.word for token in claim.statement.tokens if claim.is_news(token)}
    names = [
        _Place(s, t.start, t.word in said)
        for s in text.sentences
        for t in s.tokens
        if t.name and not claim.question.has_word(t.word)
    ]
    items = {token.word for token in claim.new_names}
    words = [t for t in (*claim.statement.content_words, *claim.question.content_words) if t.word not in items]
    return _rival_lead(numbers, words), _rival_lead(names, words)


def _rival_lead(places: Sequence[_Place], words: Sequence[WordToken]) -> float:
    ours = [place for place in places if place.ours][:MAX_RIVALS]
    others = [place for place in places if not place.ours][:MAX_RIVALS]
    if not ours or not others or not words:
        return 0.0
    best = max(_word_nearness(place, words) for place in ours)
    return max(0.0, max(_word_nearness(place, words) for place in others) - best)


def _word_nearness(place: _Place, words: Sequence[WordToken]) -> float:
    """How much of the words stands in the same sentence, nearer ones counting more."""
    distances: dict[str, float] = {}
    for token in place.statement.content_words:
        distance = abs(token.start - place.at)
        known = word_key(token.word)
        if distance:
            distances[known] = min(distances.get(known, distance), distance)
    near = sum(w.weight / (1 + distances[k] / REACH) for w in words if (k := word_key(w.word)) in distances)
    return near / sum(word.weight for word in words)
