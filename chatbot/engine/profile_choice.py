"""Which profile is in force in a chat: at its beginning, after another one was chosen, and when its files change."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING

from chatbot.config import Configuration
from chatbot.conversation.events import Notice, Progress
from chatbot.engine.retrieval import SharedRetrieval
from chatbot.profiles.active import ActiveProfile
from chatbot.profiles.documents import ProfileLibrary
from chatbot.profiles.folders import profile_folders
from chatbot.profiles.profile import DEFAULT_PROFILE, ChatProfile
from utils.errors import LibraryError, MagpieError
from utils.faults import record_fault
from utils.languages.spelling import nearest_name
from utils.text import one_line

MISSPELT = 80.0
"""What a name must resemble that of a tool (0 to 100) to be it, misspelt."""

if TYPE_CHECKING:
    from chatbot.engine.chat import Chat


async def open_profile(
    configuration: Configuration, retrieval: SharedRetrieval, tell: Callable[[str], None]
) -> tuple[Configuration, ActiveProfile]:
    """The profile that a chat begins with, and the settings with it; raises `ConfigError`."""
    folders = profile_folders(configuration)
    profile = await asyncio.to_thread(folders.read, configuration.values.profile or DEFAULT_PROFILE)
    configuration = configuration.with_profile(profile.values.settings)
    states = configuration.values.data_folder / "profile-documents"
    library = ProfileLibrary(retrieval.library, retrieval.fetcher, states)
    return configuration, ActiveProfile(folders, profile, configuration, library, retrieval.embedder, tell)


async def use_profile(chat: "Chat", name: str) -> ChatProfile:
    """Go on with another profile; raises a `MagpieError`, and then nothing has changed."""
    profile = await asyncio.to_thread(chat.profile.folders.read, name)
    await put_in_force(chat, profile)
    return profile


async def put_in_force(chat: "Chat", profile: ChatProfile) -> None:
    """Have a profile decide from now on: its model first, as that alone may not be there.

    Behind a profile that names a model comes the one that answered before it, or that of the settings.
    """
    configuration, before = chat.configuration.with_profile(profile.values.settings), chat.models.current
    names_model = "model" in configuration.of_profile
    model = configuration.values.model
    if not names_model:
        model = (chat.profile.model_before or model) if "model" in chat.configuration.of_profile else ""
    if model and model != before:
        await chat.use_model(model, remember=False)
    chat.profile.model_before = (chat.profile.model_before or before) if names_model else ""
    chat.profile.take(profile, configuration)
    chat.take_configuration(configuration)
    chat.agent.toolbox.switches.allow_only(chat.profile.tools, chat.profile.tools_without_use)


def misspelt_tools(chat: "Chat") -> list[str]:
    """A sentence on each tool that the profile names and that is none; those of other programs may come later."""
    names, profile = chat.agent.toolbox.names, chat.profile.profile
    unknown = [name for name in profile.values.tools or () if name not in names]
    near = {name: nearest_name(name, names, MISSPELT, whole=True) for name in unknown}
    return [
        f"The profile {profile.name} names the tool {one_line(name, 60)}, which there is not. Did you mean {meant}?"
        for name, meant in near.items()
        if meant
    ]


async def prepare_turn(chat: "Chat") -> AsyncGenerator[Notice | Progress, None]:
    """Before a question: read the profile again where its files were changed, and tell that; raises nothing."""
    try:
        if changed := await chat.profile.read_changed():
            await put_in_force(chat, changed)
            yield Notice(f"The profile {changed.name} was changed and is read again.")
        for problem in chat.profile.take_problems(misspelt_tools(chat)):
            yield Notice(problem, "warning")
        async with aclosing(chat.profile.bring_in()) as steps:
            async for step in steps:
                yield step
    except LibraryError as error:
        yield Notice(f"{error} Until then the documents of the profile stay as they were.", "warning")
    except MagpieError as error:
        yield Notice(f"{error} Until then the profile {chat.profile.profile.name} stays as it was.", "warning")
    except Exception as error:  # noqa: BLE001 - the question is answered, whatever becomes of its profile
        yield Notice(str(record_fault(error, "Reading the profile again")), "warning")
