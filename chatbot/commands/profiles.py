"""The command on profiles: which there are, and which one says how the chat answers."""

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from chatbot.commands.base import command
from chatbot.conversation.events import Event, Listing, MarkdownText, Notice

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat
    from chatbot.profiles.folders import ProfileFolders


@command(argument="[name]")
async def profile(chat: "Chat", argument: str) -> AsyncIterator[Event]:
    """List the profiles, which say how Magpie answers, or go on with another one."""
    # Loaded with the chat, after the prompt.
    from chatbot.engine.profile_choice import use_profile

    active = chat.profile
    if not argument:
        whose = "yours" if chat.person.is_owner else "the owner's"
        rows = await asyncio.to_thread(_list_profiles, active.folders, active.profile.name, whose)
        yield Listing("Profiles (/profile <name> goes on with another one)", ("", "name", "whose", "for"), rows)
        if chat.person.is_owner:
            yield Notice(f"Your own go into {active.folders.own}.")
        return
    before = active.profile
    chosen = await use_profile(chat, argument)
    by = f", and {chat.models.shown} answers" if chosen.values.model or before.values.model else ""
    yield Notice(f"The profile {chosen.name} is in force from now on{by}.")
    if chosen.greeting:
        yield MarkdownText(chosen.greeting)


def _list_profiles(folders: "ProfileFolders", current: str, whose: str) -> tuple[tuple[str, str, str, str], ...]:
    """A row for each profile, `whose` where it is none of Magpie's.

    One that cannot be read has what is wrong with it in the place of its use.
    """
    return tuple(
        (
            "●" if one.name == current else "",
            one.name,
            "Magpie's" if one.is_shipped else whose,
            one.problem or one.about,
        )
        for one in folders.list_summaries()
    )
