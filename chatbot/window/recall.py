"""What is no longer sent is found again: the turns that are nearest to a question go with it as a note."""

import asyncio
import logging
import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from chatbot.conversation.messages import Message
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.reading.sentences import split_sentences, trim_sentences
from chatbot.prompts.loader import read_prompt
from chatbot.trust.taint import fence_said
from rag.search.tokenization import DEFAULT, text_terms
from utils.errors import EmbedderUnavailable

log = logging.getLogger(__name__)

MAX_TURNS_COMPARED = 20
"""Turns whose sentences are compared with a question: those that share the rarest words with it."""
TOLD = 2
"""Turns that a note holds at most."""
NOTE_WORDS = 50
"""Words of a question and of an answer in it."""
MIN_RECALL_SCORE = 0.85
"""Cosine of the best sentence and the share of the question's words, rare ones counting more, together."""


class Recall:
    """Searches the turns that a prompt left out; knows those that it has read already."""

    def __init__(self, finder: EvidenceFinder) -> None:
        self._finder = finder
        self._read: list[Message] = []
        self._turns: list[tuple[Message, ...]] = []
        self._places: defaultdict[str, list[int]] = defaultdict(list)

    async def find_turns(self, question: str, left_out: Sequence[Message]) -> str:
        """A note with the turns that have something for the question; empty where none has."""
        await asyncio.to_thread(self._read_left_out, left_out)
        near = self._nearest_turns(text_terms(question, DEFAULT))
        try:
            found = [await self._compare_turn(question, self._turns[place], share) for place, share in near]
        except EmbedderUnavailable as error:
            log.warning("Earlier turns are not searched: %s", error)
            return ""
        best = sorted((turn for turn in found if turn[0] >= MIN_RECALL_SCORE), key=lambda turn: -turn[0])[:TOLD]
        if not best:
            return ""
        note = f"{read_prompt('recalled')}\n" + "\n".join(text for _, text in best)
        return fence_said(note, left_out)

    def _read_left_out(self, left_out: Sequence[Message]) -> None:
        """Read what was not read yet; anew where it is another conversation."""
        known = len(self._read)
        if known > len(left_out) or (known and self._read[-1] is not left_out[known - 1]):
            self._read, self._turns, known = [], [], 0
            self._places.clear()
        said: list[Message] = []
        for message in [*left_out[known:], Message("user", "")]:
            if message.is_question and said:
                self._add_turn(said)
                said = []
            said += [message] if message.is_said else []
        self._read += left_out[known:]

    def _add_turn(self, said: Sequence[Message]) -> None:
        for word in set(text_terms("\n".join(message.content for message in said), DEFAULT)):
            self._places[word].append(len(self._turns))
        self._turns.append(tuple(said))

    def _nearest_turns(self, asked: Sequence[str]) -> list[tuple[int, float]]:
        """The turns that share most with a question, each with the share of its words, rare ones counting more."""
        rarity = {
            word: math.log(1 + len(self._turns) / len(self._places[word])) if word in self._places else 1.0
            for word in set(asked)
        }
        total = sum(rarity.values()) or 1.0
        shares: defaultdict[int, float] = defaultdict(float)
        for word in rarity:
            for place in self._places.get(word, ()):
                shares[place] += rarity[word] / total
        return sorted(shares.items(), key=lambda item: (-item[1], -item[0]))[:MAX_TURNS_COMPARED]

    async def _compare_turn(self, question: str, turn: Sequence[Message], share: float) -> tuple[float, str]:
        """How near the best sentence of a turn is, and the turn as the note has it."""
        lines, nearest = [], 0.0
        for message in turn:
            sentences = split_sentences(message.content)
            if not sentences:
                continue
            vectors = await self._finder.embed_texts([question, *sentences])
            alike = vectors[1:] @ vectors[0]
            best = int(np.argmax(alike))
            nearest = max(nearest, float(alike[best]))
            lines.append(f"- {message.speaker}: {' '.join(trim_sentences(sentences, best, NOTE_WORDS))}")
        return nearest + share, "\n".join(lines)
