"""What is sent: the prompt of a call, and one ordered list of what gives way until it fits the window."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass

from chatbot.conversation.events import Notice, Progress, TurnEvent
from chatbot.conversation.turns import start_of_turn
from chatbot.settings import WindowSettings
from chatbot.window.compaction import LABEL, Compactor, can_compact
from chatbot.window.context import AssembledPrompt, ContextBudget, Sendable
from chatbot.window.shrinking import can_be_less, pinned_turns
from utils.errors import MagpieError, QuestionTooLong

AFTER_SHRINKING = 0.7
"""When room is short, make so much of it that the next calls find the same beginning in the server's cache."""


@dataclass(frozen=True)
class Room:
    """What a reduction works with: the window as a budget, and who summarises."""

    budget: ContextBudget
    compactor: Compactor
    settings: Callable[[], WindowSettings]


Steps = AsyncGenerator[TurnEvent | None, None]
"""What the user is told of a reduction, and None after each step of it, when the prompt may fit."""
Reduction = Callable[[Room, Sendable, AssembledPrompt], Steps]
"""Makes a prompt that does not fit smaller."""


async def remove_passages(room: Room, sendable: Sendable, _: AssembledPrompt) -> Steps:
    """One passage less at a time of the last question's largest result, or half of a text that has no passages."""
    while (index := largest_result(room.budget, sendable)) is not None:
        room.budget.shorten_result(index)
        yield None


async def condense_results(room: Room, sendable: Sendable, prompt: AssembledPrompt) -> Steps:
    """Older results in one line each, the oldest first; not where most of the conversation is out of reach anyway."""
    messages, enough = sendable.conversation.messages, prompt.limit * AFTER_SHRINKING
    older = range(room.budget.find_first_whole(sendable), start_of_turn(messages, 1))
    for index in () if prompt.unseen else older:
        if messages[index].is_result:
            room.budget.condense_until(index)
            if (await room.budget.assemble_unshrunk(sendable)).used.total_tokens <= enough:
                break
    yield None


async def hide_older_pictures(room: Room, sendable: Sendable, _: AssembledPrompt) -> Steps:
    """Older pictures by their names, or by the text in them: a picture takes up to 3,300 tokens."""
    messages = sendable.conversation.messages
    start = start_of_turn(messages, 1)
    if any(message.pictures for message in messages[room.budget.find_first_sent(sendable) : start]):
        room.budget.hide_pictures(start)
        yield None


async def summarise_turns(room: Room, sendable: Sendable, prompt: AssembledPrompt) -> Steps:
    """A summary in the place of all but the last turns; where none can be written, they are left out."""
    if not (room.settings().compact and sendable.history and can_compact(sendable.conversation)):
        return
    try:
        async with aclosing(room.compactor.compact_now(sendable)) as events:
            async for event in events:
                yield event
    except MagpieError as error:
        yield Progress(LABEL, 1, 1)
        yield Notice(f"The older turns could not be summarised and are left out: {error.problem}", "warning")
        await leave_out_oldest(room.budget, sendable, prompt)
    yield None


async def drop_turns(room: Room, sendable: Sendable, prompt: AssembledPrompt) -> Steps:
    """The oldest turns not at all, but always the last."""
    await leave_out_oldest(room.budget, sendable, prompt)
    yield None


REDUCTIONS: tuple[Reduction, ...] = (
    remove_passages,
    condense_results,
    hide_older_pictures,
    summarise_turns,
    # In a long conversation the results of the turns that stay come into reach only now.
    condense_results,
    drop_turns,
)
"""What gives way, in this order, each only where all before it were not enough."""


class PromptAssembler:
    """Assembles prompts that fit."""

    def __init__(self, budget: ContextBudget, compactor: Compactor, settings: Callable[[], WindowSettings]) -> None:
        self.budget = budget
        self._room = Room(budget, compactor, settings)

    async def prepare_room(self, sendable: Sendable) -> None:
        """After an answer: have the summary begun that the next question would have to wait for."""
        if await self._wants_room(sendable):
            await self._room.compactor.begin_ahead(sendable.conversation)

    async def make_room(self, sendable: Sendable) -> AsyncGenerator[TurnEvent, None]:
        """Before a question: summarise if use passes the user's mark and it is worth while."""
        if not await self._wants_room(sendable):
            return
        prompt = await self.budget.assemble_unshrunk(sendable)
        async with aclosing(summarise_turns(self._room, sendable, prompt)) as steps:
            async for step in steps:
                if step is not None:
                    yield step

    async def _wants_room(self, sendable: Sendable) -> bool:
        """Whether use passes the user's mark, and a summary is worth while."""
        settings = self._room.settings()
        asked = settings.compact and sendable.history and await self.budget.passes_mark(sendable, settings.mark)
        return asked and await self._room.compactor.is_worthwhile(sendable)

    async def make_fit(self, sendable: Sendable) -> AsyncGenerator[TurnEvent, None]:
        """Before a call: one reduction after the other until the prompt fits, or none is left."""
        self.budget.follow_conversation(sendable.conversation)
        prompt = await self.budget.assemble_unshrunk(sendable)
        for reduction in REDUCTIONS:
            if prompt.fits:
                return
            async with aclosing(reduction(self._room, sendable, prompt)) as steps:
                async for step in steps:
                    if step is not None:
                        yield step
                    elif (prompt := await self.budget.assemble_unshrunk(sendable)).fits:
                        return

    async def assemble(self, sendable: Sendable) -> AssembledPrompt:
        """The prompt for the conversation so far, after `make_fit`; raises `QuestionTooLong` where it fits no more."""
        prompt = await self.budget.assemble_unshrunk(sendable)
        if not prompt.fits:
            parts = prompt.used.parts
            raise QuestionTooLong(
                f"The question with what belongs to it has about {parts['question'] + parts['evidence']} tokens; "
                f"the window has room for {max(0, prompt.limit - parts['system'] - parts['tools'])}.",
                "Shorten it, index the text with /rag-index and ask about it, or raise context_window.",
            )
        return prompt


def largest_result(budget: ContextBudget, sendable: Sendable) -> int | None:
    """The index of the last question's largest result of which anything can still be left out."""
    messages = sendable.conversation.messages
    current = range(start_of_turn(messages, 1), len(messages))
    shown = {index: budget.as_sent(index, messages[index]) for index in current if messages[index].is_result}
    shrinkable = [index for index in shown if can_be_less(shown[index])]
    return max(shrinkable, key=lambda index: len(shown[index].content), default=None)


async def leave_out_oldest(budget: ContextBudget, sendable: Sendable, prompt: AssembledPrompt) -> None:
    """Leave out the oldest turns until there is room again, but never the last."""
    messages, pins = (
        sendable.conversation.messages,
        pinned_turns(sendable.conversation, len(sendable.conversation.messages)),
    )
    room = prompt.limit * AFTER_SHRINKING - sum(prompt.used.parts[part] for part in ("system", "tools", "summary"))
    room -= sum([await budget.counter.count_message(message) for message in pins])
    start = start_of_turn(messages, 1)
    for index in range(len(messages) - 1, budget.find_first_sent(sendable) - 1, -1):
        room -= await budget.counter.count_message(budget.as_sent(index, messages[index]))
        if room < 0:
            break
        if messages[index].is_question:
            start = min(start, index)
    budget.leave_out(start)
