"""What an answer is written from: the evidence of a turn, and whether it says the answer at all."""

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.models.base import LanguageModel
from chatbot.models.dialogue import Turn
from chatbot.models.evidence import LOOKED_AT, Evidence, EvidenceFinder
from chatbot.models.fewshot import clip
from chatbot.models.router import TOOL_WORDS

FLOOR = 0.5
"""Cosine of question and best sentence below which a passage is taken not to hold the answer."""
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


async def read(model: LanguageModel, finder: EvidenceFinder, turn: Turn) -> Reading | None:
    """What the turn's calls brought that answers its question; None when nothing does."""
    ranked = await finder.rank(turn.question.content, turn.first_sources(LOOKED_AT))
    if ranked and await answers(model, turn.question.content, ranked[0]):
        return join(ranked[:1])
    opened = [s for m in turn.results if m.tool_name == PAGE for s in m.sources]
    if opened:
        head = sorted(opened, key=lambda source: source.passage.chunk_index)[:HEAD]
        order = [source.number for source in head]
        return join(sorted(await finder.rank(turn.question.content, head), key=lambda e: order.index(e.source.number)))
    return told(turn)


async def answers(model: LanguageModel, question: str, evidence: Evidence) -> bool:
    """Whether a passage says the answer."""
    return evidence.similarity >= FLOOR


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
    ranked = await finder.rank(turn.question.content, turn.cited)
    order = [source.number for source in turn.cited]
    return join(sorted(ranked, key=lambda evidence: order.index(evidence.source.number)))
