"""What a request chooses for a conversation: the model that answers, the profile that says how, the tools for it."""

import asyncio
from collections.abc import Collection

from chatbot.engine.chat import Chat
from chatbot.engine.profile_choice import use_profile
from chatbot.frontends.http_api.chats.held_chats import HeldChat
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.models.selection import Models
from chatbot.profiles.folders import ProfileSummary
from utils.text import one_line

MODEL_NAME = "magpie"
"""Stands for the model that the settings, or the profile in force, choose."""


async def offered_profiles(chat: Chat) -> list[ProfileSummary]:
    """The profiles that a person may choose: of the owner's own, others have only the one that the settings name.

    What stands in them is private, and a model may be brought to say it.
    """
    found = await asyncio.to_thread(chat.profile.folders.list_summaries)
    usual = chat.configuration.values.profile
    return [one for one in found if chat.person.is_owner or one.is_shipped or one.name == usual]


async def choose_profile(held: HeldChat, name: str) -> None:
    """Have a chat go on with a profile, unless none is named; raises a `MagpieError`, and then nothing has changed.

    Raises `ApiRefusal` where the person may choose none of that name.
    """
    if name in ("", held.chat.profile.profile.name):
        return
    if name not in {one.name for one in await offered_profiles(held.chat)}:
        raise ApiRefusal(404, f"There is no profile {name}.", "GET /api/profiles lists them.", code="no_profile")
    await use_profile(held.chat, name)
    # What is usual is for the new profile to say.
    held.usual_model = None


async def choose_tools(held: HeldChat, off: Collection[str] | None) -> None:
    """Have a chat go without the tools of these names and no others, unless it is None.

    Raises `ApiRefusal` where there is none of a name.
    """
    if off is None:
        return
    toolbox = held.chat.agent.toolbox
    if not set(off) <= set(toolbox.names):
        # It may be one of another program, which is there a moment later.
        await held.chat.remote.settled()
    if unknown := sorted(set(off) - set(toolbox.names)):
        problem = f"There is no tool {one_line(unknown[0], 60)}."
        raise ApiRefusal(404, problem, "GET /api/tools lists them.", code="no_tool")
    toolbox.switches.switch_off_only(off)


async def choose_model(held: HeldChat, name: str) -> None:
    """Have a chat go on with the model of a name, unless none is named; raises a `ModelError`.

    Raises `ApiRefusal` where no model that answers has the name.
    """
    chat, usual = held.chat, held.usual_model
    if name == MODEL_NAME:
        if usual is not None:
            await chat.use_model(usual, remember=False)
            held.usual_model = None
    elif name not in ("", chat.models.current):
        await require_model(chat.models, name)
        before = chat.models.current if usual is None else usual
        # What one request wants is not what Magpie begins with the next time.
        await chat.use_model(name, remember=False)
        held.usual_model = before


async def require_model(models: Models, name: str) -> None:
    """Raise `ApiRefusal` where no model that answers has this name."""
    if name not in {entry.name for entry in await models.list_models() if entry.chats}:
        problem = f"There is no model {name[:100]}."
        raise ApiRefusal(404, problem, f"GET /v1/models lists them; {MODEL_NAME} always works.", code="model_not_found")
