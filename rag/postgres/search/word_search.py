"""BM25 in SQL, over chunks and over whole documents, as the keyword index of a library on one machine reckons it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.indexes.exact import Hits
from rag.indexes.keywords import COMMON, MANY_RECORDS
from rag.postgres.database import PostgresDatabase, Row
from rag.postgres.search.filter_conditions import passing_documents
from rag.postgres.search.records import CHUNK_TOTAL, DOCUMENT_TOTAL, LANGUAGE_TOTAL, vectors_of
from rag.postgres.search.terms import storable_term
from rag.postgres.search.vector_search import VectorSearch
from rag.search.candidates import HELD
from rag.search.query_terms import QueryTerms
from rag.stored import Filters

SATURATION, LENGTH_SHARE = 1.2, 0.75
"""BM25's k1 and b, as tantivy has them."""
_TERM_ROW, _CHUNK_ROW, _DOCUMENT_ROW, _EXACT_ROW, _LANGUAGE_ROW, _STATE_ROW = range(6)


@dataclass
class WordHits:
    """What the words of a question find, and what else was to be known of the collection at that moment."""

    rarity: dict[str, float] = field(default_factory=dict)
    """The inverse document frequency, among chunks, of each term that is looked up."""
    chunks: Hits = field(default_factory=list)
    """The best chunks with their BM25."""
    documents: dict[int, float] = field(default_factory=dict)
    """The best documents with their BM25."""
    exact: dict[int, Hits] = field(default_factory=lambda: defaultdict(list))
    """For each part that is to be found exactly, by its place, the chunks that have all of its terms."""
    passing: set[int] = field(default_factory=set)
    """Those of these chunks whose documents pass the filters."""
    languages: list[str] = field(default_factory=list)
    """What documents are written in, by code."""
    lacking: bool = False
    """Whether chunks have no vector."""
    has_graph: bool = False
    """Whether there is an index of the vectors."""
    may_write: bool = False
    """Whether this role may embed them."""


class WordSearch:
    """The words of one collection."""

    def __init__(self, database: PostgresDatabase, vectors: VectorSearch) -> None:
        """`vectors` are those that are searched beside them."""
        self._database = database
        self._vectors = vectors

    def find_words(self, asked: QueryTerms, depth: int, filters: Filters) -> WordHits:
        """Look the words of a question up, so many chunks and documents of each way."""
        weights = {storable_term(term): weight for term, weight in asked.term_weights.items()}
        held = [(part, storable_term(term)) for part, (_, terms) in enumerate(asked.exact) for term in set(terms)]
        terms = list({**weights, **dict.fromkeys(term for _, term in held)})
        passing, values = passing_documents(filters)
        values |= {
            "collection": self._vectors.collection,
            "terms": terms,
            "weights": [weights.get(term) for term in terms],
            "depth": depth,
            "parts": [part for part, _ in held],
            "part_terms": [term for _, term in held],
            "vectors": vectors_of(self._vectors.fingerprint),
            "graph": self._vectors.graph,
        }
        query = _query_of(passing, bool(held), self._database.spread)
        return _read_hits(self._database.read(query, values))


def _read_hits(rows: Sequence[Row]) -> WordHits:
    found = WordHits()
    for kind, key, name, score, told in rows:
        if kind == _TERM_ROW:
            found.rarity[name] = score
        elif kind == _CHUNK_ROW:
            found.chunks.append((key, score))
        elif kind == _DOCUMENT_ROW:
            found.documents[key] = score
        elif kind == _EXACT_ROW:
            found.exact[int(name)].append((key, score))
            found.passing |= {key} if told else set()
        elif kind == _LANGUAGE_ROW:
            found.languages += [name] if name else []
        else:
            found.lacking, found.has_graph, found.may_write = (bool(key & bit) for bit in (1, 2, 4))
    return found


def _query_of(passing: str, exact: bool, spread: bool) -> str:
    """The statement; `passing` is a query of the documents that are let through, `spread` whether Citus has the tables.

    There each server scores what it has, and reads it several times: read once, as one server best does, all of it
    would go to the coordinator. What is to be found exactly goes there, as Citus would otherwise misread its statement.
    """
    weighed = _WEIGHED.format(kept="NOT MATERIALIZED" if spread and not exact else "MATERIALIZED")
    wanted = "JOIN passing f ON f.id = p.document" if passing else ""
    parts = [
        f"SELECT {_TERM_ROW}, 0::bigint, term, chunk_rarity, TRUE FROM weighed WHERE chunk_weight IS NOT NULL",
        f"SELECT {_CHUNK_ROW}, c.id, '', b.score, TRUE FROM best_chunks b"
        " JOIN chunks c ON c.document = b.document AND c.ordinal = b.ordinal",
        f"SELECT {_DOCUMENT_ROW}, document, '', score, TRUE FROM best_documents",
        f"SELECT {_LANGUAGE_ROW}, 0, substr(counted, {len(LANGUAGE_TOTAL) + 1}), 0, TRUE FROM totals"
        f" WHERE collection = %(collection)s AND starts_with(counted, '{LANGUAGE_TOTAL}') AND records > 0",
        _TOLD_STATE,
    ]
    more = ""
    if exact:
        passes = "h.document IN (SELECT id FROM passing)" if passing else "TRUE"
        more = _HOLDING
        parts.append(
            f"SELECT {_EXACT_ROW}, c.id, h.part::text, h.score, {passes} FROM holding h"
            f" JOIN chunks c ON c.document = h.document AND c.ordinal = h.ordinal WHERE h.rank <= {HELD}"
        )
    beginning = f"WITH {f'passing AS MATERIALIZED ({passing}), ' if passing else ''}"
    ordered = (
        f"SELECT * FROM ({' UNION ALL '.join(parts)}) found (kind, key, name, score, told) ORDER BY 1, 4 DESC, 2, 3"
    )
    return f"{beginning}{weighed}{_BEST.format(wanted=wanted)}{more} {ordered}"


def _score(weight: str, count: str, length: str, average: str) -> str:
    """What a term gives a text that has it so often."""
    share = f"{1 - LENGTH_SHARE} + {LENGTH_SHARE}::float8 * ({length}) / {average}"
    return f"{weight} * {1 + SATURATION} * ({count}) / (({count}) + {SATURATION} * ({share}))"


def _rarity(records: str, having: str) -> str:
    return f"ln(1 + (greatest({records} - {having}, 0) + 0.5) / ({having} + 0.5))"


def _telling(records: str, having: str) -> str:
    """Whether a term is looked up: of many records no common one, but where there are no others."""
    common = f"{having} <= {COMMON} * {records}"
    return f"({records} < {MANY_RECORDS} OR {common} OR NOT bool_or({common}) OVER ())"


_COUNT_IN, _LENGTH_IN = "place >> 16 & 65535", "place & 65535"
_AVERAGE = "(s.chunk_terms / greatest(s.chunks, 1))"
_WEIGHED = f"""sizes AS (
    SELECT coalesce(max(records) FILTER (WHERE counted = '{DOCUMENT_TOTAL}'), 0)::float8 AS documents,
        coalesce(max(records) FILTER (WHERE counted = '{CHUNK_TOTAL}'), 0)::float8 AS chunks,
        greatest(max(terms) FILTER (WHERE counted = '{DOCUMENT_TOTAL}'), 1)::float8 AS document_terms,
        greatest(max(terms) FILTER (WHERE counted = '{CHUNK_TOTAL}'), 1)::float8 AS chunk_terms,
        coalesce(max(records) FILTER (WHERE counted = %(vectors)s), 0) AS vectors
    FROM totals WHERE collection = %(collection)s
), postings AS {{kept}} (
    SELECT term, document, frequency, length, places FROM terms
    WHERE collection = %(collection)s AND term = ANY(%(terms)s::text[])
), had AS (
    SELECT term, count(*) FILTER (WHERE frequency > 0) AS documents, sum(cardinality(places)) AS chunks
    FROM postings GROUP BY term
), counted AS (
    SELECT a.term, a.weight, coalesce(h.documents, 0)::float8 AS documents, coalesce(h.chunks, 0)::float8 AS chunks
    FROM unnest(%(terms)s::text[], %(weights)s::float8[]) AS a (term, weight) LEFT JOIN had h ON h.term = a.term
), weighed AS MATERIALIZED (
    SELECT term, {_rarity("s.chunks", "c.chunks")} AS chunk_rarity,
        CASE WHEN {_telling("s.chunks", "c.chunks")}
            THEN weight * {_rarity("s.chunks", "c.chunks")} END AS chunk_weight,
        CASE WHEN {_telling("s.documents", "c.documents")}
            THEN weight * {_rarity("s.documents", "c.documents")} END AS document_weight,
        s.chunk_terms / greatest(s.chunks, 1) AS chunk_average,
        s.document_terms / greatest(s.documents, 1) AS document_average
    FROM counted c, sizes s WHERE weight IS NOT NULL
)"""
_BEST = f""", best_chunks AS (
    SELECT p.document, (place >> 32)::integer AS ordinal,
        sum({_score("w.chunk_weight", _COUNT_IN, _LENGTH_IN, "w.chunk_average")}) AS score
    FROM (SELECT term, document, unnest(places) AS place FROM postings) p JOIN weighed w ON w.term = p.term {{wanted}}
    WHERE w.chunk_weight IS NOT NULL GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2 LIMIT %(depth)s
), best_documents AS (
    SELECT p.document, sum({_score("w.document_weight", "p.frequency", "p.length", "w.document_average")}) AS score
    FROM postings p JOIN weighed w ON w.term = p.term {{wanted}}
    WHERE w.document_weight IS NOT NULL AND p.frequency > 0 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %(depth)s
)"""
_HOLDING = f""", holding AS (
    SELECT part, document, ordinal, score,
        row_number() OVER (PARTITION BY part ORDER BY score DESC, document, ordinal) AS rank
    FROM (
        SELECT h.part, p.document, (place >> 32)::integer AS ordinal, count(*) AS said,
            sum({_score(_rarity("s.chunks", "c.chunks"), _COUNT_IN, _LENGTH_IN, _AVERAGE)}) AS score
        FROM unnest(%(parts)s::integer[], %(part_terms)s::text[]) AS h (part, term)
            JOIN postings p ON p.term = h.term JOIN counted c ON c.term = h.term, sizes s, unnest(p.places) AS place
        GROUP BY 1, 2, 3
    ) had
    WHERE said = (SELECT count(*) FROM unnest(%(parts)s::integer[]) AS every (part) WHERE every.part = had.part)
)"""
_TOLD_STATE = (
    f"SELECT {_STATE_ROW}, (CASE WHEN s.vectors < s.chunks THEN 1 ELSE 0 END)"
    " + (CASE WHEN EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(%(graph)s) AND indisvalid)"
    " THEN 2 ELSE 0 END) + (CASE WHEN has_table_privilege('chunk_vectors', 'INSERT') THEN 4 ELSE 0 END)::bigint,"
    " '', 0, TRUE FROM sizes s"
)
