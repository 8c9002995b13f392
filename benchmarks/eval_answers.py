"""How well a question is answered from passages, on a file in the form of `answering/questions.jsonl`."""

import argparse
import asyncio
import re
from pathlib import Path
from typing import Any

from benchmarks.recorded import RecordedModel
from benchmarks.router_data import SIZES, embedded, read_lines
from chatbot.citations.checker import FittedChecker
from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.engine.assembly import make_supports
from chatbot.models.base import Text
from chatbot.models.pipeline.context import PipelineContext
from chatbot.models.pipeline.model import PipelineModel
from rag.documents import Passage
from rag.embedding.sentence_model import SentenceEmbedder

RECORDED = Path(".cache/answers")
"""What the models said, by prompt: a measurement that was interrupted goes on, one that is repeated takes seconds."""


def main() -> None:
    """Print each answer that is not right, and the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--model", choices=SIZES, default=SIZES[0])
    parser.add_argument("--first", type=int, default=None, help="only so many questions")
    options = parser.parse_args()
    asyncio.run(measure(read_lines(options.questions)[: options.first], options.model))


async def measure(rows: list[dict[str, Any]], size: str) -> None:
    """Every question as a turn whose search has just brought its passages."""
    model = RecordedModel(embedded(size), RECORDED / f"{size}.jsonl")
    embedder = SentenceEmbedder()
    stepwise = PipelineModel(model, embedder, PipelineContext(supports=make_supports(FittedChecker(embedder))))
    marks: list[tuple[bool, bool, bool, bool]] = []
    try:
        # Without it every step reads its whole prompt anew.
        await stepwise.warm_up([])
        for row in rows:
            text = await answer(stepwise, row)
            marks.append(mark(row, text))
            if not any(marks[-1][i] for i in (0, 3)):
                print(f"{row['id']} wanted {row['answer']!r} from {row['gold_passage']}: {text!r}", flush=True)
    finally:
        await model.close()
    held, missing = [[m for m, r in zip(marks, rows, strict=True) if bool(r["gold_passage"]) == has] for has in (1, 0)]
    shares = [share(held, place) for place in (0, 1, 2)] + [share(missing, 3)]
    print("correct {:.3f} right-source {:.3f} wrongly-refused {:.3f} rightly-refused {:.3f}".format(*shares))


async def answer(stepwise: PipelineModel, row: dict[str, Any]) -> str:
    """What is said when the passages are all the evidence there is."""
    sources = tuple(
        Source(number, Passage(text, row["title"], row["title"], "web", number))
        for number, text in enumerate(row["passages"], 1)
    )
    call = ToolCall("web_search", {"query": row["question"]}, "call_1")
    messages = [
        Message("user", row["question"]),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "", tool_name=call.name, call_id=call.id, sources=sources),
    ]
    return "".join([piece.delta async for piece in stepwise.reply(messages) if isinstance(piece, Text)])


def mark(row: dict[str, Any], text: str) -> tuple[bool, bool, bool, bool]:
    """Correct, from the right source, refused though there is an answer, refused because there is none.

    An answer without the number of a source is a refusal: the program puts one behind whatever was read.
    """
    numbers = re.findall(r"\[(\d+)\]", text)
    held, refused = row["gold_passage"] is not None, not numbers
    correct = held and not refused and " ".join(row["answer"].lower().split()) in " ".join(text.lower().split())
    return correct, held and str(row["gold_passage"]) in numbers, held and refused, not held and refused


def share(marks: list[tuple[bool, bool, bool, bool]], place: int) -> float:
    """The share of the marks that are set, 0 of none."""
    return sum(mark[place] for mark in marks) / len(marks) if marks else 0.0


if __name__ == "__main__":
    main()
