"""Notes of one sub-question that disagree: the same words of two pages with another number or date."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from chatbot.citations.alignment import Replacement
from chatbot.citations.claims import read_claim, read_passages
from chatbot.citations.support import align_claim
from chatbot.citations.texts import Statement, analyse_statement
from chatbot.conversation.messages import Source
from chatbot.research.state import Conflict, Note, ResearchState
from rag.documents import Passage
from rag.search.rare_words import word_stems

_ROW_SENTENCE = re.compile(r"[^–\n]{0,200} – [^:\n]{1,100}: |[^:\n]{1,60}: [^,\n]{1,100}, [^:\n]{1,60}: ")
"""A row of a table as a sentence: a heading, and its cells with their columns."""
MIN_SHARED_WORDS = 0.5
"""Share of the words of either sentence that the other must have, so that both speak of the same."""


def find_conflicts(state: ResearchState) -> list[Conflict]:
    """Pairs of notes on one sub-question, from different pages, of which one number or date differs."""
    sources, found = state.sources, []
    for place in range(len(state.plan)):
        for first, second in combinations(state.notes_of(place), 2):
            if _are_comparable(sources, first, second) and differ_in_number(first.quote, second.quote):
                found.append(Conflict(first, second))
    return found


def _are_comparable(sources: Mapping[int, Source], first: Note, second: Note) -> bool:
    """Whether two notes are of different pages; rows of tables, which name nothing, of pages with one title."""
    ours, theirs = sources[first.number].passage, sources[second.number].passage
    if ours.source == theirs.source:
        return False
    is_row = any(_ROW_SENTENCE.match(note.quote) for note in (first, second))
    return not is_row or word_stems(ours.title) == word_stems(theirs.title)


def differ_in_number(first: str, second: str) -> bool:
    """Whether two sentences say the same of the same but for one number or date."""
    if not _share_words(first, second) or _says_all(first, second) or _names_differ(first, second):
        return False
    # What stands in the place of what depends on which of them is taken apart.
    return _differ_in_one(first, second) or _differ_in_one(second, first)


def _differ_in_one(first: str, second: str) -> bool:
    """Whether one number stands in the place of another, and no name in that of another."""
    text = read_passages([Passage(second, "", "", "file")])
    replaced = align_claim(read_claim(first), text).replacements
    if any(_has_names(replacement) for replacement in replaced):
        return False
    return len(list(_other_numbers(replaced))) == 1


def _other_numbers(replaced: Sequence[Replacement]) -> Iterator[tuple[str, str]]:
    """The numbers that stand in the place of another one."""
    for replacement in replaced:
        ours = [unit.key for unit in replacement.ours if unit.kind == "number"]
        theirs = [unit.key for unit in replacement.theirs if unit.kind == "number"]
        yield from zip(ours, theirs, strict=False)


def _has_names(replacement: Replacement) -> bool:
    """Whether another name stands in the place of a name: then they speak of different things."""
    return any(u.kind == "name" for u in replacement.ours) and any(u.kind == "name" for u in replacement.theirs)


def _names_differ(first: str, second: str) -> bool:
    """Whether each has a name that the other one lacks: then they tell of two events, in much the same words."""
    ours, theirs = analyse_statement(first), analyse_statement(second)
    return _has_name_without(ours, theirs) and _has_name_without(theirs, ours)


def _has_name_without(ours: Statement, theirs: Statement) -> bool:
    return any(token.name and not theirs.has_word(token.word) for token in ours.content_words)


def _says_all(first: str, second: str) -> bool:
    """Whether either sentence has all numbers of the other, which then only tells more."""
    ours, theirs = analyse_statement(first).quantities, analyse_statement(second).quantities
    offered = [frozenset().union(*(q.offered for q in quantities)) for quantities in (ours, theirs)]
    return all(q.required & offered[1] for q in ours) or all(q.required & offered[0] for q in theirs)


def _share_words(first: str, second: str) -> bool:
    ours, theirs = analyse_statement(first), analyse_statement(second)
    shares = [
        sum(other.has_word(token.word) for token in one.content_words) / max(len(one.content_words), 1)
        for one, other in ((ours, theirs), (theirs, ours))
    ]
    return min(shares) >= MIN_SHARED_WORDS
