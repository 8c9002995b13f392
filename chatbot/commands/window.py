"""The commands on the context window: what fills it, summarising older turns, pinning what must stay."""

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Chart, ContextUsed, Event, Listing, Notice, Part, Slice
from utils.text import one_line

if TYPE_CHECKING:
    from chatbot.conversation.conversation import Conversation
    from chatbot.engine.chat import Chat

_PARTS: dict[Part, str] = {
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
    used = await chat.agent.context()
    yield used
    yield chart(used)


@command()
async def compact(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Summarise older turns, so that there is room again; nothing said is lost."""
    async with aclosing(chat.agent.compact()) as events:
        async for event in events:
            yield event


@command(argument="[number | off number]")
async def pin(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Keep a question and its answer word for word whatever is summarised, or list the questions."""
    agent = chat.agent
    starts = questions(agent.conversation)
    if not argument:
        yield listed(agent.conversation, starts)
        return
    match = _NUMBERED.fullmatch(argument)
    number = int(match[2]) if match else 0
    if match is None or not 1 <= number <= len(starts):
        yield Notice(_unknown(argument, len(starts)), "error")
        return
    on = not match[1]
    await agent.pin(turn_of(agent.conversation, starts, number), on=on)
    yield Notice(f"Question {number} and its answer {'stay word for word' if on else 'are no longer pinned'}.")


def chart(used: ContextUsed) -> Chart:
    """The window as a stacked bar: the parts in the order in which they are sent, what is free, what is kept free."""
    slices = [Slice(name, used.parts.get(part, 0)) for part, name in _PARTS.items()]
    free = Slice("free", max(0, used.window - used.used - used.reserve), "free")
    kept = Slice("kept for the reply", used.reserve, "reserve")
    title = f"Context window: {used.used:,} of {used.window:,} tokens"
    return Chart(title, (*slices, free, kept), used.window, cached(used))


def cached(used: ContextUsed) -> str:
    """Which share of the last prompt the server did not read again; empty where that is not known."""
    if not used.cached or not used.last_prompt:
        return ""
    share = used.cached / used.last_prompt
    return f"Of the last prompt's {used.last_prompt:,} tokens {used.cached:,} ({share:.0%}) were in the server's cache."


def questions(conversation: "Conversation") -> list[int]:
    """The index of each question."""
    return [index for index, message in enumerate(conversation.messages) if message.role == "user"]


def turn_of(conversation: "Conversation", starts: list[int], number: int) -> list[int]:
    """The indexes of a question and of its answer."""
    start = starts[number - 1]
    end = starts[number] if number < len(starts) else len(conversation.messages)
    said = conversation.messages[start:end]
    answers = [start + i for i, m in enumerate(said) if m.role == "assistant" and not m.tool_calls]
    return [start, *answers]


def listed(conversation: "Conversation", starts: list[int]) -> Event:
    """The latest questions with their numbers and those that are pinned, which are marked."""
    numbered = list(enumerate(starts, 1))
    shown = [(n, start) for n, start in numbered[:-_LATEST] if start in conversation.pins] + numbered[-_LATEST:]
    if not shown:
        return Notice("No question was asked in this conversation yet.")
    rows = tuple(
        ("●" if start in conversation.pins else "", str(n), one_line(conversation.messages[start].content, 300))
        for n, start in shown
    )
    return Listing(
        "Questions (/pin <number> keeps one with its answer, /pin off <number> no longer)", ("", "", ""), rows
    )


def _unknown(argument: str, count: int) -> str:
    if not count:
        return "No question was asked in this conversation yet."
    one = "is one question" if count == 1 else f"are {count} questions"
    return f"There {one}; {one_line(argument, 20)!r} is none of them. Write /pin 1 or /pin off 1; /pin lists them."
