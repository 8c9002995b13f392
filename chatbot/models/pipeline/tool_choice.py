"""One decision: the next step for a message, as shares of the tools that are on and of answering."""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from chatbot.messages import Source
from chatbot.models.base import LanguageModel
from chatbot.models.dialogue import Turn, addresses
from chatbot.models.fewshot import clip, load_prompt
from chatbot.models.pipeline.answer_evidence import FLOOR
from chatbot.models.pipeline.evidence import EvidenceFinder
from chatbot.models.pipeline.router import ANSWER, TOOL_WORDS, WORDS, Situation, load_router, offered_words
from rag.documents import Passage
from tools.base import ToolSchema

TITLES = 32
"""Titles that are compared with a message: an embedding of one costs 5 ms."""
LOOKED_AT = 3
"""Passages of the library whose sentences are compared before anything was decided."""
NARROWED = 5
"""Of a large toolbox, the tools that enter a decision beside those with training questions."""
DESCRIBED = 300
"""Characters of a description: its first sentences say what the tool is for."""


@dataclass(frozen=True)
class LibraryLook:
    """What the library has for a question: titles of its documents, and its best passages with their similarity."""

    titles: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True)
class Decision:
    """The share of each tool and of answering; `in_library`: the library has a sentence above the floor."""

    shares: dict[str, float] = field(default_factory=dict)
    in_library: bool = False

    @property
    def best(self) -> str:
        """The likeliest tool, or `answer`."""
        return max(self.shares, key=self.shares.__getitem__)

    @property
    def answer(self) -> float:
        """The share of answering at once."""
        return self.shares.get(ANSWER, 0.0)

    def following(self, tried: Sequence[str]) -> str | None:
        """The likeliest tool that was not tried, None if answering at once was likelier."""
        left = {name: share for name, share in self.shares.items() if name not in tried}
        best = max(left, key=left.__getitem__, default=ANSWER)
        return None if best == ANSWER else best


async def decide(
    model: LanguageModel,
    finder: EvidenceFinder,
    turns: Sequence[Turn],
    tools: Sequence[ToolSchema],
    look: Callable[[str], Awaitable[LibraryLook]] | None,
) -> Decision:
    """The step that comes next for the last turn, whatever was called for it already."""
    question = turns[-1].question.content
    seen = await look(question) if look else LibraryLook()
    situation = await observe_turns(finder, turns, seen)
    shares = await share_words(model, finder, situation)
    words = offered_words([tool.name for tool in tools], bool(addresses(turns)))
    names = {TOOL_WORDS[tool.name]: tool.name for tool in tools if tool.name in TOOL_WORDS} | {ANSWER: ANSWER}
    offered = {names[word]: shares[word] for word in words}
    others = [tool for tool in tools if tool.name not in TOOL_WORDS]
    return Decision(await admit(finder, question, offered, others), await is_in_library(finder, question, seen))


async def observe_turns(finder: EvidenceFinder, turns: Sequence[Turn], seen: LibraryLook) -> Situation:
    """What the router is told of a conversation."""
    question = turns[-1].question.content
    titles = list(dict.fromkeys([*(p.title for p in seen.passages), *seen.titles]))[:TITLES]
    vectors = await finder.embed([question, *titles])
    hits = [*(vectors[1:] @ vectors[0]), *(passage.similarity for passage in seen.passages)]
    return Situation(
        question,
        turns[-2].question.content if len(turns) > 1 else "",
        len(turns) > 1,
        bool(addresses(turns[:-1])),
        bool(titles),
        float(max(hits, default=0.0)),
    )


async def share_words(model: LanguageModel, finder: EvidenceFinder, situation: Situation) -> dict[str, float]:
    """The share of each word of the router; sums to 1."""
    router, name = load_router(), (await model.describe()).name
    read = router.read(situation, (await finder.embed([situation.message]))[0])
    said = await model.choose(load_prompt("decide").ask(message=situation.text), WORDS) if router.knows(name) else {}
    logs = router.weigh(name, said, read, situation)
    return dict(zip(WORDS, map(float, np.exp(logs)), strict=True))


async def admit(
    finder: EvidenceFinder, question: str, shares: dict[str, float], others: Sequence[ToolSchema]
) -> dict[str, float]:
    """The shares with those tools that have no training questions: by their description's likeness to the question.

    The likest `NARROWED` of them stand for all; shares sum to 1.
    """
    scale = sum(shares.values())
    odds = {name: share / scale for name, share in shares.items()}
    if others:
        vectors = await finder.embed([question, *(describe_tool(tool) for tool in others)])
        alike = vectors[1:] @ vectors[0]
        slope, middle = load_router().admission
        for index in np.argsort(-alike)[:NARROWED]:
            odds[others[index].name] = math.exp(slope * (float(alike[index]) - middle))
    total = sum(odds.values())
    return {name: value / total for name, value in odds.items()}


def describe_tool(tool: ToolSchema) -> str:
    """What a question is compared with: the tool's name in words, and its description."""
    return f"{tool.name.replace('_', ' ').replace('-', ' ')}: {clip(tool.description, DESCRIBED)}"


async def is_in_library(finder: EvidenceFinder, question: str, seen: LibraryLook) -> bool:
    """Whether one of the best passages has a sentence above the floor."""
    sources = [Source(number, passage) for number, passage in enumerate(seen.passages[:LOOKED_AT], 1)]
    ranked = await finder.rank(question, sources)
    return bool(ranked) and ranked[0].similarity >= FLOOR
