"""The commands on the context window: what fills it, summarising older turns, pinning what must stay."""

import re
from collections.abc import AsyncIterator, Container, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Chart, ContextUsed, Event, Listing, Notice, Part, Slice
from utils.text import one_line

if TYPE_CHECKING:
    from chatbot.conversation.turns import Turn
    from chatbot.engine.chat import Chat

_PART_NAMES: dict[Part, str] = {
    "system": "instructions",
    "tools": "tools",
    "summary": "summary",
    "history": "earlier turns",
    "evidence": "what was read",
    "question": "the question",
}
# `3`, `off 3`; no conversation has questions with this many digits, and Python refuses to read numbers of thousands.
_LATEST = 30
"""Questions that are listed beside those that are pinned."""
_NUMBERED = re.compile(r"(off\s+)?(\d{1,9})")


@command()
async def context(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Show what fills the context window."""
    used = await chat.agent.context_used()
    yield used
    yield window_chart(used, (await chat.agent.model.describe()).estimated)


@command()
async def compact(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Summarise older turns, so that there is room again; nothing said is lost."""
    async with aclosing(chat.agent.compact_now()) as events:
        async for event in events:
            yield event


@command(argument="[number | off number]")
async def pin(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Keep a question and its answer word for word whatever is summarised, or list the questions."""
    agent = chat.agent
    turns = agent.conversation.turns
    if not argument:
        yield list_questions(turns, agent.conversation.pins)
        return
    match = _NUMBERED.fullmatch(argument)
    number = int(match[2]) if match else 0
    if match is None or not 1 <= number <= len(turns):
        yield Notice(_unknown_question(argument, len(turns)), "error")
        return
    on = not match[1]
    await agent.pin_messages(turns[number - 1].spoken, on=on)
    yield Notice(f"Question {number} and its answer {'stay word for word' if on else 'are no longer pinned'}.")


def window_chart(used: ContextUsed, estimated: str = "") -> Chart:
    """The window as a stacked bar: the parts in the order in which they are sent, what is free, what is kept free.

    `estimated` is a sentence on how exact that is, if there is one.
    """
    slices = [Slice(name, used.parts.get(part, 0)) for part, name in _PART_NAMES.items()]
    free = Slice("free", max(0, used.window - used.total_tokens - used.reserve), "free")
    kept = Slice("kept for the reply", used.reserve, "reserve")
    title = f"Context window: {used.total_tokens:,} of {used.window:,} tokens"
    return Chart(title, (*slices, free, kept), used.window, " ".join(filter(None, (cached_share(used), estimated))))


def cached_share(used: ContextUsed) -> str:
    """Which share of the last prompt the server did not read again; empty where that is not known."""
    if not used.cached or not used.last_prompt:
        return ""
    share = used.cached / used.last_prompt
    return f"Of the last prompt's {used.last_prompt:,} tokens {used.cached:,} ({share:.0%}) were in the server's cache."


def list_questions(turns: "Sequence[Turn]", pins: Container[int]) -> Event:
    """The latest questions with their numbers and those that are pinned, which are marked."""
    numbered = list(enumerate(turns, 1))
    shown = [(n, turn) for n, turn in numbered[:-_LATEST] if turn.start in pins] + numbered[-_LATEST:]
    if not shown:
        return Notice("No question was asked in this conversation yet.")
    rows = tuple(("●" if turn.start in pins else "", str(n), one_line(turn.question.content, 300)) for n, turn in shown)
    return Listing(
        "Questions (/pin <number> keeps one with its answer, /pin off <number> no longer)", ("", "", ""), rows
    )


def _unknown_question(argument: str, count: int) -> str:
    if not count:
        return "No question was asked in this conversation yet."
    one = "is one question" if count == 1 else f"are {count} questions"
    return f"There {one}; {one_line(argument, 20)!r} is none of them. Write /pin 1 or /pin off 1; /pin lists them."
