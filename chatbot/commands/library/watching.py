"""The command on folders that the library follows."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.commands.library.contents import unquote_path
from chatbot.conversation.events import Event, Listing, Notice
from chatbot.library.progress import counted

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat
    from rag.watching.watched_folder import WatchedFolder


@command(argument="<folder> | off")
async def rag_watch(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """Follow a folder while this chat lasts."""
    target = unquote_path(argument)
    if target.lower() == "off":
        stopped = await chat.watching.close()
        yield Notice(f"{counted(stopped, 'folder')} no longer watched." if stopped else "No folder is watched.")
    elif target:
        folder = await chat.watching.begin(target, chat.profile.collection)
        yield Notice(
            f"Watching {folder.folder} for {folder.collection} while this chat lasts: /rag-watch tells how it is,"
            " /rag-watch off ends it."
        )
    elif folders := chat.watching.folders:
        rows = tuple(
            (str(one.folder), one.collection, f"{one.files:,}", f"{one.unreadable:,}", _state_of(one))
            for one in folders
        )
        yield Listing("Watched folders", ("folder", "collection", "files", "not readable", ""), rows)
    else:
        yield Notice("No folder is watched. Write one after the command: /rag-watch <folder>")


def _state_of(folder: "WatchedFolder") -> str:
    if not folder.is_there:
        return "not there"
    return "looked through again and again" if folder.polls else "watched"
