"""What can be seen of whether a passage says a sentence: numbers, names, negations and words that agree or do not."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
from numpy.typing import NDArray

from chatbot.citations.alignment import Alignment, Replacement, split_units
from chatbot.citations.claims import Claim, PassageText
from chatbot.citations.rivals import find_rivals
from chatbot.citations.texts import Statement, WordToken, consonant_skeleton, word_key, word_prefixes
from utils.languages.quantities import Quantity

Floats = NDArray[np.float64]
NEAR_CHARS = 60
"""Characters on either side of a number or name in which the words stand that it belongs to."""
FEATURE_NAMES = (
    "number missing", "numbers missing", "word number missing", "name missing", "names missing",
    "uncovered", "answer uncovered", "uncovered by a sentence", "answer uncovered by a sentence", "longest unmatched",
    "number bound elsewhere", "number not near", "name bound elsewhere", "name not near",
    "negation added", "negation lost", "opposite", "direction missing", "out of order",
    "name in another's place", "number in another's place", "words in others' place", "unlike in its place",
    "longest run elsewhere",
    "another number is nearer", "another name is nearer", "repeated",
    "unlike", "unlike with question", "nothing to check", "short", "number of the question missing",
)  # fmt: skip
"""The features in their order, each 0 where all is well and about 1 where nothing agrees."""


@dataclass(frozen=True)
class Likeness:
    """Cosines of embeddings, -1 to 1."""

    sentence: float = 0.0
    """Of the sentence and what is nearest to it in the passages."""
    asked: float = 0.0
    """Of question and sentence together."""
    replaced: float = 1.0
    """Of words of the sentence and those in whose place they stand, the lowest."""


def align_claim(claim: Claim, text: PassageText) -> Alignment:
    """A sentence beside the passages' sentence that has most of its words."""
    coverages = np.array([_covered_share(claim, statement, text.above) for statement in text.sentences] or [0.0])
    best = text.sentences[int(np.argmax(coverages))] if text.sentences else text.above
    ours, theirs = split_units(claim.statement, best.quantities), split_units(best)
    matcher = SequenceMatcher(None, [u.key for u in ours], [u.key for u in theirs], autojunk=False)
    changed = [code for code in matcher.get_opcodes() if code[0] == "replace"]
    return Alignment(best, coverages, tuple(Replacement(ours[i:j], theirs[k:m]) for _, i, j, k, m in changed))


def support_features(claim: Claim, text: PassageText, alignment: Alignment, likeness: Likeness) -> Floats:
    """What `FEATURE_NAMES` says, in that order."""
    best = alignment.best
    return np.array(
        [
            *_number_features(claim, text),
            *_name_features(claim, text),
            *_word_features(claim, text, best),
            *_binding_features(claim, text, alignment.coverages),
            *_denial_features(claim, text, best),
            *_opposite_features(claim, text, alignment),
            _order_difference(claim, best),
            *_replacement_features(claim, alignment),
            1 - likeness.replaced,
            _longest_run(claim, text, best),
            *find_rivals(claim, text),
            _repeats_name(claim, best),
            1 - likeness.sentence,
            1 - likeness.asked,
            not (claim.new_quantities or claim.new_names),
            1 / (1 + len(claim.statement.content_words)),
            _question_numbers(claim, text),
        ],
        dtype=np.float64,
    )


def _number_features(claim: Claim, text: PassageText) -> tuple[float, float, float]:
    exact = [not quantity.required & text.offers for quantity in claim.new_quantities if quantity.exact]
    words = [not quantity.required & text.offers for quantity in claim.new_quantities if not quantity.exact]
    return float(any(exact)), _share_missing(exact), _share_missing(words)


def _question_numbers(claim: Claim, text: PassageText) -> float:
    new = set(claim.new_quantities)
    return _share_missing(
        [not q.required & text.offers for q in claim.statement.quantities if q.exact and q not in new]
    )


def _name_features(claim: Claim, text: PassageText) -> tuple[float, float]:
    missing = [not _has_name(text, token) for token in claim.new_names]
    return float(any(missing)), _share_missing(missing)


def _has_name(text: PassageText, token: WordToken) -> bool:
    return word_key(token.word) in text.prefixes or (
        len(consonant_skeleton(token.word)) > 1 and consonant_skeleton(token.word) in text.skeletons
    )


def _word_features(claim: Claim, text: PassageText, best: Statement) -> tuple[float, ...]:
    """Words that do not stand in the passages, in their best sentence, and how long the longest of them is."""
    content = claim.statement.content_words
    news = [token for token in content if claim.is_news(token)]
    there = text.above.prefixes | best.prefixes
    unmatched = [len(token.word) for token in content if not _has_name(text, token)]
    return (
        _uncovered_share(content, text.prefixes),
        _uncovered_share(news, text.prefixes),
        _uncovered_share(content, there),
        _uncovered_share(news, there),
        min(max(unmatched, default=0), 12) / 12,
    )


def _uncovered_share(tokens: Sequence[WordToken], known: frozenset[str]) -> float:
    total = sum(token.weight for token in tokens)
    return sum(token.weight for token in tokens if word_key(token.word) not in known) / total if total else 0.0


def _covered_share(claim: Claim, statement: Statement, above: Statement) -> float:
    """How much of sentence and question together a passage's sentence has, numbers included."""
    tokens = (*claim.statement.content_words, *claim.question.content_words)
    return 1 - _uncovered_share(tokens, statement.prefixes | above.prefixes)


def _binding_features(claim: Claim, text: PassageText, coverages: Floats) -> tuple[float, float, float, float]:
    """Whether numbers and names stand in the sentence that speaks of the same, and near the same words."""
    highest = float(coverages.max())
    numbers = [
        (q.start, [(s, p.start) for s, p in _placed_quantities(text) if p.offered & q.required])
        for q in claim.new_quantities
    ]
    tokens = _placed_tokens(text)
    named = {token.word for _, token in tokens if token.name}
    subjects = [t for t in claim.statement.tokens[:1] if t.word in named and not t.name and claim.is_news(t)]
    names = [
        (n.start, [(s, t.start) for s, t in tokens if word_key(n.word) == word_key(t.word)])
        for n in (*subjects, *claim.new_names)
    ]
    found = [0.0] * 4
    for kind, items in ((0, numbers), (2, names)):
        for start, places in items:
            if not places:
                continue
            elsewhere = highest - max(float(coverages[place]) for place, _ in places)
            found[kind] = max(found[kind], elsewhere)
            found[kind + 1] = max(found[kind + 1], _context_distance(claim, start, text, places))
    return found[0], found[1], found[2], found[3]


def _placed_quantities(text: PassageText) -> list[tuple[int, Quantity]]:
    return [(place, quantity) for place, s in enumerate(text.sentences) for quantity in s.quantities]


def _placed_tokens(text: PassageText) -> list[tuple[int, WordToken]]:
    return [(place, token) for place, s in enumerate(text.sentences) for token in s.tokens]


def _context_distance(claim: Claim, start: int, text: PassageText, places: Sequence[tuple[int, int]]) -> float:
    """Share of the words around a number or name that do not stand around it in the passages."""
    around = _words_around(claim.statement, start)
    if len(around) < 2:
        around = [*around, *claim.question.content_words]
    if not around:
        return 0.0
    known = (word_prefixes(t.word for t in _words_around(text.sentences[place], at)) for place, at in places)
    return min(_uncovered_share(around, words) for words in known)


def _words_around(statement: Statement, start: int) -> list[WordToken]:
    return [token for token in statement.content_words if 0 < abs(token.start - start) <= NEAR_CHARS]


def _denial_features(claim: Claim, text: PassageText, best: Statement) -> tuple[float, float]:
    """Denials that only the sentence has, or only the passage's sentence about the same words."""
    ours, theirs = _denied_words(claim.statement), _denied_words(best)
    added = max((1 - _best_overlap(some, theirs) for some in ours), default=0.0)
    if claim.statement.negations and not ours:
        added = 0.0 if best.negations else 1.0
    said = {word_key(token.word) for token in claim.statement.content_words}
    lost = [words for words in theirs if words and words & said and not any(words & some for some in ours)]
    return added, max((len(words & said) / len(words) for words in lost), default=0.0)


def _denied_words(statement: Statement) -> list[frozenset[str]]:
    """For each denial the three words that follow it, or that precede it where none follows."""
    found = []
    for at in dict.fromkeys(statement.negations):
        after = [word_key(token.word) for token in statement.content_words if token.start > at][:3]
        before = [word_key(token.word) for token in statement.content_words if token.start < at][-2:]
        found.append(frozenset(after or before))
    return found


def _best_overlap(words: frozenset[str], others: Sequence[frozenset[str]]) -> float:
    return max((1.0 if words & other else 0.4 for other in others), default=0.0)


def _opposite_features(claim: Claim, text: PassageText, alignment: Alignment) -> tuple[float, float]:
    """Words of which the passage has the opposite in their place, and those of which it has neither."""
    own = claim.statement.directions - claim.question.directions
    best = alignment.best.directions
    everywhere = frozenset().union(*(statement.directions for statement in text.sentences))
    turned = float(any(replacement.is_opposite for replacement in alignment.replacements))
    missing = 0.0
    for pair, side in own - best:
        if (pair, -side) in best:
            turned = 1.0
        elif (pair, side) not in everywhere:
            turned = max(turned, 0.5 * ((pair, -side) in everywhere))
            missing = 1.0
    return turned, missing


def _order_difference(claim: Claim, best: Statement) -> float:
    """Share of the words that stand in another order in the passage's best sentence."""
    places: dict[str, int] = {}
    for token in best.content_words:
        places.setdefault(word_key(token.word), token.start)
    found = [places[k] for token in claim.statement.content_words if (k := word_key(token.word)) in places]
    if len(found) < 2:
        return 0.0
    longest: list[int] = []
    for place in found:
        at = int(np.searchsorted(longest, place, side="left"))
        longest[at : at + 1] = [place]
    return 1 - len(longest) / len(found)


def _replacement_features(claim: Claim, alignment: Alignment) -> tuple[float, float, float]:
    """Names, numbers and words that stand where the passage's best sentence has others."""
    names = numbers = words = 0.0
    for replacement in alignment.replacements:
        ours, theirs = replacement.ours, replacement.theirs
        if any(unit.kind == "name" for unit in theirs):
            strange = [alignment.best.has_word(unit.text) for unit in ours if unit.kind == "name"]
            names = max([names, *(0.5 if known else 1.0 for known in strange)])
        if any(unit.kind == "number" for unit in theirs) and any(unit.kind == "number" for unit in ours):
            numbers = 1.0
        unheard = sum(unit.weight for unit in ours if not alignment.best.has_word(unit.text))
        words = max(words, min(unheard, 2.0) / 2)
    return names, numbers, words


def _longest_run(claim: Claim, text: PassageText, best: Statement) -> float:
    longest = run = 0.0
    for token in claim.statement.content_words:
        known = best.has_word(token.word) or text.above.has_word(token.word)
        run = 0.0 if known else run + token.weight
        longest = max(longest, run)
    return min(longest, 3.0) / 3


def _repeats_name(claim: Claim, best: Statement) -> float:
    """Whether a name stands more often in the sentence than in the passage's."""
    ours = Counter(token.word for token in claim.statement.tokens if token.name)
    theirs = Counter(token.word for token in best.tokens)
    return float(any(0 < theirs[word] < count for word, count in ours.items()))


def _share_missing(missing: Sequence[bool]) -> float:
    return sum(missing) / len(missing) if missing else 0.0
