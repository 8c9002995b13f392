"""What a chat is made of."""

from pathlib import Path

from chatbot.config import load
from chatbot.conversation.messages import Message
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.tool_choice import decide
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from tests.fakes.embedder import WordEmbedder
from tests.fakes.site_app import running_chat


async def test_a_model_in_steps_may_be_led_to_every_tool_that_there_is(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    settings = {"data_dir": str(tmp_path), "history.searchable": True}
    async with running_chat(load(tmp_path / "config.json", settings, {})) as running:
        schemas = running.chat.agent.toolbox.schemas
    turns = read_turns([Message("user", "What stands at https://harrow.test/ of the ferry?")])
    decision = await decide(EvidenceFinder(WordEmbedder(dimensions=384)), turns, schemas, None)
    assert {schema.name for schema in schemas} | {"answer"} == set(decision.shares)
    assert len(schemas) == 12
