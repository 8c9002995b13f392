"""Which results and which passages are nearest to a question, by meaning where an embedder can be had."""

import asyncio
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.chunk_size import ChunkShape
from rag.chunking import split_text
from rag.documents import Document, Passage, contextual_text, text_hash
from rag.embedding.base import EmbeddedTexts, Embedder, cosine_similarities, whole
from rag.search.rare_words import RareWords
from rag.search.selection import collapse_duplicates
from tools.web.fallback import SearchResult
from utils.errors import EmbedderUnavailable

MAX_PASSAGES_EMBEDDED = 40
"""Chunks of a page that are compared by meaning: those with the question's rarest words. MiniLM embeds some 50 chunks a
second on two cores, and a page of 10 MB has 20,000."""


@dataclass(frozen=True)
class RankedResult:
    """A result with its cosine to the user's question and to the query, None where no vectors can be made."""

    result: SearchResult
    similarity: float | None = None
    to_query: float = 0.0


@dataclass(frozen=True)
class RankedPassages:
    """The passages of a document."""

    best: list[Passage]
    """Those that were compared with the question, best first, near-duplicates once."""
    in_order: list[Passage]
    """All of them."""
    embedded: EmbeddedTexts | None = None
    """What was embedded for that, as the library embeds it; None where no vectors can be made."""


class Ranker:
    """Puts results and passages into an order; without an embedder by common words, and `trouble` says why."""

    def __init__(self, embedder: Embedder, shape: ChunkShape = ChunkShape()) -> None:
        self.trouble = ""
        self._embedder = embedder
        self._shape = shape

    async def rank_results(self, question: str, query: str, results: Sequence[SearchResult]) -> list[RankedResult]:
        """Results, those most similar to the question first; without an embedder in their own order."""
        texts = [f"{result.title}. {result.snippet}" for result in results]
        scores = await self._compare_texts([question, query], texts)
        if scores is None or not await self._reads_language(query):
            return [RankedResult(result) for result in results]
        ranked = [RankedResult(*row) for row in zip(results, *scores, strict=True)]
        return sorted(ranked, key=lambda r: -(r.similarity or 0.0))

    async def rank_passages(self, question: str, document: Document) -> RankedPassages:
        """The passages of a document; what is embedded of them is what the library embeds when it takes them."""
        passages = await self.cut_document(document)
        texts = [passage.text for passage in passages]
        chosen = await asyncio.to_thread(nearest_by_words, question, texts, MAX_PASSAGES_EMBEDDED)
        compared = await self._compare(question, [passages[index] for index in chosen])
        if compared is None:
            return RankedPassages([passages[index] for index in chosen], passages)
        scores, embedded = compared
        if not await self._reads_language(question):
            rare = RareWords(question, texts)
            scores = [rare.share_of(f"{document.title} {texts[index]}") for index in chosen]
        for index, score in zip(chosen, scores, strict=True):
            passages[index] = replace(passages[index], similarity=score)
        best = sorted((passages[index] for index in chosen), key=lambda passage: -passage.similarity)
        return RankedPassages(collapse_duplicates(best), passages, embedded)

    async def _compare(self, question: str, passages: Sequence[Passage]) -> tuple[list[float], EmbeddedTexts] | None:
        """The cosine of each passage and the question, and what was embedded; None if no vectors can be made."""
        texts = [whole(contextual_text(passage.title, passage.heading, passage.text)) for passage in passages]
        try:
            [aim] = await self._embedder.embed_questions([question])
            pieces = await self._embedder.embed_pieces(texts)
        except EmbedderUnavailable as error:
            self.trouble = error.problem
            return None
        scores = [float(cosine_similarities(aim, rows).max()) for rows in pieces]
        return scores, EmbeddedTexts(self._embedder.fingerprint, dict(zip(map(text_hash, texts), pieces, strict=True)))

    async def cut_document(self, document: Document) -> list[Passage]:
        """A document's passages, cut as the library cuts them; without an embedder by characters."""
        shape, measure = self._shape, None
        if shape.unit == "tokens":
            try:
                measure = await self._embedder.make_counter()
            except EmbedderUnavailable as error:
                self.trouble = error.problem
                shape = ChunkShape()
        chunks = await asyncio.to_thread(split_text, document.text, document.media_type, shape, measure)
        return [
            Passage(
                text=chunk.text,
                source=document.source,
                title=document.title,
                origin=document.origin,
                chunk_index=chunk.index,
                total_chunks=len(chunks),
                fetched=document.fetched,
                media_type=document.media_type,
                start=chunk.start,
                end=chunk.end,
                heading=chunk.heading,
                published=document.properties.published,
            )
            for chunk in chunks
        ]

    async def _reads_language(self, text: str) -> bool:
        """Whether vectors say anything of a text: else the order of the engine, or the words, say more."""
        try:
            return await self._embedder.reads_language(text)
        except EmbedderUnavailable:
            return False

    async def _compare_texts(self, aims: Sequence[str], texts: Sequence[str]) -> list[list[float]] | None:
        """For each aim its cosine with every text; None if no vectors can be made."""
        if not texts:
            return [[] for _ in aims]
        try:
            vectors = await self._embedder.embed([*aims, *texts])
        except EmbedderUnavailable as error:
            self.trouble = error.problem
            return None
        return [cosine_similarities(vectors[row], vectors[len(aims) :]).tolist() for row in range(len(aims))]


def nearest_by_words(question: str, texts: Sequence[str], limit: int) -> list[int]:
    """Indexes of the texts that share the rarest words with the question, best first; those without any in order.

    A word counts by the logarithm of how rare it is among the texts (inverse document frequency).
    """
    wanted = _words_in(question)
    found = [_words_in(text) & wanted for text in texts]
    spread = Counter(word for words in found for word in words)
    weights = {word: math.log(1 + len(texts) / count) for word, count in spread.items()}
    scores = [sum(weights[word] for word in words) for words in found]
    return sorted(range(len(texts)), key=lambda index: (-scores[index], index))[:limit]


def _words_in(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
