"""One scripted conversation by the wire of every backend, with a model that calls tools: the same is told of it."""

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chatbot.conversation.events import (
    AnswerDelta,
    Answered,
    AnswerWithdrawn,
    ContextUsed,
    ThinkingDelta,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnEvent,
)
from chatbot.conversation.messages import Source
from chatbot.conversation.usage import Usage
from chatbot.models.embedded.model import engine_for
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.settings import Generation
from tests.fakes.anthropic import FakeAnthropic, Spoken, listed_model
from tests.fakes.engine import FakeEngine
from tests.fakes.ollama import FakeOllama, Turn, shown
from tests.fakes.openai import FakeOpenAI, Said
from tests.fakes.site import Site
from tests.fakes.site_app import magpie


@dataclass(frozen=True)
class Reply:
    """What the model says, whatever the protocol."""

    text: str = ""
    calls: tuple[tuple[str, Any], ...] = ()
    thinking: str = ""


STEPS = ("web_search", {"query": "Gull Point lighthouse lantern room steps"})
BRIDGE = ("web_search", {"query": "Ostermark Bridge designed engineer"})
FERRY = ("web_search", {"query": "Skerry Island ferry first boat morning"})
CONVERSATION: tuple[tuple[str, tuple[Reply, ...]], ...] = (
    ("Hello!", (Reply("Hello. What shall we look at?"),)),
    (
        "How many steps lead up to the lantern room of the Gull Point lighthouse?",
        (Reply(calls=(STEPS,)), Reply("Visitors climb 142 steps [1].")),
    ),
    ("What is 3 times 4?", (Reply("It is 12.", thinking="Three fours. That makes twelve."),)),
    (
        "Who designed the Ostermark Bridge, and when does the first ferry to Skerry Island leave?",
        (
            Reply("I look both up.", (BRIDGE, FERRY)),
            Reply("The two pages say it.", thinking="Both are there."),
        ),
    ),
    (
        "Look up the observatory.",
        (Reply(calls=(("web_search", {"words": 7}),)), Reply("The search did not take what I gave it.")),
    ),
)


def count_prompt(body: dict[str, Any]) -> int:
    """Tokens of a prompt as the server counts it: the same whatever the protocol."""
    texts = [str(message.get("content") or "") for message in body["messages"]]
    return sum(map(len, [*texts, json.dumps(body.get("tools"))])) // 4


@asynccontextmanager
async def ollama_settings(folder: Path, replies: Sequence[Reply]) -> AsyncIterator[dict[str, Any]]:
    """A scripted Ollama, and the settings by which it is asked."""

    def scripted(reply: Reply) -> Callable[[dict[str, Any]], Turn]:
        return lambda body: Turn(reply.text, reply.calls, reply.thinking, prompt_tokens=count_prompt(body))

    models = {"qwen3:8b": shown(("completion", "tools", "thinking"))}
    async with FakeOllama([scripted(reply) for reply in replies], models) as server:
        server.warming = True
        yield {"backend": "ollama", "ollama.host": server.url, "model": "qwen3:8b"}
        assert server.replies == []


@asynccontextmanager
async def openai_settings(folder: Path, replies: Sequence[Reply]) -> AsyncIterator[dict[str, Any]]:
    """A scripted server of OpenAI's protocol, and the settings by which it is asked."""

    def scripted(reply: Reply) -> Callable[[dict[str, Any]], Said]:
        return lambda body: Said(reply.text, reply.calls, reply.thinking, usage={"prompt_tokens": count_prompt(body)})

    async with FakeOpenAI([scripted(reply) for reply in replies], [{"id": "qwen3-8b", "owned_by": "me"}]) as server:
        server.warming = True
        yield {"backend": "openai", "openai.base_url": server.base_url, "model": "openai:qwen3-8b"}
        assert server.script == []


def in_openai_s_form(body: dict[str, Any]) -> dict[str, Any]:
    """What a request to Claude says, as OpenAI's protocol has it, so that as much is counted."""
    blocks = [block for message in body["messages"] for block in message["content"]]
    texts = [block.get("text") or block.get("content") for block in [*body["system"], *blocks]]
    tools = [
        {
            "type": "function",
            "function": {key: tool[key] for key in ("name", "description")} | {"parameters": tool["input_schema"]},
        }
        for tool in body["tools"]
    ]
    return {"messages": [{"content": text} for text in texts], "tools": tools}


@asynccontextmanager
async def anthropic_settings(folder: Path, replies: Sequence[Reply]) -> AsyncIterator[dict[str, Any]]:
    """A scripted server of the Messages API, and the settings by which it is asked."""

    def scripted(reply: Reply) -> Callable[[dict[str, Any]], Spoken]:
        def answer(body: dict[str, Any]) -> Spoken:
            usage = {"input_tokens": count_prompt(in_openai_s_form(body))}
            return Spoken(reply.text, reply.calls, reply.thinking, usage=usage)

        return answer

    listed = [listed_model("claude", thinks="adaptive disabled")]
    async with FakeAnthropic([scripted(reply) for reply in replies], listed) as server:
        server.warming = True
        yield {"backend": "anthropic", "anthropic.base_url": server.base_url, "model": "anthropic:claude"}
        assert server.script == []


@asynccontextmanager
async def embedded_settings(folder: Path, replies: Sequence[Reply]) -> AsyncIterator[dict[str, Any]]:
    """An engine that runs already, of a model whose template calls tools, and the settings by which it is joined."""

    def scripted(reply: Reply) -> Callable[[dict[str, Any]], Said]:
        return lambda body: Said(reply.text, reply.calls, reply.thinking, usage={"prompt_tokens": count_prompt(body)})

    weights = folder / "qwen3-8b.gguf"
    weights.write_bytes(b"GGUF")
    settings, generation = EmbeddedSettings(model_path=weights), Generation(context_window=WINDOW)
    share = await engine_for(settings, generation, folder, lambda label, done, total: None)
    async with FakeEngine(share, [scripted(reply) for reply in replies]) as engine:
        yield {"backend": "embedded", "embedded.model_path": str(weights), "context_window": WINDOW}
        assert engine.script == []


WINDOW = 8192
TOLD = {"thinking_enabled": True, "rag.enabled": False}
"""What the library holds is told with the next question, and depends on when a page has got into it."""

BACKENDS: dict[str, Callable[[Path, Sequence[Reply]], AbstractAsyncContextManager[dict[str, Any]]]] = {
    "ollama": ollama_settings,
    "openai": openai_settings,
    "anthropic": anthropic_settings,
    "embedded": embedded_settings,
}
"""A further backend is one more line: its scripted server, and the settings by which it is asked; the folder is that
of the chat's data."""


async def events_of(folder: Path, site: Site, backend: str) -> list[list[TurnEvent]]:
    """What is told of each turn of the conversation, without times, shares of the window and progress."""
    turns = []
    replies = [reply for _, scripted in CONVERSATION for reply in scripted]
    async with BACKENDS[backend](folder, replies) as settings, magpie(folder, site, **TOLD, **settings) as app:
        # A title would be asked for in the background, and take a reply of the script.
        app.chat.titler.leave_untitled(app.chat.session)
        for question, _ in CONVERSATION:
            told = [event async for event in app.chat.agent.ask(question)]
            assert isinstance(told[0], ContextUsed), told[0]
            turns.append([timeless(event) for event in told if not isinstance(event, ContextUsed | ToolProgress)])
    return turns


def timeless(event: TurnEvent) -> TurnEvent:
    """An event without the seconds that it took, and with what `comparable` leaves of its sources."""
    match event:
        case ToolFinished():
            return replace(event, seconds=0.0, sources=comparable(event.sources))
        case Answered():
            usage = replace(event.usage, prompt_seconds=0.0, reply_seconds=0.0)
            cited, unused = comparable(event.cited), comparable(event.unused)
            return replace(event, seconds=0.0, usage=usage, cited=cited, unused=unused)
    return event


def comparable(sources: Sequence[Source]) -> tuple[Source, ...]:
    """Sources without when they were read; the last digits of a similarity depend on what was embedded beside it."""
    return tuple(
        replace(source, passage=replace(source.passage, fetched="", similarity=round(source.passage.similarity, 4)))
        for source in sources
    )


async def test_the_same_conversation_is_told_in_the_same_way_whatever_the_backend(tmp_path: Path) -> None:
    told = {}
    async with Site() as site:
        for backend in BACKENDS:
            (tmp_path / backend).mkdir()
            told[backend] = await events_of(tmp_path / backend, site, backend)
        page = site.url("/lighthouse-museum.html")
    first, *others = told
    for place, (question, _) in enumerate(CONVERSATION):
        for other in others:
            assert told[other][place] == told[first][place], f"{question} by {other} and {first}"
    hello, steps, thought, both, wrong = told[first]
    assert [event.text for event in hello if isinstance(event, AnswerDelta)] == [
        "Hello.",
        " What",
        " shall",
        " we",
        " look",
        " at?",
    ]
    answered = steps[-1]
    assert isinstance(answered, Answered) and [source.passage.source for source in answered.cited] == [page]
    assert answered.usage.prompt_tokens > 100 and answered.usage.reply_tokens == 1 + 5
    assert [type(event) for event in thought if not isinstance(event, AnswerDelta)] == [ThinkingDelta] * 5 + [Answered]
    assert [event.call.id for event in both if isinstance(event, ToolStarted)] == ["call_2", "call_3"]
    assert [event.ok for event in both if isinstance(event, ToolFinished)] == [True, True]
    assert sum(isinstance(event, AnswerWithdrawn) for event in both) == 1
    [failed] = [event for event in wrong if isinstance(event, ToolFinished)]
    assert not failed.ok and "query" in failed.text
    assert all(isinstance(turn[-1], Answered) and turn[-1].usage != Usage() for turn in told[first])
