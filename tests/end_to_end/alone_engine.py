"""The embedded engine from a data folder without weights and prompts: made ready, asked once, in a chat; runs inside.

seen = await walk(folder, data, __name__)
"""

import shutil
from collections.abc import Coroutine, Sequence
from typing import Any

from tests.end_to_end.alone import Step, Walk, run_inside, talk

LANE, READ = "engine", "read"
OWN: dict[str, Any] = {
    "backend": "embedded",
    "model": "embedded:0.5b",
    "temperature": 0,
    "seed": 1,
    "context_window": 4096,
    "max_tokens": 48,
}
QUESTION = "Of what do magpies build their nests?"
ITSELF = frozenset({"itself"})
READY = {"--prepare": Step(("--prepare",), "Ready: ", places=ITSELF, settings=OWN)}
STEPS = {
    "rag ingest": Step(("rag", "ingest", "notes"), "Indexed 1 file", settings=OWN),
    "rag ask": Step(("rag", "ask", QUESTION), "1", places=ITSELF, settings=OWN),
    "rag search reranked": Step(
        ("rag", "search", "nests", "--reranker", "model"), "twigs", places=ITSELF, settings=OWN
    ),
    "a question offline": Step(("--offline", QUESTION), "[1]", places=ITSELF, settings=OWN),
}
RUNS = {**READY, **STEPS, "a chat": Step((), "tokens in", places=ITSELF, settings=OWN)}


async def talked(walked: Walk) -> None:
    """The steps, and then a chat that stays for a while; the prompts as they were first read are put aside."""
    await walked.steps(LANE, READY)
    shutil.copytree(walked.lane(LANE) / "data" / "engine" / "states", walked.folder / READ)
    await walked.steps(LANE, STEPS)
    async with walked.model_server() as server:
        await talk(walked, "a chat", walked.command("a chat", LANE, RUNS["a chat"], server), [("hello", "tokens in")])


def lanes(walked: Walk) -> Sequence[Coroutine[Any, Any, None]]:
    """One after the other: a second engine would only slow the first one down."""
    return (talked(walked),)


if __name__ == "__main__":
    run_inside(lanes)
