"""The estimate of a prompt's tokens follows what a server counts, and counts nothing twice."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from chatbot.conversation.conversation import Conversation
from chatbot.conversation.events import ContextUsed, TurnEvent
from chatbot.conversation.messages import Message
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.settings import Generation
from chatbot.settings import AgentSettings
from chatbot.turn.agent import Agent
from chatbot.window.context import Sendable
from chatbot.window.system_prompt import Briefing
from chatbot.window.token_counter import TokenCounter
from tests.fakes.cutting import CuttingServer
from tests.fakes.model import ScriptedModel
from tests.fakes.ollama import FakeOllama, Turn, shown
from tests.fakes.window import assembled, assembler
from tools.base import Toolbox, ToolResult, tool

QUESTIONS = [
    "What is the tallest lighthouse on the coast?",
    "Und wie hoch ist der zweithöchste Leuchtturm an der Küste, und seit wann steht er dort?",
    "def f(x):\n    return {k: v for k, v in sorted(x.items()) if v > 10}\n\nWhat does this do?",
    "它建于哪一年？谁设计了它？",
    "Compare 1234567, 89.99, 2026-11-22 and 0x7fff; which one is a date?",
    '{"name": "Gull Point", "steps": 142, "open": ["Mon", "Tue"], "price": {"adult": 8.5}} - is it open on Sunday?',
    "Tell me more about the people who lived there in winter, when no boat could reach the rock for weeks.",
    "Сколько ступеней ведёт к фонарю маяка?",
    "https://example.org/lighthouses/gull-point?lang=en&page=2 is that the right page?",
    "And now once more in short, please.",
]
ANSWERS = [
    "It is the Gull Point lighthouse, with 142 steps; it was built in 1871 and automated in 1984.",
    "Der zweithöchste ist der von Harrow mit 31 Metern, er steht seit 1889.",
    "| name | steps |\n|---|---|\n| Gull Point | 142 |\n| Harrow | 118 |",
    "```python\nprint(sum(range(142)))\n```",
]


async def read_page(number: int) -> ToolResult:
    """Read a page of the log book.

    Args:
        number: Which page.
    """
    entry = f"Page {number}. Wind NNW {number % 9}, barometer {980 + number}.{number} hPa; lamp lit at 17:{number:02}. "
    return ToolResult(entry * (3 + number % 5))


def replies(server: CuttingServer) -> list[Any]:
    """Every other question is answered after a call."""

    def calls(body: dict[str, Any]) -> Turn:
        counted = server(body)
        return Turn("", calls=(("read_page", {"number": len(server.counts)}),), prompt_tokens=counted.prompt_tokens)

    return [part for _ in range(5) for part in (server, calls, server)]


async def fullness(events: AsyncIterator[TurnEvent]) -> list[ContextUsed]:
    return [event async for event in events if isinstance(event, ContextUsed)]


@pytest.mark.parametrize("warm", [False, True])
async def test_the_mean_error_is_under_five_percent_after_three_calls(warm: bool) -> None:
    turns = iter(range(1000))
    server = CuttingServer(10**6, "never", lambda read: ANSWERS[next(turns) % len(ANSWERS)])
    generation = Generation(context_window=32_768, max_tokens=500, request_timeout=5)
    estimated, counted = [], []
    async with FakeOllama(
        [*([server] if warm else []), *replies(server)], {"qwen3:8b": shown(model_info={})}
    ) as ollama:
        model = OllamaModel("qwen3:8b", OllamaSettings(host=ollama.url), generation)
        # Its answers are in no question's language, which the user has nothing against.
        briefing = Briefing("Answer in English or in German.")
        chat = Agent(model, Toolbox([tool(read_page)]), AgentSettings(), briefing, 500)
        if warm:
            await chat.warm_up()
        for question in QUESTIONS:
            seen = await fullness(chat.ask(question))
            estimated += [used.total_tokens for used in seen[::2]]
            counted += [used.total_tokens for used in seen[1::2]]
        await model.close()
    assert counted == server.counts[1 if warm else 0 :]
    errors = [abs(guess - true) / true for guess, true in zip(estimated, counted, strict=True)][3:]
    assert len(errors) == 12
    assert sum(errors) / len(errors) < 0.05


class CountingModel(ScriptedModel):
    """Counts how many texts it was asked to count."""

    counted = 0

    async def count_tokens(self, text: str) -> int:
        self.counted += 1
        return await super().count_tokens(text)


async def test_what_was_counted_by_the_server_is_not_counted_again() -> None:
    model = CountingModel([], window=4096)
    counter = TokenCounter(model)
    system, said = Message("system", "Be brief."), [Message("user", "one two three") for _ in range(50)]
    assert await counter.settle_counts(system, (), said, 550)
    model.counted = 0
    assert round(sum([await counter.count_message(message) for message in said])) == 540
    assert model.counted == 0


async def test_a_report_of_something_else_teaches_nothing() -> None:
    counter = TokenCounter(ScriptedModel([]))
    system, said = Message("system", "Be brief."), [Message("user", "one two three") for _ in range(50)]
    assert not await counter.settle_counts(system, (), said, 20)
    assert await counter.count_message(said[0]) == 9


async def test_ten_thousand_turns_cost_no_more_than_a_window() -> None:
    model = CountingModel([], window=4096)
    made = assembler(model=model)
    said = [Message("assistant" if index % 2 else "user", f"word {index}") for index in range(40_000)]
    sendable = Sendable(Message("system", "Be brief."), Conversation([*said, Message("user", "And now?")]))
    prompt = await assembled(made, sendable)
    assert prompt.messages[-1] == Message("user", "And now?")
    assert prompt.used.total_tokens <= await made.budget.prompt_limit()
    assert model.counted < 10_000
