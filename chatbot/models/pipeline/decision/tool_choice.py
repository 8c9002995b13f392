"""One decision: what the last message wants, as shares of the tools that are on, of its text, and of answering."""

import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from chatbot.conversation.messages import Source
from chatbot.conversation.turns import Turn
from chatbot.models.dialogue import attached_texts, known_addresses, standing_question
from chatbot.models.pipeline.decision.places import (
    LIBRARY,
    WEB,
    in_files,
    obey_place,
    prefer_naming_files,
    without_place,
)
from chatbot.models.pipeline.decision.pointing import (
    begins_in_another_language,
    certainly_points_back,
    may_point_back,
    points_back,
)
from chatbot.models.pipeline.decision.router import (
    ACT_WORDS,
    ACTIONS,
    ANSWER,
    CALCULATE,
    DATE,
    TEXT,
    TOOL_WORDS,
    MessageReading,
    MessageWish,
    RouterInput,
    load_router,
    log_softmax,
    offered_words,
)
from chatbot.models.pipeline.decision.statements import without_remark
from chatbot.models.pipeline.reading.answer_evidence import MIN_ANSWER_COSINE
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.translations import wish_for_translation
from chatbot.prompts.fewshot import clip_middle
from rag.documents import Passage
from rag.search.rare_words import telling_words
from tools.base import ToolSchema

ROUTER_WORDS = TOOL_WORDS | ACT_WORDS | {"calculate": CALCULATE, "date_and_time": DATE}
"""The router's word for each tool that it knows."""
MAX_TITLES_COMPARED = 32
"""Titles that are compared with a message: an embedding of one costs 5 ms."""
LIBRARY_PASSAGES = 3
"""Passages of the library whose sentences are compared before anything was decided."""
NARROWED = 5
"""Of a large toolbox, the tools that enter a decision beside those with training questions."""
DESCRIBED = 300
"""Characters of a description: its first sentences say what the tool is for."""
MIN_NEWS_SHARE = 0.6
"""The share from which on the news are searched: the web has them as well, and they have nothing else."""
WISHED = 0.4
"""The share from which on a wish is carried out: what is done for nobody's wish is worse than a wish not seen."""
MIN_WEB_SHARE = 0.2
"""The share, with the library left out of account, from which on the web is asked too: "in my files" leaves it less."""
MIN_LIBRARY_SHARE = 0.5
"""The library's own share, with the library left out of account, from which on the message names the user's files."""
LOOKING = (LIBRARY, WEB)
"""Tools that any question can be put to."""
LOOKED_UP = ("fact", "yesno", "list", "several", "comparison")
"""Forms of answers that are facts."""
DOUBTFUL = 0.2
"""The share of looking up from which on the model must be sure of what it would rather answer by itself."""
FOLLOWS = 0.5
"""The probability from which on a message is taken to go on from before."""
CERTAINLY = 0.85
"""The probability from which on what was asked before is added to a message that the model has nothing to add to."""
STANDS_ALONE = 0.15
"""The probability below which a message surely begins anew: so are 286 of 390 that do, of 398 that go on none."""


@dataclass(frozen=True)
class LibraryLook:
    """What the library has for a question: titles of its documents, and its best passages with their similarity."""

    titles: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True)
class Decision:
    """What a message wants: the share of each tool, of the text that came with it, and of answering."""

    shares: dict[str, float] = field(default_factory=dict)
    elsewhere: dict[str, float] = field(default_factory=dict)
    """What the message would want if there were no library: one that names the user's files wants them even then."""
    unprompted: dict[str, float] = field(default_factory=dict)
    """What it would want if nothing had been said before it: after a translation, "does the library lend tools?" is
    taken for more talk."""
    in_library: bool = False
    """Whether the library has a sentence above the floor."""
    going_on: float = 0.0
    """The probability that the message goes on from before."""
    form: str = "fact"
    """One of the router's `FORMS`."""

    @property
    def follows(self) -> bool:
        """Whether the message goes on from before."""
        return self.going_on >= FOLLOWS

    @property
    def certainly(self) -> bool:
        """Whether it certainly goes on."""
        return self.going_on >= CERTAINLY

    @property
    def alone(self) -> bool:
        """Whether it certainly does not."""
        return self.going_on < STANDS_ALONE

    @property
    def best_wish(self) -> str:
        """The likeliest tool, `text` or `answer`; no wish, and the web in the place of the news, where in doubt."""
        best = max(self.shares, key=self.shares.__getitem__)
        if best in ACT_WORDS and self.shares[best] < WISHED:
            best = max(set(self.shares) - set(ACT_WORDS), key=self.shares.__getitem__, default=ANSWER)
        doubtful = best == "news_search" and self.shares[best] < MIN_NEWS_SHARE and "web_search" in self.shares
        return "web_search" if doubtful else best

    @property
    def lookup_tool(self) -> str | None:
        """The likelier of the tools that any question can be put to, if its share is not too small for that."""
        best = max(LOOKING, key=lambda name: self.shares.get(name, 0.0))
        return best if self.shares.get(best, 0.0) >= DOUBTFUL else None

    def wishing(self, name: str) -> "Decision":
        """The decision where a tool, or answering, is wished whatever the router made of it."""
        return replace(self, shares=self.shares | {name: self.shares.get(name, 0.0) + 1.0})

    def without_tools(self, *names: str) -> "Decision":
        """The decision where these are out of the question: the others' shares, which sum to 1."""
        left = {name: share for name, share in self.shares.items() if name not in names} or {ANSWER: 1.0}
        whole = sum(left.values()) or 1.0
        return replace(self, shares={name: share / whole for name, share in left.items()})

    @property
    def doubted_tool(self) -> str | None:
        """The tool that a fact is looked up with which the model would answer, if it is not sure of it.

        What does not certainly go on from before is doubted also where it would be looked up by itself.
        """
        if self.best_wish != ANSWER or self.form not in LOOKED_UP:
            return None
        return self.lookup_tool or (None if self.certainly else replace(self, shares=self.unprompted).lookup_tool)

    def share_of(self, *names: str) -> float:
        """The shares of some of them together."""
        return sum(self.shares.get(name, 0.0) for name in names)

    def next_lookup(self, tried: Sequence[str], least: float) -> str | None:
        """The likeliest tool that looks something up, was not tried and has that share at least.

        Where nothing was found, the library says nothing of what the message wants: its other shares count as well.
        A message that wants the user's files even if there were none is not put to the web.
        """
        if LIBRARY in tried and self.elsewhere.get(LIBRARY, 0.0) >= MIN_LIBRARY_SHARE:
            return None
        clear = {name: share for name, share in self.elsewhere.items() if share >= MIN_WEB_SHARE}
        shares = {name: max(share, clear.get(name, 0.0)) for name, share in self.shares.items()}
        left = {name: share for name, share in shares.items() if name in TOOL_WORDS and name not in tried}
        best = max(left, key=left.__getitem__, default=None)
        return best if best and left[best] >= least else None


async def decide_tool(
    finder: EvidenceFinder,
    turns: Sequence[Turn],
    tools: Sequence[ToolSchema],
    look: Callable[[str], Awaitable[LibraryLook]] | None,
    english: str = "",
) -> Decision:
    """What the last turn's message wants, whatever was called for it already; `english` is the message in English."""
    question = turns[-1].question.content
    seen = await look(english or question) if look else LibraryLook()
    situation = await observe_turns(finder, turns, seen)
    english = without_remark(english)
    wanted = await weigh_wishes(finder, situation, english)
    texts = any(attached_texts(turn) for turn in turns)
    # A wish is seen as one where it cannot be carried out too: then that is said, and nothing is pretended.
    names = dict.fromkeys([*(tool.name for tool in tools), *ACT_WORDS])
    words = offered_words([*names], bool(known_addresses(turns)), texts)
    by_word = {ROUTER_WORDS[name]: name for name in names if name in ROUTER_WORDS} | {ANSWER: ANSWER, TEXT: TEXT}

    def offered_shares(wish: MessageWish) -> dict[str, float]:
        return {by_word[word]: wish.shares[word] for word in words}

    others = [tool for tool in tools if tool.name not in ROUTER_WORDS]
    told = wish_for_translation([turn.question.content for turn in turns]) or question
    likely = prefer_naming_files(offered_shares(wanted), english or question, seen.passages)
    shares = obey_place(await admit_tools(finder, question, likely, others), told)
    without = replace(situation, library=False, hit=0.0)
    bare = await weigh_wishes(finder, without, english) if situation.library else wanted
    elsewhere = obey_place(offered_shares(bare), told)
    first = RouterInput(situation.message, library=situation.library, hit=situation.hit)
    new = await weigh_wishes(finder, first, english) if situation.earlier else wanted
    unprompted = obey_place(offered_shares(new), told)
    in_library = await is_in_library(finder, question, seen, english)
    going_on = weigh_going_on(wanted.follows, question, situation.earlier)
    return Decision(shares, elsewhere, unprompted, in_library, going_on, wanted.form)


def weigh_going_on(likely: float, message: str, earlier: str) -> float:
    """The probability that a message goes on from an earlier one, by the router's and by what it says itself.

    Who speaks of "it" is never sent on without what was said; who asks something new in another language begins anew,
    as does who asks a whole question of their files.
    """
    if begins_in_another_language(message, earlier) or asks_files_alone(message):
        return 0.0
    least = FOLLOWS if certainly_points_back(message) else STANDS_ALONE if points_back(message) else 0.0
    return max(likely, least)


def asks_files_alone(message: str) -> bool:
    """Whether a message asks one's files a whole question: "according to my files, when does the lease end?"."""
    return in_files(message) and len(telling_words(without_place(message))) > 1 and not may_point_back(message)


async def observe_turns(finder: EvidenceFinder, turns: Sequence[Turn], seen: LibraryLook) -> RouterInput:
    """What the router is told of a conversation."""
    question = without_remark(turns[-1].question.content)
    earlier = standing_question(turns[-2]) if len(turns) > 1 else ""
    titles = list(dict.fromkeys([*(p.title for p in seen.passages), *seen.titles]))[:MAX_TITLES_COMPARED]
    vectors = await finder.embed_texts([question, *titles])
    hits = [*(vectors[1:] @ vectors[0]), *(passage.similarity for passage in seen.passages)]
    return RouterInput(
        question,
        earlier,
        len(turns) > 1,
        bool(known_addresses(turns[:-1])),
        bool(titles),
        float(max(hits, default=0.0)),
        bool(attached_texts(turns[-1])),
        any(attached_texts(turn) for turn in turns[:-1]),
        float((await finder.embed_texts([earlier]))[0] @ vectors[0]) if earlier else 0.0,
    )


async def read_message(finder: EvidenceFinder, situation: RouterInput) -> MessageReading:
    """What the router reads in a message and in the question before it."""
    vectors = await finder.embed_texts([situation.message, *([situation.earlier] if situation.earlier else [])])
    return load_router().read_situation(situation, vectors[0], vectors[1] if len(vectors) > 1 else None)


async def weigh_wishes(finder: EvidenceFinder, situation: RouterInput, english: str = "") -> MessageWish:
    """What a message wants, by the router; raises `EmbedderUnavailable`.

    A message that is there in English too is read in both: of 36 in eleven languages either reading alone was right
    about 31, both together about 35.
    """
    told = [situation, replace(situation, message=english)] if english else [situation]
    readings = [await read_message(finder, one) for one in told]
    logs = np.mean(
        [load_router().wish_log_probabilities(r, one) for r, one in zip(readings, told, strict=True)], axis=0
    )
    shares = np.exp(log_softmax(logs))
    follows = float(np.mean([reading.follows for reading in readings]))
    return MessageWish(dict(zip(ACTIONS, map(float, shares), strict=True)), follows, readings[-1].form)


async def admit_tools(
    finder: EvidenceFinder, question: str, shares: dict[str, float], others: Sequence[ToolSchema]
) -> dict[str, float]:
    """The shares with those tools that have no training questions: by their description's likeness to the question.

    The likest `NARROWED` of them stand for all; shares sum to 1.
    """
    scale = sum(shares.values())
    odds = {name: share / scale for name, share in shares.items()}
    if others:
        vectors = await finder.embed_texts([question, *(describe_tool(tool) for tool in others)])
        alike = vectors[1:] @ vectors[0]
        slope, middle = load_router().admission
        for index in np.argsort(-alike)[:NARROWED]:
            odds[others[index].name] = math.exp(slope * (float(alike[index]) - middle))
    total = sum(odds.values())
    return {name: value / total for name, value in odds.items()}


def describe_tool(tool: ToolSchema) -> str:
    """What a question is compared with: the tool's name in words, and its description."""
    return f"{tool.name.replace('_', ' ').replace('-', ' ')}: {clip_middle(tool.description, DESCRIBED)}"


async def is_in_library(finder: EvidenceFinder, question: str, seen: LibraryLook, english: str = "") -> bool:
    """Whether one of the best passages has a sentence above the floor."""
    sources = [Source(number, passage) for number, passage in enumerate(seen.passages[:LIBRARY_PASSAGES], 1)]
    ranked = await finder.rank_evidence(question, sources, english)
    return bool(ranked) and ranked[0].similarity >= MIN_ANSWER_COSINE
