"""How often the first step is an acceptable one, on a file in the form of `router/questions.jsonl`."""

import argparse
import asyncio
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.router_data import SIZES, accuracy, choose_word, embedded, read_examples
from chatbot.models.pipeline.decision.intent import put_in_english
from chatbot.models.pipeline.decision.places import obey_place
from chatbot.models.pipeline.decision.router import ACTIONS
from chatbot.models.pipeline.decision.tool_choice import ROUTER_WORDS, weigh_wishes
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from rag.embedding.sentence_model import SentenceEmbedder

TOOLS = {word: name for name, word in ROUTER_WORDS.items()}
"""The tool for each word of the router that is one."""
LEAST = 1e-9
"""The share of what a message says not to do."""


def main() -> None:
    """Print each wrong step, the counts by word, and the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--model", choices=SIZES, default=SIZES[0])
    given = parser.parse_args()
    asyncio.run(measure(given.questions, given.model))


async def measure(questions: Path, size: str) -> None:
    """Every question through the product's decision, with all tools on; the model puts it into English if need be."""
    embedder, model = SentenceEmbedder(), embedded(size)
    examples = await read_examples(questions, embedder)
    finder = EvidenceFinder(embedder)
    chosen, missed = [], Counter[str]()
    for example in examples:
        english = await put_in_english(model, example.situation.message)
        shares = (await weigh_wishes(finder, example.situation, english)).shares
        obeyed = obey_place({TOOLS.get(word, word): share for word, share in shares.items()}, example.situation.message)
        word = choose_word(np.log([obeyed[TOOLS.get(w, w)] + LEAST for w in ACTIONS]), example)
        chosen.append(word)
        if not accuracy([word], [example]):
            missed[f"{example.accept[0]} taken for {word}"] += 1
            line = " ".join(example.situation.message.split())[:90]
            print(f"{word:10}{' or '.join(example.accept):16}{line}", flush=True)
    for what, count in missed.most_common():
        print(f"{count:4} {what}")
    await model.close()
    print(f"accuracy {accuracy(chosen, examples):.3f}")


if __name__ == "__main__":
    main()
