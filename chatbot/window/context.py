"""The window as a budget: what a call sends as things are, counted by origin; it decides nothing of what gives way."""

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.conversation.conversation import Compaction, Conversation
from chatbot.conversation.events import ContextUsed, Part
from chatbot.conversation.messages import Message
from chatbot.conversation.turns import questions_among, start_of_turn
from chatbot.conversation.usage import Usage
from chatbot.models.base import Done, LanguageModel, ModelInfo
from chatbot.settings import Mark
from chatbot.window.pictures import ShownPictures
from chatbot.window.shrinking import condense_result, pinned_turns, shrink_result, summary_turn
from chatbot.window.token_counter import TokenCounter
from rag.documents import Passage
from tools.base import ToolSchema
from utils.errors import PromptTooLong

PARTS: tuple[Part, ...] = ("system", "tools", "summary", "history", "evidence", "question")
# Tokens of a result that a model served in steps is shown: a passage of 150 words with its title.
STEPWISE_RESULT_TOKENS = 250
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
    limit: int
    """Tokens that it may have."""
    unseen: int = 0

    @property
    def fits(self) -> bool:
        """Whether it has room in the window."""
        return self.used.total_tokens <= self.limit


class ContextBudget:
    """Counts prompts, and keeps what gave way in them: that stays so, so that the prompt's beginning holds."""

    def __init__(self, model: LanguageModel, max_tokens: int) -> None:
        self._model = model
        self._max_tokens = max_tokens
        self.counter = TokenCounter(model)
        self.reset()

    def use_model(self, model: LanguageModel) -> None:
        """Count for another model from now on."""
        self._model = model
        self.counter.use_model(model)
        self._excess = 0
        self._last = Usage()

    def reset(self) -> None:
        """Begin with another conversation."""
        self._condensed = self._start = self._told = self._excess = self._length = 0
        self._last = Usage()
        self._less: dict[int, int] = {}
        self._shrunk: dict[tuple[int, int], tuple[Message, Message]] = {}
        self._head: tuple[Compaction | None, list[Message]] = (None, [])
        self._sees, self._unseen, self._pictures = False, 0, ShownPictures()

    async def prompt_limit(self) -> int:
        """Tokens that a prompt may have: the window without the room for the reply."""
        info = await self._model.describe()
        return info.context_window - self._reply_room(info) - self._excess

    async def question_room(self, sendable: Sendable) -> int:
        """Tokens that a question may have with all that belongs to it: the window without what is sent in any case."""
        parts = (await self.assemble_unshrunk(sendable)).used.parts
        pins = pinned_turns(sendable.conversation, len(sendable.conversation.messages)) if sendable.history else []
        pinned = sum([await self.counter.count_message(message) for message in pins])
        return max(0, await self.prompt_limit() - parts["system"] - parts["tools"] - parts["summary"] - round(pinned))

    async def assemble_unshrunk(self, sendable: Sendable) -> AssembledPrompt:
        """What would be sent as things are, whether it fits or not."""
        return await self._build_prompt(sendable, await self.prompt_limit())

    async def passes_mark(self, sendable: Sendable, mark: Mark) -> bool:
        """Whether so much is used that older turns should be summarised."""
        if mark.unit == "messages":
            return len(sendable.conversation.messages) - sendable.conversation.covered_count > mark.amount
        limit, window = await self.prompt_limit(), (await self._model.describe()).context_window
        allowed = mark.amount * window if mark.unit == "share" else mark.amount
        prompt = await self._build_prompt(sendable, limit)
        return prompt.unseen > 0 or prompt.used.total_tokens > min(allowed, limit)

    async def learn_count(self, sendable: Sendable, prompt: AssembledPrompt, done: Done) -> None:
        """Take what the server counted; of a prompt that was not sent as it was given that tells nothing."""
        self._last = done.usage
        if done.as_given:
            await self.counter.settle_counts(
                sendable.system, sendable.tools, prompt.messages[1:], done.usage.prompt_tokens
            )

    async def learn_excess(self, sendable: Sendable, prompt: AssembledPrompt, error: PromptTooLong) -> None:
        """Take the exact count from a server that refused a prompt, or send less by a guess where it gave none."""
        counted, limit = error.prompt_tokens, await self.prompt_limit()
        if counted > limit and await self.counter.settle_counts(
            sendable.system, sendable.tools, prompt.messages[1:], counted
        ):
            return
        # Where the window turned out to be smaller, the prompt is known to be too long for it.
        if prompt.used.total_tokens <= limit:
            self._excess += max(counted - error.window, 0) + prompt.used.total_tokens // 10

    def left_out(self, conversation: Conversation) -> int:
        """How many messages are not sent, from the first one on: a summary stands for them, or nothing does."""
        return max(conversation.covered_count, self._start)

    def tell_loss(self, conversation: Conversation) -> str:
        """What to tell the user of questions that no longer fit; empty when that was told before."""
        if self._start <= max(self._told, conversation.covered_count):
            return ""
        self._told = self._start
        count = len(questions_among(conversation.messages[: self._start]))
        what = "the first question" if count == 1 else f"the first {count} questions"
        return f"The window is full: the model no longer sees {what} of this chat."

    async def count_fitting(self, text: str, passages: Sequence[Passage], room: int) -> int:
        """How many of the passages, best first, fit beside `text` into `room` tokens; one at least."""
        left = room - await self.counter.count_message(Message("tool", text))
        for count, passage in enumerate(passages):
            left -= await self.counter.count_text(f"{passage.title} {passage.source} {passage.text}") + len("[10] ()")
            if left < 0:
                return max(1, count)
        return len(passages)

    def follow_conversation(self, conversation: Conversation) -> None:
        """Turns that were taken back take with them what was shrunk for them."""
        length = len(conversation.messages)
        if length < self._length:
            self._condensed, self._told = min(self._condensed, length), min(self._told, length)
            self._start = self._start if self._start < length else 0
            self._unseen = min(self._unseen, length)
            self._less = {index: less for index, less in self._less.items() if index < length}
        self._length = length

    def shorten_result(self, index: int) -> None:
        """Send one passage less of the result at this index from now on, or half of its text."""
        self._less[index] = self._less.get(index, 0) + 1

    def condense_until(self, index: int) -> None:
        """Send the result at this index, and all before it, as one line each from now on."""
        self._condensed = index + 1

    def hide_pictures(self, start: int) -> None:
        """Send no picture of the messages before this index from now on."""
        self._unseen = max(self._unseen, start)

    def leave_out(self, start: int) -> None:
        """Send nothing of what stands before this index from now on."""
        self._start = max(self._start, start)

    def find_first_sent(self, sendable: Sendable) -> int:
        """The index of the first message that is sent itself."""
        if not sendable.history:
            return start_of_turn(sendable.conversation.messages, 1)
        return self.left_out(sendable.conversation)

    def find_first_whole(self, sendable: Sendable) -> int:
        """The index of the first message that is sent and no line of it yet."""
        return max(self.find_first_sent(sendable), self._condensed)

    def as_sent(self, index: int, message: Message) -> Message:
        """A message, shrunk as far as it had to be, with the pictures that are seen; the same object every time."""
        message = self._pictures.show(message, self._sees and index >= self._unseen)
        steps = -1 if index < self._condensed else self._less.get(index, 0)
        if not message.is_result or not steps:
            return message
        known = self._shrunk.get((index, steps))
        if known is None or known[0] is not message:
            known = self._shrunk[index, steps] = (
                message,
                condense_result(message) if steps < 0 else shrink_result(message, steps),
            )
        return known[1]

    def _reply_room(self, info: ModelInfo) -> int:
        return min(info.max_tokens or self._max_tokens, info.context_window // 4)

    def _carried_messages(self, sendable: Sendable, begin: int) -> list[Message]:
        """What stands for the messages before `begin`: the summary, and the pinned turns word for word."""
        if not sendable.history:
            return []
        conversation = sendable.conversation
        compaction = conversation.compactions[-1] if conversation.compactions else None
        if compaction is not self._head[0]:
            covered = conversation.messages[: compaction.covers] if compaction else []
            self._head = (compaction, summary_turn(compaction, covered) if compaction else [])
        pinned = (self._pictures.show(message, self._sees) for message in pinned_turns(conversation, begin))
        return [*self._head[1], *pinned]

    async def _message_cost(self, message: Message, info: ModelInfo) -> float:
        tokens = await self.counter.count_message(message)
        return min(tokens, STEPWISE_RESULT_TOKENS) if info.in_steps and message.is_result else tokens

    async def _build_prompt(self, sendable: Sendable, limit: int) -> AssembledPrompt:
        """What is sent: system, summary, pinned turns, then the messages from the newest back as far as can matter."""
        info = await self._model.describe()
        self._sees = info.can_see
        messages, begin = sendable.conversation.messages, self.find_first_sent(sendable)
        head = self._carried_messages(sendable, begin)
        parts: dict[Part, float] = dict.fromkeys(PARTS, 0.0)
        tools = () if info.in_steps else sendable.tools
        parts["system"], parts["tools"] = await self.counter.count_beginning(sendable.system, tools)
        for position, message in enumerate(head):
            part: Part = "summary" if position < len(self._head[1]) else "history"
            parts[part] += await self.counter.count_message(message)
        kept: list[Message] = []
        current, index = start_of_turn(messages, 1), len(messages)
        while index > begin and (index > current or sum(parts.values()) <= _SEEN * limit):
            index -= 1
            message = self.as_sent(index, messages[index])
            parts[message_origin(index, current, message)] += await self._message_cost(message, info)
            kept.append(message)
        rounded = {part: round(tokens) for part, tokens in parts.items()}
        kept_free, last = self._reply_room(info), self._last
        used = ContextUsed(rounded, info.context_window, kept_free, last.cached_tokens, last.prompt_tokens)
        return AssembledPrompt((sendable.system, *head, *reversed(kept)), used, limit, index - begin)


def message_origin(index: int, current: int, message: Message) -> Part:
    """Where the tokens of a message come from; `current` is the index of the question under way."""
    if message.is_result:
        return "evidence"
    return "question" if index == current else "history"
