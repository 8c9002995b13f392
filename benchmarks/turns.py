"""Where the time of a turn goes: questions to a loopback site, answered by the embedded model, taken apart into steps.

Times are also told as ratios to a fixed piece of work of the same engine, so that machines can be compared.
"""

import argparse
import asyncio
import functools
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from benchmarks.router_data import SIZES
from chatbot.citations.checker import FittedChecker
from chatbot.conversation.events import AnswerDelta, Answered, Quoted
from chatbot.conversation.messages import Message
from chatbot.models.base import ReplyOptions
from chatbot.models.pipeline.decision.arguments import fill_query, in_english, in_language
from chatbot.models.pipeline.decision.standing_alone import stand_alone
from chatbot.models.pipeline.decision.tool_choice import decide_tool
from chatbot.models.pipeline.parts import split_question
from chatbot.models.pipeline.reading.answerability import holds_answer
from chatbot.models.pipeline.reading.choosing.likeliest import likeliest_readings, with_chosen_quote
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from chatbot.models.pipeline.writing.answering import AnswerWriter
from chatbot.models.pipeline.writing.talking import Talk
from tests.fakes.site import EXAMPLES, Site
from tests.fakes.site_app import RunningChat, magpie
from tools.base import Toolbox

STEPS: dict[str, list[Callable[..., Any]]] = {
    "decision": [decide_tool],
    "query": [stand_alone, in_english, in_language, split_question, fill_query],
    "search": [Toolbox.execute_call],
    "ranking": [EvidenceFinder.rank_evidence],
    "choice of the sentence": [likeliest_readings, with_chosen_quote],
    "check of the passage": [holds_answer],
    "check of citations": [FittedChecker.support_probability],
    "answer": [AnswerWriter.write_answer, Talk.stream_reply],
}
TALK = ("Hello!", "My sister lives in Ghent.", "What is 17 % of 2340?", "Write a two-line poem about rain.")
"""Messages that need no source."""

_inside: ContextVar[list[float] | None] = ContextVar("inside", default=None)
"""The seconds that the steps inside of the one under way have taken."""


class Clock:
    """Seconds of each step, without those of the steps inside of it."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """Time that belongs to a step."""
        outer, inner, began = _inside.get(), [0.0], time.perf_counter()
        token = _inside.set(inner)
        try:
            yield
        finally:
            _inside.reset(token)
            whole = time.perf_counter() - began
            self.spent[name] += whole - inner[0]
            if outer is not None:
                outer[0] += whole

    def watch(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """A coroutine function, or one that makes an async generator, whose time counts for a step."""

        @functools.wraps(function)
        async def timed(*args: Any, **options: Any) -> Any:
            with self.step(name):
                return await function(*args, **options)

        @functools.wraps(function)
        async def streamed(*args: Any, **options: Any) -> AsyncGenerator[Any, None]:
            async with aclosing(function(*args, **options)) as pieces:
                while True:
                    with self.step(name):
                        piece = await anext(pieces, None)
                    if piece is None:
                        return
                    yield piece

        return timed if asyncio.iscoroutinefunction(function) else streamed


def put_in_place_of(function: Callable[..., Any], other: Callable[..., Any]) -> None:
    """Have every module and class of the product that holds a function hold another one."""
    modules = [module for name, module in sys.modules.items() if name.startswith(("chatbot.", "tools."))]
    classes = [one for module in modules for one in vars(module).values() if isinstance(one, type)]
    for owner in (*modules, *classes):
        if vars(owner).get(function.__name__) is function:
            setattr(owner, function.__name__, other)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", choices=SIZES, default=SIZES[0])
    asyncio.run(measure(parser.parse_args().model))


async def measure(size: str) -> None:
    """Every question in a chat of its own, then the talk in one."""
    clock = Clock()
    for name, functions in STEPS.items():
        for function in functions:
            put_in_place_of(function, clock.watch(name, function))
    with tempfile.TemporaryDirectory() as data:
        embedded = {"backend": "embedded", "embedded.size": size}
        async with Site() as site, magpie(Path(data), site, **embedded) as app:
            # As after `magpie --prepare`: the fixed beginnings of all prompts are read once a machine.
            await app.chat.warm_up()
            unit = await unit_of_work(app)
            clock.spent.clear()
            facts = [await ask(app, question, anew=True) for question, _, _ in EXAMPLES]
            report("facts from pages", clock, facts, unit)
            talk = [await ask(app, message, anew=False) for message in TALK]
            report("talk", clock, talk, unit)


async def unit_of_work(app: RunningChat) -> float:
    """Seconds in which the engine writes 32 tokens behind a short prompt."""
    began = time.perf_counter()
    prompt = [Message("user", "Count from one to forty in words.")]
    async with aclosing(app.chat.agent.model.reply(prompt, options=ReplyOptions(max_tokens=32))) as pieces:
        async for _ in pieces:
            pass
    return time.perf_counter() - began


async def ask(app: RunningChat, message: str, *, anew: bool) -> tuple[float, float]:
    """Seconds until something useful is on the screen, and until the answer is whole."""
    if anew:
        app.chat.agent.clear()
    began, first, last = time.perf_counter(), 0.0, 0.0
    async with aclosing(app.chat.agent.ask(message)) as events:
        async for event in events:
            if isinstance(event, Quoted | AnswerDelta):
                first = first or time.perf_counter() - began
            elif isinstance(event, Answered):
                last = time.perf_counter() - began
    return first or last, last


def report(title: str, clock: Clock, times: list[tuple[float, float]], unit: float) -> None:
    """Print the steps of some turns, and forget them."""
    whole = sum(last for _, last in times)
    print(f"\n{title}: {len(times)} turns; 32 tokens take {unit:.2f} s\n{'step':24}{'s a turn':>10}{'share':>8}")
    rest = whole - sum(clock.spent.values())
    for name, seconds in [*clock.spent.items(), ("everything else", rest)]:
        print(f"{name:24}{seconds / len(times):10.2f}{seconds / whole:8.0%}")
    for name, place in (("first useful text", 0), ("last word", 1)):
        seconds = statistics.median(turn[place] for turn in times)
        print(f"{name + ', median':24}{seconds:10.2f}   {seconds / unit:.1f} times the 32 tokens")
    clock.spent.clear()


if __name__ == "__main__":
    main()
