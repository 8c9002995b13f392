"""What a chat is made of."""

from pathlib import Path

from chatbot.config import load_configuration
from chatbot.conversation.messages import Message
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.tool_choice import decide_tool
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from tests.fakes.embedder import WordEmbedder
from tests.fakes.site_app import running_chat


async def test_a_model_in_steps_may_be_led_to_every_tool_that_there_is(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    settings = {"data_dir": str(tmp_path), "history.searchable": True}
    async with running_chat(load_configuration(tmp_path / "config.json", settings, {})) as running:
        schemas = running.chat.agent.toolbox.schemas
    turns = read_turns([Message("user", "What stands at https://harrow.test/ of the ferry?")])
    decision = await decide_tool(EvidenceFinder(WordEmbedder(dimensions=384)), turns, schemas, None)
    assert {schema.name for schema in schemas} | {"answer"} == set(decision.shares)
    assert len(schemas) == 12
