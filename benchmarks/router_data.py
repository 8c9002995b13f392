"""The router's questions as the product sees them, and the distributions of a language model, kept in a file."""

import asyncio
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from chatbot.conversation.messages import Message
from chatbot.models.dialogue import known_addresses, read_turns
from chatbot.models.embedded.model import EmbeddedModel
from chatbot.models.embedded.settings import EmbeddedSettings, Size
from chatbot.models.pipeline.decision.router import ACTIONS, ANSWER, TEXT, Floats, RouterInput
from chatbot.models.pipeline.decision.tool_choice import ROUTER_WORDS, LibraryLook, observe_turns
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.settings import Generation
from rag.embedding.base import Embedder, Vectors
from utils.fence import fence_text
from utils.paths import default_data_dir

SIZES = ("1.5b", "0.5b")
VECTORS = Path(".cache/router/vectors.npz")
_NUMBERED = re.compile(r"\[\d+\]")
BATCH = 256
"""Texts that are embedded at once, of about one length."""
LABELS = ROUTER_WORDS | {ANSWER: ANSWER, "attached": TEXT}
"""The router's word for each label of the training messages."""


@dataclass(frozen=True)
class Example:
    """A message with what the router sees of it; `accept` holds words of `ACTIONS`, the best first."""

    situation: RouterInput
    vector: Vectors
    before: Vectors | None
    """The vector of the question before it."""
    accept: tuple[str, ...]
    has_address: bool
    follows: bool | None
    """Whether it goes on from before; None where nobody said."""
    form: str
    subject: str


def embedded(size: str) -> EmbeddedModel:
    """The model that ships, with nothing left to chance."""
    settings = EmbeddedSettings(size=cast(Size, size))
    return EmbeddedModel(settings, Generation(temperature=0, seed=1, context_window=4096), default_data_dir())


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


class KeptVectors:
    """An `Embedder` that makes the vectors of many texts in batches, and keeps them in a file for the next run."""

    def __init__(self, embedder: Embedder, path: Path) -> None:
        self._embedder = embedder
        self._path = path
        self._known: dict[str, Vectors] = {}
        if path.exists():
            with np.load(path, allow_pickle=False) as kept:
                self._known = dict(zip(kept["texts"].tolist(), kept["vectors"], strict=True))

    @property
    def fingerprint(self) -> str:
        """Of the embedder that makes the vectors."""
        return self._embedder.fingerprint

    async def make_counter(self) -> Callable[[str], int]:
        """As the embedder counts."""
        return await self._embedder.make_counter()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a text, from memory where it was made before."""
        new = list(dict.fromkeys(text for text in texts if text not in self._known))
        if new:
            self._known.update(zip(new, await self._embedder.embed(new), strict=True))
        return np.stack([self._known[text] for text in texts])

    async def embed_pieces(self, texts: Sequence[str]) -> list[Vectors]:
        """As the embedder makes them; they are not kept."""
        return await self._embedder.embed_pieces(texts)

    async def reads_language(self, text: str) -> bool:
        """As the embedder tells."""
        return await self._embedder.reads_language(text)

    async def prepare(self, rows: Sequence[dict[str, Any]]) -> None:
        """Make and keep the vectors of all messages, earlier questions and titles."""
        texts = {row["question"] for row in rows} | {title for row in rows for title in row["library"]}
        texts |= {said["content"] for row in rows for said in row["history"] if said["role"] == "user"}
        new = sorted((text for text in texts if text not in self._known), key=len)
        for start in range(0, len(new), BATCH):
            await self.embed(new[start : start + BATCH])
        if new:
            await asyncio.to_thread(self._keep)

    def _keep(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        np.savez(self._path, texts=np.array(list(self._known)), vectors=np.stack(list(self._known.values())))


async def read_examples(path: Path, embedder: Embedder) -> list[Example]:
    """The questions of a file in the form of `router/questions.jsonl`."""
    rows = read_lines(path)
    kept = KeptVectors(embedder, VECTORS)
    await kept.prepare(rows)
    finder = EvidenceFinder(kept)
    return [await make_example(row, finder) for row in rows]


async def make_example(row: dict[str, Any], finder: EvidenceFinder) -> Example:
    """One question through the product's own eyes."""
    note = "\n".join(fence_text("text", f"the file {name}") for name in row.get("attached", []))
    said = [Message(message["role"], message["content"]) for message in row["history"]]
    beside = row["accept"][0] != "attached"
    if note and said and (beside or row.get("follows")) and said[0].role == "user":
        # What a later message goes on about, or no longer is about, came with an earlier one.
        said[0], note = replace(said[0], note=note), ""
    turns = read_turns([*said, Message("user", row["question"], note)])
    situation = await observe_turns(finder, turns, LibraryLook(tuple(row["library"])))
    numbered = any(_NUMBERED.search(message.content) for message in said)
    if numbered and row["accept"][0] != "search_vector_db":
        # What an answer names by its number was a page, whose address the product would know.
        situation = replace(situation, address_before=True)
    vector = (await finder.embed_texts([situation.message]))[0]
    before = (await finder.embed_texts([situation.earlier]))[0] if situation.earlier else None
    accept = tuple(LABELS[name] for name in row["accept"])
    has_address = bool(known_addresses(turns)) or situation.address_before
    follows = row.get("follows", False if not row["history"] else None)
    return Example(situation, vector, before, accept, has_address, follows, row.get("form", ""), row.get("subject", ""))


def choose_word(logs: Floats, example: Example) -> str:
    """The likeliest word, opening a page only where there is an address."""
    has_text = example.situation.attached or example.situation.attached_before
    words = [word for word in ACTIONS if word not in ("open", TEXT)]
    words += ["open"] * example.has_address + [TEXT] * has_text
    return max(words, key=lambda word: float(logs[ACTIONS.index(word)]))


def accuracy(chosen: Sequence[str], examples: Sequence[Example]) -> float:
    """The share of acceptable first steps; of examples that know no more, all that looks nothing up is answering."""
    right = [
        word in example.accept
        or (not example.subject and ANSWER in example.accept and word not in ("search", "news", "open", "library"))
        for word, example in zip(chosen, examples, strict=True)
    ]
    return sum(right) / len(right)
