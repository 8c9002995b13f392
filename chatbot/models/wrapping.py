"""A model around another one: what a wrapper does not do itself the wrapped model does."""

from collections.abc import Sequence
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.base import LanguageModel, ModelInfo


class WrappingModel:
    """A `LanguageModel` but for its replies, which each wrapper gives in its own way."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model

    async def describe(self) -> ModelInfo:
        """The wrapped model's description."""
        return await self.model.describe()

    async def choose(self, messages: Sequence[Message], words: Sequence[str]) -> dict[str, float]:
        """As the wrapped model does."""
        return await self.model.choose(messages, words)

    async def fill(self, messages: Sequence[Message], schema: dict[str, Any]) -> dict[str, Any]:
        """As the wrapped model does."""
        return await self.model.fill(messages, schema)

    async def count_tokens(self, text: str) -> int:
        """As the wrapped model does."""
        return await self.model.count_tokens(text)

    async def warm_up(self, messages: Sequence[Message]) -> None:
        """As the wrapped model does."""
        await self.model.warm_up(messages)

    async def close(self) -> None:
        """Close the wrapped model."""
        await self.model.close()
