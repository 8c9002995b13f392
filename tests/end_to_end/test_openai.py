"""The whole over OpenAI's protocol: llama.cpp's own server with real weights, and a scripted one."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from chatbot.conversation.events import Answered
from chatbot.conversation.messages import Message
from chatbot.models.adaptive import AdaptiveModel
from chatbot.models.base import Done, Text
from chatbot.models.embedded.engine import EngineAddress
from chatbot.models.embedded.model import engine_for
from chatbot.models.openai.backend import OPENAI
from chatbot.models.openai.model import OpenAIModel
from chatbot.models.openai.server import ApiServer
from chatbot.models.openai.settings import OpenAISettings
from chatbot.models.provider import ModelSurroundings
from chatbot.models.providers import WantedModel
from chatbot.models.remote.destination import Destination
from chatbot.models.selection import Models
from chatbot.models.state import ModelState
from chatbot.settings import AgentSettings
from chatbot.turn.agent import Agent
from chatbot.window.system_prompt import Briefing
from tests.conftest import REPEATABLE, SMALL
from tests.fakes.called import called_before
from tools.base import Toolbox, ToolSchema, tool
from utils.errors import PromptTooLong
from utils.network.access import NetworkAccess
from utils.network.api_client import ApiEndpoint

WEATHER = ToolSchema(
    "read_weather",
    "Tell the weather of a place.",
    {"type": "object", "properties": {"place": {"type": "string"}}, "required": ["place"]},
)


@pytest.fixture
async def engine(small_engine_dir: Path) -> AsyncIterator[EngineAddress]:
    """llama.cpp's server with the 0.5B, which all tests share: a server of OpenAI's protocol that wants a key."""
    share = await engine_for(SMALL, REPEATABLE, small_engine_dir, lambda label, done, total: None)
    yield await share.connect_engine()
    share.release_lease()


@pytest.mark.model
@pytest.mark.timeout(600)
async def test_llama_cpp_s_own_server_is_spoken_to_as_any_other(engine: EngineAddress, tmp_path: Path) -> None:
    around = ModelSurroundings(tmp_path, REPEATABLE, NetworkAccess(), ModelState(tmp_path))
    server = ApiServer(Destination(ApiEndpoint(f"{engine.url}/v1", "openai", 60), engine.key), around)
    [entry] = await server.list_entries() or []
    model = OpenAIModel(entry["id"], server, REPEATABLE, entry)
    info = await model.describe()
    assert (info.context_window, info.can_call_tools, info.remote) == (4096, True, False)
    assert await model.count_tokens("hello world") == 2
    ask = [Message("user", "Is the sky blue? Answer with yes or no.")]
    pieces = [piece async for piece in model.reply(ask, [WEATHER])]
    assert any(isinstance(piece, Text) for piece in pieces)
    assert isinstance(pieces[-1], Done) and pieces[-1].usage.prompt_tokens > 50 and pieces[-1].usage.reply_tokens > 0
    shares = (await model.weigh_words(ask, ["Yes", "No"])).shares
    assert sum(shares.values()) == pytest.approx(1) and (await model.describe()).tells_probabilities
    schema = {"type": "object", "properties": {"blue": {"type": "boolean"}}, "required": ["blue"]}
    assert isinstance((await model.fill_schema(ask, schema)).values["blue"], bool)
    with pytest.raises(PromptTooLong) as too_long:
        await model.weigh_words([Message("user", "word " * 6000)], ["Yes", "No"])
    assert too_long.value.prompt_tokens > 6000 and too_long.value.window == 4096
    await model.close()


async def read_weather(place: str) -> str:
    """Tell the weather of a place.

    Args:
        place: Which one.
    """
    return f"In {place} it rains, at 7 degrees."


@pytest.mark.model
@pytest.mark.timeout(600)
async def test_a_chat_through_llama_cpp_s_own_server_goes_on_from_a_call_and_its_result(
    engine: EngineAddress, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    key.write_text(f"{engine.key}\n")
    key.chmod(0o600)
    toolbox, state, told = Toolbox([tool(read_weather)]), ModelState(tmp_path), list[str]()
    around = ModelSurroundings(tmp_path, REPEATABLE, NetworkAccess(), state, tell=told.append)
    wanted = WantedModel("openai", "", {"openai": OpenAISettings(base_url=engine.url, key_file=str(key))})
    models = Models(wanted, around, lambda model: AdaptiveModel(model, model, toolbox.accepts_call, state), [OPENAI])
    agent = Agent(
        await models.start_model(), toolbox, AgentSettings(max_tool_rounds=1), Briefing(), REPEATABLE.max_tokens
    )
    agent.conversation.messages += called_before()
    answered = [event async for event in agent.ask("Does it rain there? Answer in one sentence.")][-1]
    assert isinstance(answered, Answered) and answered.text
    assert answered.usage.prompt_tokens > 100 and told == []
    assert models.current == f"openai:{(await models.list_models())[0].name.removeprefix('openai:')}"
    await agent.model.close()
    await models.close()
