"""What an answer is written from: the evidence of a turn, and whether it says the answer at all."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chatbot.fence import fenced
from chatbot.messages import Source
from chatbot.models.base import LanguageModel
from chatbot.models.dialogue import Turn
from chatbot.models.fewshot import clip, load_prompt
from chatbot.models.pipeline.evidence import LOOKED_AT, Evidence, EvidenceFinder
from chatbot.models.pipeline.router import TOOL_WORDS
from rag.embedding import Vectors

FLOOR = 0.5
"""Cosine of question and best sentence below which a passage is taken not to hold the answer."""
GAIN = 0.07
"""How much nearer to the question two passages must be together than the better one is: 96 of 100 questions that one
passage answers stay below, while those that compare two things reach it."""
CERTAIN = 3.0
"""Log-odds of yes beyond which a model's word weighs no more."""
VERDICTS = {"1.5b": (9.0, 1.0, -3.5)}
"""By a part of the model's name: weights of likeness and of the model's log-odds of yes, and the bias.

Set by hand after some 25 questions, the bias then moved by what the fence around a passage takes from the log-odds
(0.33, the mean of 42). On the 150 of `answering/questions.jsonl` .05 were wrongly refused and .66 rightly; by likeness
alone .09 and .62.
"""
PASSAGES = 3
"""Passages that one answer is written from at most."""
MARGIN = 0.2
"""How much liker a document's title than its best sentence a request for the document as a whole is: 1 of 180
questions that have an answer in it, 4 of 130 that have none."""
HEAD = 3
"""Passages of a page that are read when none of its sentences is like the request: a summary, a translation."""
READ = 1500
"""Characters of the text of a tool that hands out no passages."""
PAGE = "fetch_url_content"


@dataclass(frozen=True)
class Reading:
    """A text that stands before the question, and the numbers of the passages in it."""

    text: str
    numbers: tuple[int, ...] = ()
    outside: bool = True
    """Whether anyone but the user wrote it."""

    @property
    def prompt_text(self) -> str:
        """The text as a prompt has it."""
        return fenced(self.text) if self.outside else self.text


async def read(model: LanguageModel, finder: EvidenceFinder, turn: Turn) -> Reading | None:
    """What the turn's calls brought that answers its question; None when nothing does."""
    question = turn.question.content
    ranked = await finder.rank(question, turn.first_sources(LOOKED_AT))
    if ranked:
        asked = (await finder.embed([question]))[0]
        chosen = choose_passages(asked, ranked)
        alike = together(asked, chosen)
        if await answers(model, question, join(chosen), alike):
            return join(chosen)
        if whole := await whole_document(finder, turn, ranked, asked):
            return whole
    return told(turn)


def choose_passages(asked: Vectors, ranked: Sequence[Evidence]) -> list[Evidence]:
    """The passage with the best sentence, and others that together with it are nearer to the question."""
    chosen = list(ranked[:1])
    for evidence in ranked[1:]:
        gain = together(asked, [*chosen, evidence]) - together(asked, chosen)
        if evidence.similarity >= FLOOR and gain >= GAIN and len(chosen) < PASSAGES:
            chosen.append(evidence)
    return chosen


def together(asked: Vectors, evidence: Sequence[Evidence]) -> float:
    """Cosine of a question and the sum of the best sentences."""
    total = np.sum([e.vector for e in evidence], axis=0)
    return float(asked @ total / np.linalg.norm(total))


async def answers(model: LanguageModel, question: str, reading: Reading, alike: float) -> bool:
    """Whether a reading says the answer: by its likeness and, where weights were fitted, by what the model says.

    The model is asked only where its word can turn the scale: reading the passage once more costs 1 to 3 s.
    """
    name = (await model.describe()).name.lower()
    weights = next((VERDICTS[size] for size in VERDICTS if size in name), None)
    if weights is None:
        return alike >= FLOOR
    slope, weight, bias = weights
    score = slope * alike + bias
    if abs(score) > weight * CERTAIN:
        return score > 0
    said = await model.choose(load_prompt("check").ask(passage=reading.prompt_text, question=question), ("yes", "no"))
    return score + weight * certainty(said["yes"]) > 0


def certainty(share: float) -> float:
    """Logarithm of the odds, cut at `CERTAIN` on either side."""
    odds = math.log(max(share, 1e-9) / max(1 - share, 1e-9))
    return max(-CERTAIN, min(CERTAIN, odds))


async def whole_document(
    finder: EvidenceFinder, turn: Turn, ranked: Sequence[Evidence], asked: Vectors
) -> Reading | None:
    """The beginning of a page that was opened, or of the document that a request names."""
    opened = [s for m in turn.results if m.tool_name == PAGE for s in m.sources]
    if not opened:
        titles = [e.source.passage.title for e in ranked]
        alike = (await finder.embed(titles)) @ asked
        likest = int(np.argmax(alike))
        if alike[likest] < FLOOR or alike[likest] < ranked[0].similarity + MARGIN:
            return None
        named = ranked[likest].source.passage.source
        opened = [e.source for e in ranked if e.source.passage.source == named]
    head = sorted(opened, key=lambda source: source.passage.chunk_index)[:HEAD]
    return join(in_order(await finder.rank(turn.question.content, head), head))


def join(evidence: Sequence[Evidence]) -> Reading:
    """Several passages as one reading."""
    return Reading("\n".join(e.text for e in evidence), tuple(e.source.number for e in evidence))


def told(turn: Turn) -> Reading | None:
    """What tools said that hand out no passages: the user's own, an MCP server's."""
    texts = [m.content for m in turn.results if m.tool_name not in TOOL_WORDS and not m.sources]
    return Reading(clip("\n".join(texts), READ)) if texts else None


async def cited_reading(finder: EvidenceFinder, turn: Turn) -> Reading | None:
    """What the answer of a past turn was written from, in the very words that were sent."""
    if not turn.cited:
        return told(turn)
    return join(in_order(await finder.rank(turn.question.content, turn.cited), turn.cited))


def in_order(evidence: Sequence[Evidence], sources: Sequence[Source]) -> list[Evidence]:
    """The evidence in the order of its sources."""
    order = [source.number for source in sources]
    return sorted(evidence, key=lambda e: order.index(e.source.number))
