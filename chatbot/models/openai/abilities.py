"""What a server tells of a model beside its name: window, size, tools, thinking; read from its own answers."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from chatbot.models.base import ModelInfo
from chatbot.models.chat_completions.abilities import ToldAbilities, read_entry, read_props
from chatbot.models.openai.endpoints import ServerKind
from chatbot.models.openai.server import ApiServer
from chatbot.models.wire_values import CITING_PARAMETERS, read_count
from utils.errors import ModelNotFound

NAME_PREFIX = "openai:"
NOT_FOR_CHAT = re.compile(
    r"embed|whisper|\btts|dall-e|moderation|gpt-image|sora|realtime|transcribe|rerank|\bbge-|babbage|davinci|-audio",
    re.IGNORECASE,
)
"""Names of models that answer nothing, among those that servers list."""
SEEING_NAME = re.compile(
    r"(?<![a-z])v(l|lm)(?![a-z])|vision|llava|pixtral|moondream|multimodal|omni|internvl|minicpm-v|molmo|gemma-?3(?!n|[-:]1b|[-:]270m)"
    r"|mistral-small-3|llama-?4|claude|gemini|gpt-(4o|4\.1|4-turbo|5)|chatgpt|(?<![a-z0-9])o(1|3|4-mini)(?!-mini)",
    re.IGNORECASE,
)
"""Names of models that take pictures, where the server does not say of any whether it does."""


async def ask_abilities(server: ApiServer, entry: Mapping[str, Any]) -> ToldAbilities:
    """What the list and, where the kind of server has more, its own page tell. Raises a `ModelError`."""
    told = read_entry(entry)
    try:
        if server.kind is ServerKind.LLAMA_SERVER:
            return read_props(told, await server.ask_briefly(f"{server.where.root}/props"))
        if server.kind is ServerKind.LM_STUDIO:
            page = f"{server.where.root}/api/v0/models/{quote(str(entry.get('id')))}"
            return read_lm_studio(told, await server.ask_briefly(page))
    except ModelNotFound:
        # An older server, or one behind a proxy that lets the protocol alone through.
        return told
    return replace(told, tools=False, searches=True) if server.kind is ServerKind.PERPLEXITY else told


def read_lm_studio(told: ToldAbilities, answer: Any) -> ToldAbilities:
    """What LM Studio's own page adds: the window that is loaded, else the model's, and whether it calls tools."""
    if not isinstance(answer, dict):
        return told
    capabilities = answer.get("capabilities")
    return replace(
        told,
        window=read_count(answer, "loaded_context_length") or told.window,
        trained=read_count(answer, "max_context_length") or told.trained,
        tools="tool_use" in capabilities if isinstance(capabilities, list) else None,
        sees=answer.get("type") == "vlm" if isinstance(answer.get("type"), str) else None,
    )


def does_see(name: str, told: ToldAbilities) -> bool:
    """Whether a model takes pictures: as its server tells, else by its name."""
    return bool(SEEING_NAME.search(name)) if told.sees is None else told.sees


def make_info(name: str, told: ToldAbilities, wanted_window: int, host: str) -> ModelInfo:
    """The description of a model by its name; `host` is where it runs elsewhere.

    A server that says nothing of tools is taken to have them.
    """
    asked = min(wanted_window, told.trained) if told.trained else wanted_window
    tools = told.tools is not False
    # A model of unknown size is large where somebody else's machine runs it.
    large = told.parameters >= CITING_PARAMETERS or (bool(host) and not told.parameters)
    return ModelInfo(
        name=f"{NAME_PREFIX}{name}",
        backend="openai",
        context_window=told.window or asked,
        can_call_tools=tools,
        can_think=told.thinks,
        takes_effort=told.effort,
        can_see=does_see(name, told),
        host=host,
        cites=tools and large,
        searches=told.searches,
    )
