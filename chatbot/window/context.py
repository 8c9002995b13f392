"""The window as a budget: what a call sends, counted by origin, and what gives way when room is short."""

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.conversation.conversation import Compaction, Conversation, start_of_turn
from chatbot.conversation.events import ContextUsed, Part
from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import Done, LanguageModel, ModelInfo
from chatbot.settings import Mark
from chatbot.window.shrinking import can_be_less, condensed, less, pinned, summarised
from chatbot.window.token_counter import TokenCounter
from rag.documents import Passage
from tools.base import ToolSchema
from utils.errors import PromptTooLong, QuestionTooLong

PARTS: tuple[Part, ...] = ("system", "tools", "summary", "history", "evidence", "question")
# When room is short, make enough of it that the next calls find the same beginning in the server's cache.
AFTER_SHRINKING = 0.7
# Tokens of a result that a model served in steps is shown: a passage of 150 words with its title.
READ = 250
# What is further back than this many windows is not looked at: it cannot be sent.
_SEEN = 4


@dataclass(frozen=True)
class Sendable:
    """What a call has to say, before any of it gives way to the window."""

    system: Message
    conversation: Conversation
    tools: Sequence[ToolSchema] = ()
    """The tools that the prompt has room for, whether they may be called this time or not."""
    history: bool = True
    """Whether anything before the last question is sent."""


@dataclass(frozen=True)
class AssembledPrompt:
    """What one call sends; `unseen` messages before it were not even looked at."""

    messages: tuple[Message, ...]
    used: ContextUsed
    unseen: int = 0


class ContextBudget:
    """Assembles prompts that fit. What it had to shrink stays shrunk, so that the prompt's beginning holds."""

    def __init__(self, model: LanguageModel, max_tokens: int) -> None:
        self._model = model
        self._max_tokens = max_tokens
        self.counter = TokenCounter(model)
        self.reset()

    def use(self, model: LanguageModel) -> None:
        """Count for another model from now on."""
        self._model = model
        self.counter.use(model)
        self._excess = 0
        self._last = Usage()

    def reset(self) -> None:
        """Begin with another conversation."""
        self._condensed = self._start = self._told = self._excess = self._length = 0
        self._last = Usage()
        self._less: dict[int, int] = {}
        self._shrunk: dict[tuple[int, int], tuple[Message, Message]] = {}
        self._head: tuple[Compaction | None, list[Message]] = (None, [])

    async def limit(self) -> int:
        """Tokens that a prompt may have: the window without the room for the reply."""
        window = (await self._model.describe()).context_window
        return window - self._reserve(window) - self._excess

    async def used(self, sendable: Sendable) -> AssembledPrompt:
        """What would be sent as things are, whether it fits or not."""
        return await self._prompt(sendable, await self.limit())

    async def passes(self, sendable: Sendable, mark: Mark) -> bool:
        """Whether so much is used that older turns should be summarised."""
        if mark.unit == "messages":
            return len(sendable.conversation.messages) - sendable.conversation.covered > mark.amount
        limit, window = await self.limit(), (await self._model.describe()).context_window
        allowed = mark.amount * window if mark.unit == "share" else mark.amount
        prompt = await self._prompt(sendable, limit)
        return prompt.unseen > 0 or prompt.used.used > min(allowed, limit)

    async def fits(self, sendable: Sendable) -> bool:
        """Whether it fits with fewer passages for the last question and older results in one line each."""
        limit = await self.limit()
        return (await self._shrink(sendable, limit)).used.used <= limit

    async def assemble(self, sendable: Sendable) -> AssembledPrompt:
        """The prompt for the conversation so far, without its oldest turns if need be; raises `QuestionTooLong`."""
        limit = await self.limit()
        prompt = await self._shrink(sendable, limit)
        if prompt.used.used > limit:
            prompt = await self._drop(sendable, limit)
        if prompt.used.used > limit:
            parts = prompt.used.parts
            raise QuestionTooLong(
                f"The question with what belongs to it has about {parts['question'] + parts['evidence']} tokens; "
                f"the window has room for {max(0, limit - parts['system'] - parts['tools'])}.",
                "Shorten it, index the text with /rag-index and ask about it, or raise context_window.",
            )
        return prompt

    async def drop(self, sendable: Sendable) -> None:
        """Leave out the oldest turns until there is room again."""
        await self._drop(sendable, await self.limit())

    async def learn(self, sendable: Sendable, prompt: AssembledPrompt, done: Done) -> None:
        """Take what the server counted; of a prompt that was not sent as it was given that tells nothing."""
        self._last = done.usage
        if done.as_given:
            await self.counter.settle(sendable.system, sendable.tools, prompt.messages[1:], done.usage.prompt_tokens)

    async def learn_excess(self, sendable: Sendable, prompt: AssembledPrompt, error: PromptTooLong) -> None:
        """Take the exact count from a server that refused a prompt, or send less by a guess where it gave none."""
        counted, limit = error.prompt_tokens, await self.limit()
        if counted > limit and await self.counter.settle(sendable.system, sendable.tools, prompt.messages[1:], counted):
            return
        # Where the window turned out to be smaller, the prompt is known to be too long for it.
        if prompt.used.used <= limit:
            self._excess += max(counted - error.window, 0) + prompt.used.used // 10

    def left_out(self, conversation: Conversation) -> int:
        """How many messages are not sent, from the first one on: a summary stands for them, or nothing does."""
        return max(conversation.covered, self._start)

    def loss(self, conversation: Conversation) -> str:
        """What to tell the user of questions that no longer fit; empty when that was told before."""
        if self._start <= max(self._told, conversation.covered):
            return ""
        self._told = self._start
        count = sum(message.role == "user" for message in conversation.messages[: self._start])
        what = "the first question" if count == 1 else f"the first {count} questions"
        return f"The window is full: the model no longer sees {what} of this chat."

    async def fit(self, text: str, passages: Sequence[Passage], room: int) -> int:
        """How many of the passages, best first, fit beside `text` into `room` tokens; one at least."""
        left = room - await self.counter.message(Message("tool", text))
        for count, passage in enumerate(passages):
            left -= await self.counter.text(f"{passage.title} {passage.source} {passage.text}") + len("[10] ()")
            if left < 0:
                return max(1, count)
        return len(passages)

    def _reserve(self, window: int) -> int:
        return min(self._max_tokens, window // 4)

    async def _shrink(self, sendable: Sendable, limit: int) -> AssembledPrompt:
        """First fewer passages for the last question, then older results in one line each, the oldest first."""
        self._follow(sendable.conversation)
        prompt = await self._prompt(sendable, limit)
        while prompt.used.used > limit and self._take_less(sendable):
            prompt = await self._prompt(sendable, limit)
        if prompt.used.used <= limit or prompt.unseen:
            return prompt
        messages = sendable.conversation.messages
        results = [
            index
            for index in range(max(self._begin(sendable), self._condensed), start_of_turn(messages, 1))
            if messages[index].role == "tool"
        ]
        for index in results:
            self._condensed = index + 1
            prompt = await self._prompt(sendable, limit)
            if prompt.used.used <= limit * AFTER_SHRINKING:
                break
        return prompt

    async def _drop(self, sendable: Sendable, limit: int) -> AssembledPrompt:
        """Leave out the oldest turns, but never the last."""
        messages, begin = sendable.conversation.messages, self._begin(sendable)
        prompt = await self._prompt(sendable, limit)
        parts, pins = prompt.used.parts, pinned(sendable.conversation, len(messages))
        room = limit * AFTER_SHRINKING - sum(parts[part] for part in ("system", "tools", "summary"))
        room -= sum([await self.counter.message(message) for message in pins])
        start = start_of_turn(messages, 1)
        for index in range(len(messages) - 1, begin - 1, -1):
            room -= await self.counter.message(self._as_sent(index, messages[index]))
            if room < 0:
                break
            if messages[index].role == "user":
                start = min(start, index)
        self._start = max(self._start, start)
        return await self._prompt(sendable, limit)

    def _take_less(self, sendable: Sendable) -> bool:
        """One passage less of the last question's largest result, or half of a text that has no passages."""
        messages = sendable.conversation.messages
        results = [i for i in range(start_of_turn(messages, 1), len(messages)) if messages[i].role == "tool"]
        for index in sorted(results, key=lambda index: -len(self._as_sent(index, messages[index]).content)):
            shown = self._as_sent(index, messages[index])
            if can_be_less(shown):
                self._less[index] = self._less.get(index, 0) + 1
                return True
        return False

    def _follow(self, conversation: Conversation) -> None:
        """Turns that were taken back take with them what was shrunk for them."""
        length = len(conversation.messages)
        if length < self._length:
            self._condensed, self._told = min(self._condensed, length), min(self._told, length)
            self._start = self._start if self._start < length else 0
            self._less = {index: less for index, less in self._less.items() if index < length}
        self._length = length

    def _begin(self, sendable: Sendable) -> int:
        if not sendable.history:
            return start_of_turn(sendable.conversation.messages, 1)
        return self.left_out(sendable.conversation)

    def _as_sent(self, index: int, message: Message) -> Message:
        """A message, shrunk as far as it had to be; the same object every time."""
        steps = -1 if index < self._condensed else self._less.get(index, 0)
        if message.role != "tool" or not steps:
            return message
        known = self._shrunk.get((index, steps))
        if known is None or known[0] is not message:
            known = self._shrunk[index, steps] = (message, condensed(message) if steps < 0 else less(message, steps))
        return known[1]

    def _carried(self, sendable: Sendable, begin: int) -> list[Message]:
        """What stands for the messages before `begin`: the summary, and the pinned turns word for word."""
        if not sendable.history:
            return []
        conversation = sendable.conversation
        compaction = conversation.compactions[-1] if conversation.compactions else None
        if compaction is not self._head[0]:
            covered = conversation.messages[: compaction.covers] if compaction else []
            self._head = (compaction, summarised(compaction, covered) if compaction else [])
        return [*self._head[1], *pinned(conversation, begin)]

    async def _cost(self, message: Message, info: ModelInfo) -> float:
        tokens = await self.counter.message(message)
        return min(tokens, READ) if info.in_steps and message.role == "tool" else tokens

    async def _prompt(self, sendable: Sendable, limit: int) -> AssembledPrompt:
        """What is sent: system, summary, pinned turns, then the messages from the newest back as far as can matter."""
        messages, begin = sendable.conversation.messages, self._begin(sendable)
        head = self._carried(sendable, begin)
        parts: dict[Part, float] = dict.fromkeys(PARTS, 0.0)
        info = await self._model.describe()
        tools = () if info.in_steps else sendable.tools
        parts["system"], parts["tools"] = await self.counter.beginning(sendable.system, tools)
        for position, message in enumerate(head):
            part: Part = "summary" if position < len(self._head[1]) else "history"
            parts[part] += await self.counter.message(message)
        kept: list[Message] = []
        current, index = start_of_turn(messages, 1), len(messages)
        while index > begin and (index > current or sum(parts.values()) <= _SEEN * limit):
            index -= 1
            message = self._as_sent(index, messages[index])
            parts[origin(index, current, message)] += await self._cost(message, info)
            kept.append(message)
        rounded = {part: round(tokens) for part, tokens in parts.items()}
        kept_free, last = self._reserve(info.context_window), self._last
        used = ContextUsed(rounded, info.context_window, kept_free, last.cached_tokens, last.prompt_tokens)
        return AssembledPrompt((sendable.system, *head, *reversed(kept)), used, index - begin)


def origin(index: int, current: int, message: Message) -> Part:
    """Where the tokens of a message come from; `current` is the index of the question under way."""
    if message.role == "tool":
        return "evidence"
    return "question" if index == current else "history"
