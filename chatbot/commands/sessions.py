"""The commands on conversations that last: found again, gone on with, taken back, named."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import BrowseHistory, Cleared, EditText, Event, Listing, Notice
from chatbot.history.search.sessions import SessionInfo
from chatbot.history.session_id import RESUME_LAST
from chatbot.library.progress import counted
from utils.text import one_line

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat
    from chatbot.history.store import Undone

# Conversations in the list of a front end that has no browser.
_LISTED = 30


@command(argument="[text]")
async def history(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Look through the kept conversations: find, read, go on with, export or delete one."""
    found = await chat.sessions.list(argument, _LISTED)
    if not found:
        yield Notice(f"No conversation has {argument!r}." if argument else "No conversation is kept yet.")
        return
    rows = tuple(_session_row(info) for info in found)
    title = f"Conversations with {argument!r}" if argument else "Conversations"
    yield BrowseHistory(Listing(title, ("id", "last", "", "title"), rows), argument)


def _session_row(info: SessionInfo) -> tuple[str, ...]:
    return info.id, info.updated[:16].replace("T", " "), str(info.messages), one_line(info.title, 80)


@command(argument="[text]")
async def resume(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Go on with the last conversation, or with one by its id, its title or words said in it."""

    chats = chat
    events = await chats.resume(await chats.find(argument or RESUME_LAST))
    yield Cleared()
    for event in events:
        yield event
    yield await chat.agent.context_used()


@command(aliases=("clearhistory", "new"))
async def clear(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Begin a new conversation; this one stays in the history."""
    kept = chat.begun and not chat.configuration.values.private
    await chat.begin()
    yield Cleared()
    yield Notice("A new conversation. The one before is in /history." if kept else "A new conversation.")


@command(argument="[text]")
async def title(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Name this conversation, or tell its name."""
    chats = chat
    if argument:
        await chats.name(argument)
        yield Notice(f"This conversation is “{one_line(argument)}” now.")
    elif chats.begun:
        yield Notice(f"This conversation is “{one_line((await chats.sessions.load(chats.session)).info.title)}”.")
    else:
        yield Notice("Nothing was said yet that could have a title.")


@command()
async def undo(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Take back the last change: the last question with its answer, or a summary."""
    undone = await chat.undo()
    yield Notice(_taken_back(undone)) if undone else _nothing_to_undo()
    yield await chat.agent.context_used()


def _taken_back(undone: "Undone") -> str:
    if undone.kind == "message":
        return f"Taken back: “{one_line(undone.question, 100)}” and its answer."
    return "Taken back: the last summary. The model sees the older questions again."


def _nothing_to_undo() -> Notice:
    return Notice("There is nothing to take back in this conversation.", "warning")


@command(argument="[model]")
async def retry(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Answer the last question again, with another model if one is named."""
    if argument:
        await chat.use_model(argument)
    undone = await chat.undo_turn()
    if undone is None:
        yield _nothing_to_undo()
        return
    yield Notice(f"Again: “{one_line(undone.question, 100)}”")
    asked = next(message for message in undone.messages if message.is_question)
    async with aclosing(chat.agent.ask_again(asked)) as events:
        async for event in events:
            yield event


@command()
async def edit(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Take back the last question and put it where you type, to be changed."""
    undone = await chat.undo_turn()
    if undone is None:
        yield _nothing_to_undo()
        return
    yield Notice("Taken back; change the question and send it.")
    yield EditText(undone.question)


@command()
async def branch(chat: "Chat", _: str) -> AsyncIterator[Event]:
    """Go on in a copy of this conversation; the original stays as it is."""
    chats = chat
    original = chats.session
    await chats.branch()
    count = len(chat.agent.conversation.questions)
    yield Notice(f"You go on in a copy with {counted(count, 'question')}; the original is /resume {original}.")
