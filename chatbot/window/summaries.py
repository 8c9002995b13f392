"""What a model writes of older turns, from as much of them as it can read in half a minute, and before it is needed."""

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from chatbot.conversation.conversation import Conversation
from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.models.base import Done, LanguageModel, ReplyOptions, Text
from chatbot.models.pipeline.reading.sentences import split_sentences
from chatbot.prompts.fewshot import clip_middle
from chatbot.prompts.loader import read_prompt
from chatbot.settings import WindowSettings
from chatbot.window.system_prompt import LONGEST_FILE
from utils.errors import ConfigError, FileUnreadable, ReplyBroken
from utils.fence import CONVERSATION, fence_text
from utils.files import expand_home, read_text

log = logging.getLogger(__name__)

MATERIAL = 2000
"""Tokens of older turns that the model reads at most: half a minute of a 1.5B on two cores."""
SUMMARY_FRAME_TOKENS = 80
"""Tokens of a prompt's own form and of the fence around the turns."""
MAX_MESSAGES_SUMMARISED = 200
"""Messages that the model reads at most; the sentences kept word for word come from all."""
MIN_MESSAGE_CHARS, MAX_MESSAGE_CHARS = 100, 1600
"""Characters that a message may have in what the model reads."""
CIRCLES = 3
"""How often the same sentence stands in a text that goes nowhere any more."""


@dataclass
class WrittenSummary:
    """What a model has written of a summary."""

    text: str = ""
    usage: Usage = field(default_factory=Usage)
    model: str = ""


class BegunSummary:
    """A summary that is being written, whether or not anybody waits for it, of the first messages of a conversation."""

    def __init__(self, model: LanguageModel, settings: WindowSettings, conversation: Conversation, cut: int) -> None:
        # As it is now: it may go on meanwhile.
        taken = list(conversation.compactions)
        self._conversation = replace(conversation, messages=conversation.messages[:cut], compactions=taken)
        self.written = WrittenSummary()
        self._counts: asyncio.Queue[int | None] = asyncio.Queue()
        steps = write_summary(model, settings, self._conversation, cut, self.written)
        self._task = asyncio.create_task(self._write(steps))
        self._task.add_done_callback(_note_failure)

    async def _write(self, steps: AsyncGenerator[int, None]) -> None:
        try:
            async with aclosing(steps):
                async for count in steps:
                    self._counts.put_nowait(count)
        finally:
            self._counts.put_nowait(None)

    async def follow(self) -> AsyncGenerator[int, None]:
        """The number of pieces as it grows, none where all is written; raises the `MagpieError` that it ended with."""
        if not self._task.done():
            while (count := await self._counts.get()) is not None:
                yield count
        await self._task

    def is_of(self, conversation: Conversation, cut: int) -> bool:
        """Whether it stands for these messages, and did not fail."""
        begun, task = self._conversation, self._task
        failed = task.done() and (task.cancelled() or task.exception() is not None)
        same = begun.messages == conversation.messages[:cut] and begun.covered_count == conversation.covered_count
        return same and not failed

    async def stop(self) -> None:
        """Give it up, and wait until that is done."""
        self._task.cancel()
        await asyncio.wait({self._task})


def _note_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        log.warning("A summary could not be written: %s", error)


async def write_summary(
    model: LanguageModel, settings: WindowSettings, conversation: Conversation, cut: int, written: WrittenSummary
) -> AsyncGenerator[int, None]:
    """Have the model write the summary; yields the number of pieces so far. Raises a `MagpieError`."""
    info = await model.describe()
    written.model = info.known_by
    most = min(settings.compact_max_tokens, info.context_window // 4)
    asked = summary_request(settings)
    # What is asked stands before the turns and behind them.
    room = info.context_window - most - 2 * await model.count_tokens(asked) - SUMMARY_FRAME_TOKENS
    text = await make_transcript(model, conversation, cut, min(room, MATERIAL))
    prompt = [Message("system", asked), Message("user", f"{fence_text(text, CONVERSATION)}\n\n{asked}")]
    pieces = model.reply(prompt, options=ReplyOptions(most, settings.compact_temperature))
    count = 0
    async with aclosing(pieces):
        async for piece in pieces:
            if isinstance(piece, Done):
                written.usage = piece.usage
            elif isinstance(piece, Text):
                count += 1
                written.text += piece.delta
                yield count
                if goes_round(written.text):
                    sent = await model.count_tokens("\n".join(message.content for message in prompt))
                    written.usage = Usage(prompt_tokens=sent, reply_tokens=count)
                    break
    written.text = without_repeats(written.text)
    if not written.text:
        raise ReplyBroken("The model wrote no summary.", "Try again, or name another model in compact_model.")


def summary_request(settings: WindowSettings) -> str:
    """What asks for the summary; raises `ConfigError` when the user's file cannot be read."""
    if settings.compact_prompt_file is None:
        return read_prompt("compact")
    try:
        return read_text(expand_home(settings.compact_prompt_file), LONGEST_FILE).strip()
    except FileUnreadable as error:
        raise ConfigError(f"compact_prompt_file {error.problem}", "Mend or unset it.") from error


async def make_transcript(model: LanguageModel, conversation: Conversation, cut: int, room: int) -> str:
    """The older turns as text of at most `room` tokens, long messages cut in the middle, the oldest left out."""
    start = max(conversation.covered_count, cut - MAX_MESSAGES_SUMMARISED)
    said = [message for message in conversation.messages[start:cut] if message.is_said]
    earlier = [clip_middle(conversation.compactions[-1].summary, MAX_MESSAGE_CHARS)] if conversation.compactions else []
    length = MAX_MESSAGE_CHARS
    while True:
        lines = [f"{message.speaker}: {clip_middle(message.content, length)}" for message in said]
        text = "\n".join([*earlier, *lines])
        if not lines or await model.count_tokens(text) <= room:
            return text
        if length > MIN_MESSAGE_CHARS:
            length //= 2
        else:
            said = said[len(said) // 4 + 1 :]


def goes_round(text: str) -> bool:
    """Whether the last whole sentence of a growing text stands in it for the third time, as a small model's may."""
    # The last piece is still being written.
    whole = split_sentences(text)[:-1]
    return bool(whole) and Counter(whole)[whole[-1]] >= CIRCLES


def without_repeats(text: str) -> str:
    """A text with each sentence once; its lines stay lines."""
    seen: set[str] = set()
    lines = []
    for line in text.splitlines():
        fresh = [sentence for sentence in dict.fromkeys(split_sentences(line)) if sentence not in seen]
        seen.update(fresh)
        if fresh or not line.strip():
            lines.append(" ".join(fresh))
    return "\n".join(lines).strip()
