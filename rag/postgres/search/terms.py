"""The terms of a document and of its chunks, as the tables of the search have them."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from rag.documents import Chunk, contextual_text
from rag.search.tokenization import text_terms

LONGEST_TERM = 200
"""Characters of a term; what is longer, which no index could hold, stands for itself by its digest."""
EXACT_LENGTHS = 24
"""Lengths in terms up to which none is rounded."""
LENGTH_BITS = 4
"""Of what a length has beyond that, so many bits are kept, as Lucene and tantivy do in a byte."""
_FULL = 0xFFFF


@dataclass(frozen=True)
class DocumentTerms:
    """What keyword search knows of a document."""

    rows: Sequence[tuple[str, int, int, list[int]]]
    """Each term with how often the text has it, the length of the text, and its places in the chunks."""
    terms: int
    """How many there are in the text."""
    chunks: int
    """How many chunks there are."""
    chunk_terms: int
    """How many terms there are in all of these."""
    language: str
    """In which they are stemmed."""


def find_terms(title: str, text: str, chunks: Sequence[Chunk], language: str) -> DocumentTerms:
    """The terms of a document and of its chunks, in each of which stand its title and headings."""
    whole = Counter(map(storable_term, text_terms(f"{title}\n{text}", language)))
    places = defaultdict[str, list[int]](list)
    chunk_terms = 0
    for chunk in chunks:
        counted = Counter(map(storable_term, text_terms(contextual_text(title, chunk.heading, chunk.text), language)))
        # Once, not for each term: added up anew for each they took most of the time that a document takes.
        total = counted.total()
        chunk_terms += total
        for term, count in counted.items():
            places[term].append(place_of(chunk.index, count, total))
    length = round_length(whole.total())
    rows = [(term, whole[term], length, places.get(term, [])) for term in sorted({*whole, *places})]
    return DocumentTerms(rows, whole.total(), len(chunks), chunk_terms, language)


def storable_term(term: str) -> str:
    """The term as the tables have it."""
    if len(term) <= LONGEST_TERM:
        return term
    return f"{term[:LONGEST_TERM]}…{hashlib.sha256(term.encode(errors='replace')).hexdigest()}"


def place_of(ordinal: int, count: int, length: int) -> int:
    """A chunk in which a term stands, how often, and how many terms that chunk has, rounded: in one number."""
    return ordinal << 32 | min(count, _FULL) << 16 | min(round_length(length), _FULL)


def round_length(length: int) -> int:
    """A length as BM25 is reckoned with it."""
    beyond = length - EXACT_LENGTHS
    if beyond <= 0:
        return length
    lost = max(beyond.bit_length() - LENGTH_BITS, 0)
    return EXACT_LENGTHS + (beyond >> lost << lost)
