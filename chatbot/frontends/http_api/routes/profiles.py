"""/api/profiles: the folders that say how a chat answers, of which a question may choose one."""

from fastapi import APIRouter

from chatbot.frontends.http_api.chats.choices import offered_profiles
from chatbot.frontends.http_api.service import Desk
from chatbot.frontends.http_api.values import ApiModel, shown_with

profiles_router = APIRouter(prefix="/api/profiles", tags=["chat"])


PROFILE_EXAMPLE = {
    "name": "researcher",
    "is_shipped": True,
    "about": "Researches: several sources, compared and dated.",
    "greeting": "Researches: several sources, compared and dated.\n\nAsk what you want to know.",
    "problem": "",
}


class ProfileEntry(ApiModel):
    """A profile."""

    name: str
    is_shipped: bool
    """Whether it came with Magpie."""
    about: str
    """One line that says what it is for."""
    greeting: str
    """Markdown for whoever begins to ask; empty where it has none."""
    problem: str
    """What is wrong with its files; empty for one that can be used."""


class ProfileList(ApiModel):
    """All of them, by the alphabet."""

    model_config = shown_with({"current": "default", "profiles": [PROFILE_EXAMPLE]})
    current: str
    """The one of the settings, with which a conversation begins."""
    profiles: list[ProfileEntry]


@profiles_router.get("")
async def list_profiles(desk: Desk) -> ProfileList:
    """The profiles that a question of yours may choose."""
    entries = [ProfileEntry.model_validate(one, from_attributes=True) for one in await offered_profiles(desk)]
    return ProfileList(current=desk.profile.profile.name, profiles=entries)
