"""Whether passages say a sentence: a probability, from what can be seen of both, or from a model of the user's."""

import re
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from chatbot.citations.alignment import Alignment
from chatbot.citations.claims import Claim, is_foreign, read_claim, read_passages
from chatbot.citations.support import Likeness, align_claim, support_features
from chatbot.citations.weights import load_weights
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.sentences import split_sentences
from chatbot.settings import CitationSettings
from rag.documents import Passage
from rag.embedding.base import Embedder, Vectors
from rag.search.cross_encoder import EntailmentModel
from utils.network.model_hub import Hub

THRESHOLD = 0.5
"""The weights' bias is set so that this is where the measured false alarms are below 5 in 100."""
REPLACED = 2
"""Replaced words of a sentence that are compared by their vectors."""
_NUMBERS = re.compile(r"(?:(?<!\s)\s+)?(?:~~)?\[\d{1,3}(?:, ?\d{1,3})*\](?:~~)?")
_MARKS = re.compile(r"^\s*(?:#{1,6}|[-*+]|\d{1,3}[.)]|>|\|)\s+|\*\*|__|`|\|")
_LINK = re.compile(r"\[([^\[\]]*)\]\([^)\[]*\)")


class CitationChecker(Protocol):
    """Says how likely it is that passages say a sentence."""

    threshold: float
    """Probability below which a number behind the sentence is wrong."""

    async def support_probability(self, sentence: str, passages: Sequence[Passage], question: str = "") -> float:
        """The probability that the passages together say the sentence, which answers the question; 0 to 1."""
        ...


class FittedChecker:
    """Weighs numbers, names, negations, words and likeness, with weights that `benchmarks.fit_citations` fitted."""

    def __init__(self, embedder: Embedder, threshold: float | None = None) -> None:
        self.threshold = THRESHOLD if threshold is None else threshold
        self._finder = EvidenceFinder(embedder)

    async def support_probability(
        self, sentence: str, passages: Sequence[Passage], question: str = "", *, log_odds: float | None = None
    ) -> float:
        """The probability that the passages say the sentence; `log_odds` is a language model's word for it, if asked.

        Raises `EmbedderUnavailable`.
        """
        said = plain_sentence(sentence)
        if not passages or not said:
            return 0.0
        claim, text = read_claim(said, question), read_passages(passages)
        alignment = align_claim(claim, text)
        likeness = await self._measure_likeness(claim, alignment, passages)
        weights = load_weights()["foreign" if is_foreign(claim, text) else "same"]
        return weights.support_probability(support_features(claim, text, alignment, likeness), log_odds)

    async def _measure_likeness(self, claim: Claim, alignment: Alignment, passages: Sequence[Passage]) -> Likeness:
        wanted = texts_to_compare(claim, alignment, passages)
        return compute_likeness(
            claim, alignment, passages, dict(zip(wanted, await self._finder.embed_texts(wanted), strict=True))
        )


def texts_to_compare(claim: Claim, alignment: Alignment, passages: Sequence[Passage]) -> list[str]:
    """The texts whose vectors `likeness` needs, each once."""
    phrases = [phrase for replacement in alignment.heaviest_replacements(REPLACED) for phrase in replacement.phrases]
    sentences = [sentence for passage in passages for sentence in split_sentences(passage.text)]
    return list(dict.fromkeys([claim.statement.text, claim.question_and_sentence, *sentences, *phrases]))


def compute_likeness(
    claim: Claim, alignment: Alignment, passages: Sequence[Passage], vectors: Mapping[str, Vectors]
) -> Likeness:
    """How alike sentence and passages are, by the vectors of their texts."""
    sentences = [vectors[sentence] for passage in passages for sentence in split_sentences(passage.text)]
    pairs = [replacement.phrases for replacement in alignment.heaviest_replacements(REPLACED)]
    replaced = min((float(vectors[ours] @ vectors[theirs]) for ours, theirs in pairs), default=1.0)
    if not sentences:
        return Likeness(replaced=replaced)
    there = np.stack(sentences)
    said, asked = vectors[claim.statement.text], vectors[claim.question_and_sentence]
    return Likeness(float(np.max(there @ said)), float(np.max(there @ asked)), replaced)


class NliChecker:
    """A cross-encoder of the user's that tells entailment; it reads the title and the text of the passages."""

    def __init__(self, model: str, threshold: float | None = None, hub: Hub | None = None) -> None:
        self.threshold = THRESHOLD if threshold is None else threshold
        self._model = EntailmentModel(model, hub)

    async def support_probability(self, sentence: str, passages: Sequence[Passage], question: str = "") -> float:
        """The model's probability of entailment, the best of the passages alone and together; raises `LibraryError`."""
        said = plain_sentence(sentence)
        if not passages or not said:
            return 0.0
        texts = [f"{passage.headed_title}\n{passage.text}".strip() for passage in passages]
        if len(texts) > 1:
            texts.append("\n\n".join(texts))
        # A bare answer says nothing without its question.
        hypothesis = f"{question} {said}" if question and len(said.split()) < 4 else said
        return max(await self._model.entailment_probabilities([(text, hypothesis) for text in texts]))


def plain_sentence(sentence: str) -> str:
    """A sentence without numbers of sources and without Markdown."""
    return " ".join(_MARKS.sub(" ", _LINK.sub(r"\1", _NUMBERS.sub("", sentence))).split())


def make_checker(settings: CitationSettings, embedder: Embedder, hub: Hub | None = None) -> CitationChecker | None:
    """What checks citations by the settings; None where nothing does. Nothing is loaded yet."""
    if not settings.check:
        return None
    if settings.checker:
        return NliChecker(settings.checker, settings.threshold, hub)
    return FittedChecker(embedder, settings.threshold)
