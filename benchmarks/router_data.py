"""The router's questions as the product sees them, and the distributions of a language model, kept in a file."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from chatbot.messages import Message
from chatbot.models.dialogue import addresses, read_turns
from chatbot.models.embedded import EmbeddedModel
from chatbot.models.fewshot import load_prompt
from chatbot.models.pipeline.evidence import EvidenceFinder
from chatbot.models.pipeline.router import ANSWER, TOOL_WORDS, WORDS, Floats, Situation
from chatbot.models.pipeline.tool_choice import LibraryLook, observe_turns
from chatbot.models.settings import EmbeddedSettings, Generation, Size
from rag.embedding import Embedder, Vectors
from utils.paths import default_data_dir

SIZES = ("1.5b", "0.5b")


@dataclass(frozen=True)
class Example:
    """A question with what the router sees of it; `accept` holds words of `WORDS`, the best first."""

    situation: Situation
    vector: Vectors
    accept: tuple[str, ...]
    has_address: bool


def embedded(size: str) -> EmbeddedModel:
    """The model that ships, with nothing left to chance."""
    settings = EmbeddedSettings(size=cast(Size, size))
    return EmbeddedModel(settings, Generation(temperature=0, seed=1, context_window=4096), default_data_dir())


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


async def read_examples(path: Path, embedder: Embedder) -> list[Example]:
    """The questions of a file in the form of `router/questions.jsonl`."""
    finder = EvidenceFinder(embedder)
    return [await make_example(row, finder) for row in read_lines(path)]


async def make_example(row: dict[str, Any], finder: EvidenceFinder) -> Example:
    """One question through the product's own eyes."""
    said = [*row["history"], {"role": "user", "content": row["question"]}]
    turns = read_turns([Message(message["role"], message["content"]) for message in said])
    situation = await observe_turns(finder, turns, LibraryLook(tuple(row["library"])))
    vector = (await finder.embed([row["question"]]))[0]
    accept = tuple(ANSWER if name == ANSWER else TOOL_WORDS[name] for name in row["accept"])
    return Example(situation, vector, accept, bool(addresses(turns)))


class Distributions:
    """What a model said of each message, kept in a JSON lines file, so that an interrupted run goes on."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._known = {row["message"]: row["said"] for row in read_lines(path)} if path.exists() else {}

    def known(self, examples: Sequence[Example]) -> list[int]:
        """The places of the examples of which something was said."""
        return [i for i, example in enumerate(examples) if example.situation.text in self._known]

    def __getitem__(self, example: Example) -> dict[str, float]:
        return dict(self._known[example.situation.text])

    async def complete(self, model: EmbeddedModel, examples: Sequence[Example]) -> None:
        """Ask the model about the messages that are missing."""
        await asyncio.to_thread(self._path.parent.mkdir, parents=True, exist_ok=True)
        prompt = load_prompt("decide")
        for number, example in enumerate(examples):
            message = example.situation.text
            if message not in self._known:
                said = await model.choose(prompt.ask(message=message), WORDS)
                self._known[message] = said
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"message": message, "said": said}, ensure_ascii=False) + "\n")
            if number % 100 == 0:
                print(f"{self._path.stem}: {number} of {len(examples)}", flush=True)


def choose_word(logs: Floats, example: Example) -> str:
    """The likeliest word, opening a page only where there is an address."""
    words = [word for word in WORDS if word != "open" or example.has_address]
    return max(words, key=lambda word: float(logs[WORDS.index(word)]))


def accuracy(chosen: Sequence[str], examples: Sequence[Example]) -> float:
    """The share of acceptable first steps."""
    right = [word in example.accept for word, example in zip(chosen, examples, strict=True)]
    return sum(right) / len(right)
