"""Older turns become a summary when the window fills: the model writes it, and what it must not lose stands beside it.

The conversation itself is not touched: a `Compaction` says what is sent in the place of its first messages.
"""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from itertools import islice

from chatbot.conversation.conversation import Compaction, Conversation
from chatbot.conversation.events import Notice, Progress, TurnEvent
from chatbot.conversation.messages import Message
from chatbot.conversation.turns import has_ended, questions_among, start_of_turn
from chatbot.conversation.usage import Usage
from chatbot.history.entries import Spent
from chatbot.library.progress import counted
from chatbot.models.base import Done, LanguageModel, ReplyOptions, Text
from chatbot.models.pipeline.reading.evidence import split_sentences
from chatbot.prompts.fewshot import clip_middle
from chatbot.prompts.loader import read_prompt
from chatbot.settings import WindowSettings
from chatbot.window.context import ContextBudget, Sendable
from chatbot.window.excerpts import Excerpt, pick_excerpts
from chatbot.window.system_prompt import LONGEST_FILE
from utils.errors import ConfigError, FileUnreadable, ReplyBroken
from utils.fence import CONVERSATION, fence_text
from utils.files import expand_home, read_text

LABEL = "Summarising older turns"
KEPT_TURNS = 3
"""Finished turns that are always sent word for word."""
WORTHWHILE = 8
"""Less than this part of the room for prompts is not summarised by itself: it would soon have to be done again."""
MATERIAL = 2000
"""Tokens of older turns that the model reads at most: half a minute of a 1.5B on two cores."""
SUMMARY_FRAME_TOKENS = 80
"""Tokens of a prompt's own form and of the fence around the turns."""
MAX_MESSAGES_SUMMARISED = 200
"""Messages that the model reads at most; the sentences kept word for word come from all."""
MIN_MESSAGE_CHARS, MAX_MESSAGE_CHARS = 100, 1600
"""Characters that a message may have in what the model reads."""
RETRIED = 8
"""Messages after which a summary that would have saved nothing is tried again."""
SOURCES = 12
"""Sources whose titles are named: those that were cited last."""
CIRCLES = 3
"""How often the same sentence stands in a text that goes nowhere any more."""
_SUMMARY_CITATION = re.compile(r"\[(\d{1,3})\]")


@dataclass
class WrittenSummary:
    """What a model has written of a summary."""

    text: str = ""
    usage: Usage = field(default_factory=Usage)
    model: str = ""


class Compactor:
    """Summarises the older turns of a conversation; nothing changes before the summary is whole."""

    def __init__(
        self,
        budget: ContextBudget,
        settings: Callable[[], WindowSettings],
        model: Callable[[], Awaitable[LanguageModel]],
        keep: Callable[[Compaction | Spent], Awaitable[None]],
    ) -> None:
        self._budget = budget
        self._settings = settings
        self._model = model
        self._keep = keep
        self._in_vain: range = range(0)
        """Where a summary that ended there saved nothing, and so soon after it would not either."""

    async def is_worthwhile(self, sendable: Sendable) -> bool:
        """Whether a summary would make room that lasts a while."""
        conversation = sendable.conversation
        if not can_compact(conversation) or cut_of(conversation) in self._in_vain:
            return False
        if self._settings().mark.unit == "messages":
            return True
        gained = 0.0
        for message in conversation.messages[self._budget.left_out(conversation) : cut_of(conversation)]:
            gained += await self._budget.counter.count_message(message)
            if gained * WORTHWHILE > await self._budget.prompt_limit():
                return True
        return False

    async def compact_now(self, sendable: Sendable) -> AsyncGenerator[TurnEvent, None]:
        """Summarise now; raises a `MagpieError`, and then everything is as it was."""
        conversation = sendable.conversation
        cut = cut_of(conversation)
        if not can_compact(conversation):
            yield Notice(f"There is nothing to summarise yet: the last {KEPT_TURNS} turns always stay as they are.")
            return
        before = await self._prompt_tokens(sendable)
        written = WrittenSummary()
        most = self._settings().compact_max_tokens
        yield Progress(LABEL, 0, most)
        async with aclosing(self._write_summary(conversation, cut, written)) as steps:
            async for done in steps:
                yield Progress(LABEL, min(done, most - 1), most)
        yield Progress(LABEL, most, most)
        await self._keep(Spent(written.usage, written.model))
        made = await self._make_compaction(sendable, cut, written)
        made = replace(made, tokens_before=before)
        if made.tokens_after >= before:
            self._in_vain = range(cut, cut + RETRIED)
            yield Notice("The summary would be no shorter than the turns, so they stay as they are.")
            return
        turns = len(questions_among(conversation.messages[conversation.covered_count : cut]))
        conversation.compactions.append(made)
        await self._keep(made)
        yield Notice(f"Summarised {counted(turns, 'older turn')}: {before:,} tokens became {made.tokens_after:,}.")

    async def _prompt_tokens(self, sendable: Sendable) -> int:
        """Tokens of the whole prompt; what is too far back to be sent at all is taken to be like the rest."""
        prompt = await self._budget.assemble_unshrunk(sendable)
        return prompt.used.total_tokens * (len(prompt.messages) + prompt.unseen) // len(prompt.messages)

    async def _make_compaction(self, sendable: Sendable, cut: int, written: "WrittenSummary") -> Compaction:
        """The compaction that would be in force, and the tokens that there would be then."""
        summary = await self._complete_summary(written.text, sendable.conversation, cut)
        made = Compaction(summary, cut, 0, 0)
        then = replace(sendable, conversation=replace(sendable.conversation, compactions=[made]))
        return replace(made, tokens_after=await self._prompt_tokens(then))

    async def _write_summary(
        self, conversation: Conversation, cut: int, written: "WrittenSummary"
    ) -> AsyncGenerator[int, None]:
        """Have the model write the summary; yields the number of pieces so far. Raises a `MagpieError`."""
        settings, model = self._settings(), await self._model()
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

    async def _complete_summary(self, written: str, conversation: Conversation, cut: int) -> str:
        """The summary with the sentences and the sources that must not be lost."""
        room = await self._budget.prompt_limit() // WORTHWHILE
        covered = [
            message for index, message in enumerate(conversation.messages[:cut]) if index not in conversation.pins
        ]
        ranked = await asyncio.to_thread(lambda: list(islice(pick_excerpts(covered), room)))
        kept: list[Excerpt] = []
        for excerpt in ranked:
            room -= await self._budget.counter.count_text(excerpt_line(excerpt))
            if room < 0:
                break
            kept.append(excerpt)
        blocks = [written]
        if kept:
            said = "\n".join(excerpt_line(excerpt) for excerpt in sorted(kept, key=lambda excerpt: excerpt.place))
            blocks.append(f"Said word for word:\n{said}")
        if named := sources_line(conversation, covered):
            blocks.append(named)
        return "\n\n".join(blocks)


def cut_of(conversation: Conversation) -> int:
    """The index of the first message that stays: the question under way and the finished turns before it."""
    messages = conversation.messages
    return start_of_turn(messages, KEPT_TURNS + (not has_ended(messages)))


def can_compact(conversation: Conversation) -> bool:
    """Whether any turn is older than those that stay, and not summarised yet."""
    return cut_of(conversation) > conversation.covered_count


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


def excerpt_line(excerpt: Excerpt) -> str:
    """An excerpt as it stands in the summary."""
    return f"- {excerpt.speaker}: {excerpt.text}"


def sources_line(conversation: Conversation, covered: Sequence[Message]) -> str:
    """The titles of the sources that the answers cited last, with their numbers, which stay good."""
    answers = [message.content for message in covered if message.role == "assistant"]
    numbers = list(
        dict.fromkeys(int(n) for answer in reversed(answers) for n in reversed(_SUMMARY_CITATION.findall(answer)))
    )
    found = conversation.sources.find_sources(numbers[:SOURCES])
    named = [f"[{source.number}] {clip_middle(source.passage.title, 80)} ({source.passage.source})" for source in found]
    return f"Sources cited: {'; '.join(named)}" if named else ""


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
