"""No reply, however broken, crashes or stops what looks for tool calls in it and carries them out."""

import os
from pathlib import Path

from chatbot.conversation.events import Answered
from chatbot.models.ollama.model import OllamaModel
from chatbot.models.ollama.settings import OllamaSettings
from chatbot.models.settings import Generation
from tests.attacks.replies import json_kinds, mutated, run_replies
from tests.conftest import Tally
from tests.fakes.app import FakeApp
from tests.fakes.attacks import needs_attacks
from tests.fakes.ollama import FakeOllama, Turn


@needs_attacks
async def test_damaged_replies_and_every_kind_of_json_are_taken_as_what_they_are(tally: Tally) -> None:
    damaged = 10_000 if os.environ.get("ATTACK") else 1000
    failures = await run_replies(damaged)
    tally("damaged replies, JSON of every kind, naughty strings", damaged + 7 * (318 + 515), failures)


@needs_attacks
def test_the_replies_are_damaged_in_ways_that_repeat() -> None:
    assert len({mutated(seed) for seed in range(500)}) > 400
    assert mutated(7) == mutated(7)
    assert len(json_kinds()) == 318


async def test_half_a_character_in_a_question_or_a_reply_does_not_end_the_conversation(tmp_path: Path) -> None:
    turns = [Turn("a \ud800 b"), Turn(calls=(("web_search", {"query": "x \ud800"}),)), Turn("done \ud800")]
    async with FakeOllama(turns) as server:
        settings, generation = OllamaSettings(host=server.url), Generation(request_timeout=5)
        app = FakeApp(OllamaModel("qwen3:8b", settings, generation), tmp_path, server.url)
        for question in ("caf\udce9?", "And \udcff?"):
            events = [event async for event in app.chat.agent.ask(question)]
            assert isinstance(events[-1], Answered)
        await app.chat.agent.model.close()
        await app.close()
    assert app.chat.agent.conversation.messages[0].content == "caf\ufffd?"
