"""How often the first step is an acceptable one, on a file in the form of `router/questions.jsonl`."""

import argparse
import asyncio
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.router_data import accuracy, choose_word, read_examples
from chatbot.models.pipeline.evidence import EvidenceFinder
from chatbot.models.pipeline.router import WORDS
from chatbot.models.pipeline.tool_choice import weigh_wishes
from rag.embedding import SentenceEmbedder


def main() -> None:
    """Print each wrong step, the counts by word, and the accuracy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    asyncio.run(measure(parser.parse_args().questions))


async def measure(questions: Path) -> None:
    """Every question through the product's decision, with all tools on."""
    embedder = SentenceEmbedder()
    examples = await read_examples(questions, embedder)
    finder = EvidenceFinder(embedder)
    chosen, missed = [], Counter[str]()
    for example in examples:
        shares = (await weigh_wishes(finder, example.situation)).shares
        word = choose_word(np.log([shares[w] for w in WORDS]), example)
        chosen.append(word)
        if not accuracy([word], [example]):
            missed[f"{example.accept[0]} taken for {word}"] += 1
            line = " ".join(example.situation.message.split())[:90]
            print(f"{word:10}{' or '.join(example.accept):16}{line}", flush=True)
    for what, count in missed.most_common():
        print(f"{count:4} {what}")
    print(f"accuracy {accuracy(chosen, examples):.3f}")


if __name__ == "__main__":
    main()
