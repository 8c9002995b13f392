"""What the parts are once they have met."""

import asyncio
from pathlib import Path

from chatbot.config import load
from chatbot.conversation.messages import Message
from chatbot.engine.engine import assemble
from chatbot.models.dialogue import read_turns
from chatbot.models.pipeline.decision.tool_choice import decide
from chatbot.models.pipeline.reading.evidence import EvidenceFinder
from tests.fakes.embedder import WordEmbedder


async def test_a_model_in_steps_may_be_led_to_every_tool_that_there_is(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    settings = {"data_dir": str(tmp_path), "history.searchable": True}
    parts = await assemble(load(tmp_path / "config.json", settings, {}), asyncio.Queue())
    schemas = parts.agent.toolbox.schemas
    turns = read_turns([Message("user", "What stands at https://harrow.test/ of the ferry?")])
    decision = await decide(EvidenceFinder(WordEmbedder(dimensions=384)), turns, schemas, None)
    await parts.close()
    assert {schema.name for schema in schemas} | {"answer"} == set(decision.shares)
    assert len(schemas) == 12
