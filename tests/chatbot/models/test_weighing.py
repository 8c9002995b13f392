"""What a model was asked to weigh before."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models import wrapping
from chatbot.models.base import WordShares
from chatbot.models.wrapping import WeighingModel
from tests.fakes.deciding import DecidingModel


@dataclass
class CountedModel(DecidingModel):
    """Keeps what it was asked."""

    asked: list[str] = field(default_factory=list)

    async def weigh_words(self, messages: Sequence[Message], words: Sequence[str]) -> WordShares:
        self.asked.append(messages[-1].content)
        return await super().weigh_words(messages, words)


async def test_what_was_weighed_before_is_told_again_without_asking_and_took_nothing() -> None:
    model = CountedModel([], side_usage=Usage(prompt_tokens=70))
    weighing = WeighingModel(model)
    first = await weighing.weigh_words([Message("user", "a?")], ("yes", "no"))
    again = await weighing.weigh_words([Message("user", "a?")], ("yes", "no"))
    assert (first.shares, first.usage.prompt_tokens) == (again.shares, 70)
    assert again.usage == Usage()
    assert model.asked == ["a?"]


async def test_other_words_and_other_prompts_are_weighed_anew() -> None:
    model = CountedModel([])
    weighing = WeighingModel(model)
    for messages in ([Message("user", "a?")], [Message("system", "b"), Message("user", "a?")]):
        for words in (("yes", "no"), ("1", "2")):
            await weighing.weigh_words(messages, words)
    assert model.asked == ["a?"] * 4


async def test_only_the_last_prompts_are_kept() -> None:
    model = CountedModel([])
    weighing = WeighingModel(model)
    for number in [*range(wrapping.MAX_WEIGHINGS + 1), wrapping.MAX_WEIGHINGS, 0]:
        await weighing.weigh_words([Message("user", str(number))], ("yes", "no"))
    assert len(model.asked) == wrapping.MAX_WEIGHINGS + 2
    assert model.asked[-1] == "0"
