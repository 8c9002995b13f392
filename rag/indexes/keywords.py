"""The keyword index: BM25 over chunks and over whole documents; the only importer of tantivy."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tantivy

from rag.indexes.exact import Hits
from rag.indexes.index_sync import IndexBroken
from rag.search.tokenization import text_terms
from rag.stored import Removal, TextEntry

HEAP = 32_000_000
"""Bytes in which new records are collected before they are written; tantivy takes no fewer than 15 MB."""

Words = Sequence[str] | Mapping[str, float]
"""Terms, and how much each counts where that is not the same."""
MANY_RECORDS = 10_000
"""Records from which on common terms are looked up no longer."""
COMMON = 0.5
"""Share of the records in which a term is common: it then weighs less than ln 2, and its list is long. Of 100,000
records a question's 100 best are found in 1.1 ms in the place of 2.7."""


class KeywordIndex:
    """Terms of chunks and of documents, on disk in a folder or in memory; called by one thread at a time.

    A document is a record of its own: long documents would otherwise be known by one chunk's words only.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.chunks = TermIndex(folder / "chunks" if folder else None)
        self.documents = TermIndex(folder / "documents" if folder else None)

    def add(self, entries: Sequence[TextEntry]) -> None:
        """Take in chunks, and with its first chunk the document; `settle` makes them found."""
        for entry in entries:
            self.chunks.add(entry.id, text_terms(entry.text, entry.language))
            if entry.document is not None:
                self.documents.add(entry.id, text_terms(entry.document, entry.language))

    def delete(self, removals: Sequence[Removal]) -> None:
        """Forget chunks, and with its first chunk a document."""
        for removal in removals:
            self.chunks.delete(removal.chunk)
            self.documents.delete(removal.chunk)

    def settle(self) -> None:
        """Write what was added and deleted, so that it is found."""
        self.chunks.settle()
        self.documents.settle()

    def ids(self) -> set[int]:
        """The chunks that it knows."""
        return self.chunks.record_numbers()

    def close(self) -> None:
        """Let go of files."""
        self.chunks.close()
        self.documents.close()


class TermIndex:
    """Records of terms by number, searched by BM25; as long as it is only asked its files stay as they are."""

    def __init__(self, folder: Path | None) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_integer_field("number", indexed=True, fast=True)
        builder.add_text_field("terms", tokenizer_name="whitespace", index_option="freq")
        self._schema = builder.build()
        with translate_tantivy_errors():
            if folder is not None:
                folder.mkdir(parents=True, exist_ok=True)
            self._index = tantivy.Index(self._schema, str(folder) if folder else None)
            self._writer: tantivy.IndexWriter | None = None
            self._searcher = self._index.searcher()

    def _open_writer(self) -> tantivy.IndexWriter:
        if self._writer is None:
            self._writer = self._index.writer(HEAP, 1)
        return self._writer

    def add(self, number: int, words: Sequence[str]) -> None:
        """Add a record."""
        record = tantivy.Document()
        record.add_integer("number", number)
        record.add_text("terms", " ".join(words))
        with translate_tantivy_errors():
            self._open_writer().add_document(record)

    def delete(self, number: int) -> None:
        """Delete the record, if there is one."""
        with translate_tantivy_errors():
            self._open_writer().delete_documents_by_term("number", number)

    def settle(self) -> None:
        """Write what was added and deleted, so that it is found."""
        with translate_tantivy_errors():
            self._open_writer().commit()
            self._index.reload()
            self._searcher = self._index.searcher()

    def query(self, words: Words, limit: int, every: bool = False) -> Hits:
        """At most `limit` numbers of records that have any of the terms, or each, with their BM25 score, best first.

        A term may count more than once.
        """
        if not words or not limit:
            return []
        weights = words if isinstance(words, Mapping) else dict.fromkeys(words, 1.0)
        occur = tantivy.Occur.Must if every else tantivy.Occur.Should
        with translate_tantivy_errors():
            asked = weights if every else self._telling_words(list(weights))
            parts = [(occur, self._counting_query(word, weights[word])) for word in asked]
            found = self._searcher.search(tantivy.Query.boolean_query(parts), limit, count=False).hits
            return list(zip(self._numbers_at(found), (score for score, _ in found), strict=True))

    def _counting_query(self, word: str, weight: float) -> tantivy.Query:
        query = tantivy.Query.term_query(self._schema, "terms", word, "freq")
        return query if weight == 1.0 else tantivy.Query.boost_query(query, weight)

    def _telling_words(self, words: Sequence[str]) -> dict[str, int]:
        """How many records have each word that is looked up: no common ones, but with few records or no others."""
        known = {word: self._searcher.doc_freq("terms", word) for word in words}
        if self._searcher.num_docs < MANY_RECORDS:
            return known
        most = COMMON * self._searcher.num_docs
        return {word: n for word, n in known.items() if n <= most} or known

    def record_numbers(self) -> set[int]:
        """Of all records."""
        with translate_tantivy_errors():
            found = self._searcher.search(tantivy.Query.all_query(), max(1, self._searcher.num_docs), count=False).hits
            return set(self._numbers_at(found))

    def _numbers_at(self, found: Sequence[tuple[Any, tantivy.DocAddress]]) -> list[int]:
        values: Any = self._searcher.fast_field_values("number", [address for _, address in found])
        return [int(value) for value in values]

    def term_rarity(self, words: Sequence[str]) -> dict[str, float]:
        """The inverse document frequency of each term that is looked up, as BM25 has it.

        That is ln(1 + (N - n + 0.5) / (n + 0.5)) of N records, n of which have the term.
        """
        with translate_tantivy_errors():
            known = self._telling_words(words)
        total = self._searcher.num_docs
        return {word: math.log(1 + (max(total - n, 0) + 0.5) / (n + 0.5)) for word, n in known.items()}

    def close(self) -> None:
        """Wait for merges under way and let go of files."""
        if self._writer is not None:
            with translate_tantivy_errors():
                self._writer.wait_merging_threads()


@contextmanager
def translate_tantivy_errors() -> Iterator[None]:
    """Turn every failure of tantivy into `IndexBroken`."""
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:
        raise IndexBroken(str(error)) from error
