"""The window as a budget: what a call sends, counted by origin, and what gives way when room is short."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatbot.events import ContextUsed, Part
from chatbot.messages import Message, Source
from chatbot.models.base import LanguageModel
from rag.documents import Passage
from tools.base import ToolSchema
from utils.errors import PromptTooLong, QuestionTooLong

# Tokens that a chat template puts around a message; Qwen's takes 5, others up to 8.
_FRAME = 6
# When room is short, make enough of it that the next calls find the same beginning in the server's cache.
_AFTER_SHRINKING = 0.7


@dataclass(frozen=True)
class Prompt:
    """What one call sends."""

    messages: tuple[Message, ...]
    used: ContextUsed


class ContextBudget:
    """Assembles prompts that fit. What it had to shrink stays shrunk, so that the prompt's beginning holds."""

    def __init__(self, model: LanguageModel, max_tokens: int) -> None:
        self._model = model
        self._max_tokens = max_tokens
        self._condensed = 0
        self._start = 0
        self._told = 0
        self._excess = 0

    def use(self, model: LanguageModel) -> None:
        """Count for another model from now on."""
        self._model = model
        self._excess = 0

    def reset(self) -> None:
        """Begin with an empty conversation."""
        self._condensed = self._start = self._told = self._excess = 0

    async def limit(self) -> int:
        """Tokens that a prompt may have: the window without the room for the reply."""
        window = (await self._model.describe()).context_window
        return window - min(self._max_tokens, window // 4) - self._excess

    async def assemble(self, system: Message, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Prompt:
        """The prompt for the conversation so far, shrunk until it fits; raises `QuestionTooLong`."""
        limit = await self.limit()
        prompt = await self._prompt(system, messages, tools)
        if prompt.used.used > limit:
            target = int(limit * _AFTER_SHRINKING)
            while prompt.used.used > target and self._shrink(messages):
                prompt = await self._prompt(system, messages, tools)
        if prompt.used.used > limit:
            parts = prompt.used.parts
            raise QuestionTooLong(
                f"The question with what belongs to it has about {parts['question'] + parts['evidence']} tokens; "
                f"the window has room for {limit - parts['system'] - parts['tools']}.",
                "Shorten it, index the text with /rag-index and ask about it, or raise context_window.",
            )
        return prompt

    def learn(self, error: PromptTooLong, estimated: int) -> None:
        """Take the exact count from a server that refused a prompt."""
        self._excess += max(error.prompt_tokens - estimated, estimated // 10)

    def _shrink(self, messages: Sequence[Message]) -> bool:
        """One step: older results become one line each, then the oldest turn is left out."""
        current = max((index for index, m in enumerate(messages) if m.role == "user"), default=0)
        for index in range(max(self._condensed, self._start), current):
            if messages[index].role == "tool":
                self._condensed = index + 1
                return True
        for index in range(self._start + 1, current + 1):
            if messages[index].role == "user":
                self._start = index
                return True
        return False

    def loss(self, messages: Sequence[Message]) -> str:
        """What to tell the user of questions that no longer fit; empty when that was told before."""
        left_out = sum(message.role == "user" for message in messages[: self._start])
        if left_out <= self._told:
            return ""
        self._told = left_out
        what = "the first question" if left_out == 1 else f"the first {left_out} questions"
        return f"The window is full: the model no longer sees {what} of this chat."

    async def _prompt(self, system: Message, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Prompt:
        kept = [
            condensed(message) if message.role == "tool" and index < self._condensed else message
            for index, message in enumerate(messages)
        ][self._start :]
        parts: dict[Part, int] = {"system": 0, "tools": 0, "history": 0, "evidence": 0, "question": 0}
        parts["system"] = await self.count(system)
        for tool in tools:
            parts["tools"] += await self._model.count_tokens(schema_text(tool))
        current = max((index for index, m in enumerate(kept) if m.role == "user"), default=0)
        for index, message in enumerate(kept):
            parts[origin(index, current, message)] += await self.count(message)
        window = (await self._model.describe()).context_window
        return Prompt((system, *kept), ContextUsed(parts, window))

    async def count(self, message: Message) -> int:
        """Tokens of a message with its calls and the template around it."""
        calls = "".join(json.dumps(call.arguments) + call.name for call in message.tool_calls)
        return _FRAME + await self._model.count_tokens(message.prompt_text + calls)

    async def fit(self, text: str, passages: Sequence[Passage], room: int) -> int:
        """How many of the passages, best first, fit beside `text` into `room` tokens."""
        room -= _FRAME + await self._model.count_tokens(text)
        for count, passage in enumerate(passages):
            room -= _FRAME + await self._model.count_tokens(f"{passage.title} {passage.source} {passage.text}")
            if room < 0:
                return count
        return len(passages)


def origin(index: int, current: int, message: Message) -> Part:
    """Where the tokens of a message come from; `current` is the index of the question under way."""
    if message.role == "tool":
        return "evidence"
    return "question" if index == current else "history"


def condensed(message: Message) -> Message:
    """An older result as one line: what was called stays, what it said can be looked up again."""
    numbers = ", ".join(f"[{source.number}] {source.passage.title}" for source in message.sources)
    text = f"(Result shortened; it gave: {numbers})" if numbers else "(Result shortened)"
    return replace(message, content=text, sources=())


def schema_text(tool: ToolSchema) -> str:
    """A tool's schema as a template writes it."""
    return json.dumps({"name": tool.name, "description": tool.description, "parameters": tool.parameters})


def numbered(source: Source) -> str:
    """A passage as the model reads it."""
    passage = source.passage
    when = f", read {passage.fetched[:10]}" if passage.fetched else ""
    kind = ", search result, not opened" if passage.origin == "snippet" else ""
    return f"[{source.number}] {passage.headed} ({passage.source}{when}{kind})\n{passage.text}"
