"""What a model was asked before."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models import wrapping
from chatbot.models.base import FilledForm, WordShares
from chatbot.models.wrapping import RememberingModel
from tests.fakes.deciding import DecidingModel


@dataclass
class CountedModel(DecidingModel):
    """Keeps what it was asked."""

    asked: list[str] = field(default_factory=list)

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        self.asked.append(messages[-1].content)
        return await super().weigh_words(messages, words)

    async def fill_schema(self, messages: Sequence[Message], schema: dict[str, Any]) -> FilledForm:
        self.asked.append(messages[-1].content)
        return await super().fill_schema(messages, schema)


async def test_what_was_weighed_before_is_told_again_without_asking_and_took_nothing() -> None:
    model = CountedModel([], side_usage=Usage(prompt_tokens=70))
    remembering = RememberingModel(model)
    first = await remembering.weigh_words([Message("user", "a?")], ("yes", "no"))
    again = await remembering.weigh_words([Message("user", "a?")], ("yes", "no"))
    assert (first.shares, first.usage.prompt_tokens) == (again.shares, 70)
    assert again.usage == Usage()
    assert model.asked == ["a?"]


async def test_other_words_and_other_prompts_are_weighed_anew() -> None:
    model = CountedModel([])
    remembering = RememberingModel(model)
    for messages in ([Message("user", "a?")], [Message("system", "b"), Message("user", "a?")]):
        for words in (("yes", "no"), ("1", "2")):
            await remembering.weigh_words(messages, words)
    assert model.asked == ["a?"] * 4


async def test_only_the_last_prompts_are_kept() -> None:
    model = CountedModel([])
    remembering = RememberingModel(model)
    for number in [*range(wrapping.MAX_REMEMBERED + 1), wrapping.MAX_REMEMBERED, 0]:
        await remembering.weigh_words([Message("user", str(number))], ("yes", "no"))
    assert len(model.asked) == wrapping.MAX_REMEMBERED + 2
    assert model.asked[-1] == "0"


async def test_a_form_is_filled_in_once_for_each_prompt_and_schema() -> None:
    model = CountedModel([], filled={"query": "ferry"})
    remembering = RememberingModel(model)
    for schema in ({"type": "object"}, {"type": "object"}, {"type": "object", "required": ["query"]}):
        filled = await remembering.fill_schema([Message("user", "a?")], schema)
        assert filled.values == {"query": "ferry"}
    assert model.asked == ["a?"] * 2
