"""Tokens of messages: by the model's own count, corrected for each message by what servers report of whole prompts."""

import json
from collections.abc import Sequence

from chatbot.conversation.messages import Message
from chatbot.models.base import LanguageModel
from chatbot.models.counting.token_estimate import estimate_picture
from tools.base import ToolSchema

MESSAGE_FRAME_TOKENS = 6
"""Tokens that a chat template puts around a message; Qwen's takes 5, others up to 8."""
MAX_COUNTS_KEPT = 4096
"""Messages whose tokens are remembered: more than any window holds."""
PLAUSIBLE = 2.5
"""How many times more or less than estimated new text may have; beyond it the report is of something else."""
OFF = 1.6
"""The same for a whole prompt, in which errors even out."""

Key = int | tuple[str, tuple[str, ...]]
"""A message by its identity, or the beginning of prompts by what stands in it."""


class TokenCounter:
    """Counts messages one by one, each once: what a server reported of a prompt is shared out among what was new in it.

    So a prompt that grows is estimated by what the server said of its beginning, and only its end by a guess.
    """

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._settled: dict[Key, tuple[object, float]] = {}
        """A message is kept beside its tokens, so that its identity stays its own."""

    def use_model(self, model: LanguageModel) -> None:
        """Count for another model from now on."""
        self._model = model
        self._settled.clear()

    async def count_text(self, text: str) -> int:
        """Tokens of a text by itself."""
        return await self._model.count_tokens(text)

    async def count_message(self, message: Message) -> float:
        """Tokens of a message with its calls and the template around it; a share of what a server counted."""
        known = self._settled.get(id(message))
        return known[1] if known else await self._guess_tokens(message)

    async def count_beginning(self, system: Message, tools: Sequence[ToolSchema]) -> tuple[int, int]:
        """Tokens of the system message and of the tools' schemas."""
        words = MESSAGE_FRAME_TOKENS + await self._model.count_tokens(system.prompt_text)
        schemas = sum([await self._model.count_tokens(schema_text(tool)) for tool in tools])
        known = self._settled.get(beginning_key(system, tools))
        if known is None:
            return words, schemas
        scaled = round(words * known[1] / (words + schemas))
        return scaled, round(known[1]) - scaled

    async def settle_counts(
        self, system: Message, tools: Sequence[ToolSchema], messages: Sequence[Message], reported: int
    ) -> bool:
        """Learn the tokens of a prompt that was sent as it is; whether the report can be of all of it."""
        items: list[tuple[Key, object, float]] = [
            (beginning_key(system, tools), None, sum(await self.count_beginning(system, tools)))
        ]
        items += [(id(message), message, await self.count_message(message)) for message in messages]
        new = [item for item in items if item[0] not in self._settled]
        total, unsettled = (sum(count for _, _, count in some) for some in (items, new))
        rest = reported - (total - unsettled)
        if new and 1 / PLAUSIBLE <= rest / unsettled <= PLAUSIBLE:
            self._scale_counts(new, rest / unsettled)
        elif 1 / OFF <= reported / total <= OFF:
            self._scale_counts(items, reported / total)
        else:
            return False
        return True

    def _scale_counts(self, items: Sequence[tuple[Key, object, float]], factor: float) -> None:
        for key, message, count in items:
            self._settled[key] = (message, count * factor)
        while len(self._settled) > MAX_COUNTS_KEPT:
            del self._settled[next(iter(self._settled))]

    async def _guess_tokens(self, message: Message) -> int:
        # Thinking goes back to the model only beside the calls that it led to.
        calls = "".join(json.dumps(call.arguments) + call.name for call in message.tool_calls)
        thinking = message.thinking if message.tool_calls else ""
        words = await self._model.count_tokens(message.prompt_text + thinking + calls)
        return MESSAGE_FRAME_TOKENS + words + sum(map(estimate_picture, message.pictures))


def beginning_key(system: Message, tools: Sequence[ToolSchema]) -> Key:
    """What tells one beginning of a prompt from another."""
    return system.content, tuple(tool.name for tool in tools)


def schema_text(tool: ToolSchema) -> str:
    """A tool's schema as a template writes it."""
    return json.dumps({"name": tool.name, "description": tool.description, "parameters": tool.parameters})
