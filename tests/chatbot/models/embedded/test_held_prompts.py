"""What one process had the engine read, the next one need not have restored."""

from contextlib import aclosing
from pathlib import Path

import pytest

from chatbot.conversation.messages import Message
from chatbot.models.base import Done, ReplyOptions
from chatbot.models.embedded.held_prompts import HeldPrompts
from chatbot.models.embedded.model import EmbeddedModel
from chatbot.models.embedded.settings import EmbeddedSettings
from chatbot.models.settings import Generation

BEGINNING = [Message("system", "You are a keeper of birds who answers in one word. " * 8)]
TALK = [
    *BEGINNING,
    Message("user", "Which bird collects what shines, as an old tale of the village on the hill has it? " * 4),
    Message("assistant", "Magpies."),
    Message("user", "And which one sings?"),
]


def test_a_prompt_is_held_by_the_engine_that_read_it_and_by_no_other(tmp_path: Path) -> None:
    HeldPrompts(tmp_path / "held").note_prompt("key", "one")
    HeldPrompts(tmp_path / "held").note_prompt("key", "two")
    held = HeldPrompts(tmp_path / "held")
    assert held.has_prompt("key", "one") and held.has_prompt("key", "two") and not held.has_prompt("key", "three")
    assert not held.has_prompt("another key", "one")


@pytest.mark.parametrize("damage", ["", "[]", '{"engine": 3}', "\0"])
def test_a_damaged_note_holds_nothing_and_is_written_anew(tmp_path: Path, damage: str) -> None:
    (tmp_path / "held").write_text(damage)
    held = HeldPrompts(tmp_path / "held")
    assert not held.has_prompt("key", "one")
    held.note_prompt("key", "one")
    assert held.has_prompt("key", "one")


async def read_tokens(model: EmbeddedModel, messages: list[Message]) -> int:
    """Tokens of a prompt that the engine had to read."""
    async with aclosing(model.reply(messages, options=ReplyOptions(max_tokens=1))) as pieces:
        async for piece in pieces:
            if isinstance(piece, Done):
                return piece.usage.prompt_tokens - piece.usage.cached_tokens
    raise AssertionError("no end of the reply")


@pytest.mark.model
async def test_a_talk_that_another_process_goes_on_with_is_not_read_anew(small_engine_dir: Path) -> None:
    def model() -> EmbeddedModel:
        settings = EmbeddedSettings(size="0.5b")
        return EmbeddedModel(settings, Generation(temperature=0, seed=1, context_window=4096), small_engine_dir)

    first, second = model(), model()
    try:
        await first.warm_up(BEGINNING)
        await read_tokens(first, TALK)
        await second.warm_up(BEGINNING)
        assert await read_tokens(second, TALK) < 10
    finally:
        await first.close()
        await second.close()
