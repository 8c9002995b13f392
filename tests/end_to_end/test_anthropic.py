"""Claude's backend in a chat: calls, results and thoughts with their signatures, and llama.cpp's own server."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from chatbot.conversation.events import Answered, ThinkingDelta, ToolFinished
from chatbot.models.adaptive import AdaptiveModel
from chatbot.models.anthropic.backend import ANTHROPIC
from chatbot.models.anthropic.settings import AnthropicSettings
from chatbot.models.embedded.engine import EngineAddress
from chatbot.models.embedded.model import engine_for
from chatbot.models.provider import ModelSurroundings
from chatbot.models.providers import WantedModel
from chatbot.models.selection import Models
from chatbot.models.settings import Generation
from chatbot.models.state import ModelState
from chatbot.settings import AgentSettings
from chatbot.turn.agent import Agent
from chatbot.window.system_prompt import Briefing
from tests.conftest import REPEATABLE, SMALL
from tests.fakes.anthropic import SIGNATURE, FakeAnthropic, Spoken, listed_model
from tests.fakes.called import called_before
from tools.base import Toolbox, tool
from utils.network.access import NetworkAccess


async def read_weather(place: str) -> str:
    """Tell the weather of a place.

    Args:
        place: Which one.
    """
    return f"In {place} it rains, at 7 degrees."


async def agent_at(
    url: str, folder: Path, generation: Generation, key_file: str = "", rounds: int = 3
) -> tuple[Agent, Models]:
    """A chat with the model that is begun with at a server, and one tool."""
    toolbox, state = Toolbox([tool(read_weather)]), ModelState(folder)
    around = ModelSurroundings(folder, generation, NetworkAccess(), state)
    wanted = WantedModel("anthropic", "", {"anthropic": AnthropicSettings(base_url=url, key_file=key_file)})
    models = Models(wanted, around, lambda model: AdaptiveModel(model, model, toolbox.accepts_call, state), [ANTHROPIC])
    model = await models.start_model()
    return Agent(model, toolbox, AgentSettings(max_tool_rounds=rounds), Briefing(), generation.max_tokens), models


async def test_a_chat_hands_back_what_was_thought_before_each_call(tmp_path: Path) -> None:
    replies = [
        Spoken("Let me see.", (("read_weather", {"place": "Oslo"}),), thinking="First Oslo"),
        Spoken(calls=(("read_weather", {"place": "Bergen"}), ("read_weather", {"place": "Oslo"})), thinking="Now both"),
        Spoken("It rains in both.", usage={"input_tokens": 10, "cache_read_input_tokens": 90}),
    ]
    async with FakeAnthropic(replies, [listed_model("fake", thinks="adaptive disabled")]) as server:
        agent, models = await agent_at(server.base_url, tmp_path, Generation(request_timeout=30))
        events = [event async for event in agent.ask("What is the weather in Oslo and Bergen?")]
        await agent.model.close()
        await models.close()
        sent = server.chats[-1]["messages"]
    assert [event.call.arguments["place"] for event in events if isinstance(event, ToolFinished)] == [
        "Oslo",
        "Bergen",
        "Oslo",
    ]
    assert "".join(event.text for event in events if isinstance(event, ThinkingDelta)) == "First OsloNow both"
    last = events[-1]
    assert isinstance(last, Answered) and last.text == "It rains in both." and last.usage.cached_tokens == 90
    kinds = [(message["role"], [block["type"] for block in message["content"]]) for message in sent]
    assert kinds == [
        ("user", ["text"]),
        ("assistant", ["thinking", "text", "tool_use"]),
        ("user", ["tool_result"]),
        ("assistant", ["thinking", "tool_use", "tool_use"]),
        ("user", ["tool_result", "tool_result"]),
    ]
    assert {block["signature"] for message in sent for block in message["content"] if "signature" in block} == {
        SIGNATURE
    }
    calls = [block["id"] for message in sent for block in message["content"] if block["type"] == "tool_use"]
    results = [block["tool_use_id"] for message in sent for block in message["content"] if "tool_use_id" in block]
    assert calls == results and len(set(calls)) == 3


@pytest.fixture
async def engine(small_engine_dir: Path) -> AsyncIterator[EngineAddress]:
    """llama.cpp's server with the 0.5B, which all tests share: it speaks the Messages API as well, and wants a key."""
    share = await engine_for(SMALL, REPEATABLE, small_engine_dir, lambda label, done, total: None)
    yield await share.connect_engine()
    share.release_lease()


@pytest.mark.model
@pytest.mark.timeout(600)
async def test_llama_cpp_s_own_server_is_spoken_to_as_claude_s(engine: EngineAddress, tmp_path: Path) -> None:
    key = tmp_path / "key"
    key.write_text(f"{engine.key}\n")
    key.chmod(0o600)
    # Left to itself, the 0.5B goes on for a minute and more about a weather that it was told in a sentence.
    brief = replace(REPEATABLE, max_tokens=96)
    agent, models = await agent_at(engine.url, tmp_path, brief, str(key), rounds=1)
    agent.conversation.messages += called_before()
    answered = [event async for event in agent.ask("Does it rain there? Answer in one sentence.")][-1]
    assert isinstance(answered, Answered) and answered.text and answered.usage.prompt_tokens > 100
    await agent.model.close()
    await models.close()
