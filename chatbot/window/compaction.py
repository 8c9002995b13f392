"""Older turns become a summary when the window fills: the model writes it, and what it must not lose stands beside it.

The conversation itself is not touched: a `Compaction` says what is sent in the place of its first messages.
"""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import islice

from chatbot.conversation.conversation import Compaction, Conversation
from chatbot.conversation.events import Notice, Progress, TurnEvent
from chatbot.conversation.messages import Message
from chatbot.conversation.turns import has_ended, questions_among, start_of_turn
from chatbot.history.entries import Spent
from chatbot.library.progress import counted
from chatbot.models.base import LanguageModel
from chatbot.prompts.fewshot import clip_middle
from chatbot.settings import WindowSettings
from chatbot.window.context import ContextBudget, Sendable
from chatbot.window.excerpts import Excerpt, pick_excerpts
from chatbot.window.summaries import BegunSummary, WrittenSummary
from utils.errors import MagpieError

log = logging.getLogger(__name__)

LABEL = "Summarising older turns"
KEPT_TURNS = 3
"""Finished turns that are always sent word for word."""
WORTHWHILE = 8
"""Less than this part of the room for prompts is not summarised by itself: it would soon have to be done again."""
RETRIED = 8
"""Messages after which a summary that would have saved nothing is tried again."""
SOURCES = 12
"""Sources whose titles are named: those that were cited last."""
_SUMMARY_CITATION = re.compile(r"\[(\d{1,3})\]")


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
        self._begun: BegunSummary | None = None
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

    async def begin(self, conversation: Conversation) -> BegunSummary:
        """Have the summary written that comes next, in the background; the one that is being written, if it is that."""
        cut = cut_of(conversation)
        if self._begun is None or not self._begun.is_of(conversation, cut):
            await self.close()
            self._begun = BegunSummary(await self._model(), self._settings(), conversation, cut)
        return self._begun

    async def begin_ahead(self, conversation: Conversation) -> None:
        """The same before anybody needs it, by a model on this machine alone: another one's reading has its price.

        What goes wrong is told when it is needed.
        """
        try:
            if not (await (await self._model()).describe()).remote:
                await self.begin(conversation)
        except MagpieError as error:
            log.warning("A summary could not be begun: %s", error)

    async def close(self) -> None:
        """Give up what is being written."""
        if begun := self._begun:
            self._begun = None
            await begun.stop()

    async def compact_now(self, sendable: Sendable) -> AsyncGenerator[TurnEvent, None]:
        """Summarise now; raises a `MagpieError`, and then everything is as it was."""
        conversation = sendable.conversation
        cut = cut_of(conversation)
        if not can_compact(conversation):
            yield Notice(f"There is nothing to summarise yet: the last {KEPT_TURNS} turns always stay as they are.")
            return
        before = await self._prompt_tokens(sendable)
        most = self._settings().compact_max_tokens
        yield Progress(LABEL, 0, most)
        begun = await self.begin(conversation)
        try:
            async with aclosing(begun.follow()) as counts:
                async for done in counts:
                    yield Progress(LABEL, min(done, most - 1), most)
        finally:
            # Whoever stops waiting for it stops it; one that is whole needs no stopping.
            await self.close()
        written = begun.written
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

    async def _make_compaction(self, sendable: Sendable, cut: int, written: WrittenSummary) -> Compaction:
        """The compaction that would be in force, and the tokens that there would be then."""
        summary = await self._complete_summary(written.text, sendable.conversation, cut)
        made = Compaction(summary, cut, 0, 0)
        then = replace(sendable, conversation=replace(sendable.conversation, compactions=[made]))
        return replace(made, tokens_after=await self._prompt_tokens(then))

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
