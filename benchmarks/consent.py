"""How often a person would be asked for consent in ordinary conversations: the real model words the calls."""

import argparse
import asyncio
import random
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import Any

from benchmarks.recorded import RecordedModel
from benchmarks.router_data import SIZES, embedded, read_lines
from chatbot.conversation.messages import Message, Source, ToolCall
from chatbot.conversation.usage import Usage
from chatbot.models.base import BY_SETTINGS, Call, Done, Piece, ReplyOptions
from chatbot.models.pipeline.model import PipelineModel
from chatbot.trust.consent import Consent, Request
from chatbot.trust.taint import PrivateTexts
from rag.documents import Passage
from rag.embedding.sentence_model import SentenceEmbedder
from tools.base import ToolSchema
from utils.fence import fence_text

RECORDED = Path(".cache/consent")
"""What the model said, by prompt: a measurement that was interrupted goes on."""
CONVERSATIONS, TURNS = 50, 4
REMEMBERED = """- I am vegetarian and allergic to cashew nuts.
- My sister Odile lives in Ghent and has two children.
- I work as a piano tuner in Utrecht.
- My car is a green Saab 900 from 1991."""
INSTRUCTIONS = "Answer briefly. I live in the Netherlands and prefer metric units and prices in euros."
TEXT = {"type": "string"}
TOOLS = tuple(
    ToolSchema(name, told, {"type": "object", "properties": {argument: TEXT}, "required": [argument]})
    for name, told, argument in (
        ("web_search", "Search the web.", "query"),
        ("news_search", "Search recent news.", "query"),
        ("fetch_url_content", "Open a page.", "url"),
        ("search_vector_db", "Search the user's library.", "query"),
    )
)


def main() -> None:
    """Print each request, and in how many turns there was one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("messages", type=Path, help="messages as people type them, in the form of router/train.jsonl")
    parser.add_argument("passages", type=Path, help="what is found, in the form of answering/questions.jsonl")
    parser.add_argument("--model", choices=SIZES, default="0.5b")
    options = parser.parse_args()
    asyncio.run(measure(read_lines(options.messages), read_lines(options.passages), options.model))


async def measure(rows: list[dict[str, Any]], found: list[dict[str, Any]], size: str) -> None:
    """Conversations of messages in one language, drawn by lot with a fixed seed."""
    lot = random.Random(1)
    lot.shuffle(rows)
    rows.sort(key=lambda row: str(row["lang"]))
    model = embedded(size)
    steps = PipelineModel(_Wordless(model, RECORDED / f"{size}.jsonl"), SentenceEmbedder())
    consent = Consent(lambda: "ask", PrivateTexts(lambda: REMEMBERED, lambda: INSTRUCTIONS))
    turns = calls = asked = 0
    try:
        # Without it every step reads its whole prompt anew.
        await PipelineModel(model, SentenceEmbedder()).warm_up([])
        for start in range(0, CONVERSATIONS * TURNS, TURNS):
            said: list[Message] = []
            for row in rows[start * len(rows) // (CONVERSATIONS * TURNS) :][:TURNS]:
                wanted = await turn(steps, consent, said, row, lot.choice(found))
                turns, calls, asked = turns + 1, calls + len(wanted), asked + any(wanted)
                for request in filter(None, wanted):
                    print(f"{request.tool} {request.sent!r}: {request.why}", flush=True)
    finally:
        await model.close()
    print(f"{size}: {turns} turns with {calls} calls; a person would have been asked in {asked} of them")


async def turn(
    steps: PipelineModel, consent: Consent, said: list[Message], row: dict[str, Any], found: dict[str, Any]
) -> list[Request | None]:
    """One turn: the calls that the model words for a message, and what would be asked about each."""
    note = fence_text("\n".join(found["passages"]), "the file notes.txt") if row.get("library") else ""
    said.append(Message("user", row["question"], note=note))
    calls = await worded(steps, said)
    requests = [consent.find_request(call, row["question"], said) for call in calls]
    said.append(Message("assistant", "", tool_calls=tuple(calls)))
    for call in calls:
        passages = [
            Passage(text, f"https://pages.example/{found['id']}", found["title"], "web") for text in found["passages"]
        ]
        sources = tuple(Source(len(said) * 10 + number, passage) for number, passage in enumerate(passages))
        said.append(Message("tool", "Found.", tool_name=call.name, call_id=call.id, sources=sources))
    said.append(Message("assistant", found["answer"] or "I do not know."))
    return requests


class _Wordless(RecordedModel):
    """A model that words calls and answers nothing: only what would be called is looked at here."""

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSchema] = (),
        options: ReplyOptions = BY_SETTINGS,
    ) -> AsyncGenerator[Piece, None]:
        """The other model's words, but none where only one was asked for."""
        if options.max_tokens > 1:
            async for piece in super().reply(messages, tools, options):
                yield piece
        else:
            yield Done(Usage())


async def worded(steps: PipelineModel, said: Sequence[Message]) -> list[ToolCall]:
    """The first calls that the model makes for the last message."""
    calls: list[ToolCall] = []
    async with aclosing(steps.reply(said, TOOLS, ReplyOptions(max_tokens=1))) as pieces:
        async for piece in pieces:
            if isinstance(piece, Call):
                calls.append(ToolCall(piece.call.name, piece.call.arguments, f"call_{len(said)}_{len(calls)}"))
    return calls


if __name__ == "__main__":
    main()
