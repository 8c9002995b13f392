"""What a request chooses for a conversation: the model that answers, and the profile that says how."""

from chatbot.engine.profile_choice import use_profile
from chatbot.frontends.http_api.chats.held_chats import HeldChat
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.models.selection import Models

MODEL_NAME = "magpie"
"""Stands for the model that the settings, or the profile in force, choose."""


async def choose_profile(held: HeldChat, name: str) -> None:
    """Have a chat go on with a profile, unless none is named; raises a `MagpieError`, and then nothing has changed."""
    if name not in ("", held.chat.profile.profile.name):
        await use_profile(held.chat, name)
        # What is usual is for the new profile to say.
        held.usual_model = None


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
