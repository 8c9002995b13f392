"""What a server tells of a model beside its name: window, size, tools, thinking; read from its own answers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote

from chatbot.models.base import ModelInfo
from chatbot.models.openai.endpoints import ServerKind
from chatbot.models.openai.server import ApiServer
from chatbot.models.wire_values import CITING_PARAMETERS, can_think, read_count, takes_effort
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
_NAMED_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])", re.IGNORECASE)


@dataclass(frozen=True)
class ToldAbilities:
    """What is known of a model; 0, or None, where the server does not say."""

    window: int = 0
    """As the server allocates it."""
    trained: int = 0
    """The window that it was trained for."""
    parameters: float = 0
    tools: bool | None = None
    thinks: bool = False
    effort: bool = False
    """Whether it lets be chosen how hard it thinks."""
    sees: bool | None = None


def read_entry(entry: Mapping[str, Any]) -> ToldAbilities:
    """What an entry of the list tells: vLLM its window, llama-server the size and training, others what it sees."""
    meta = entry.get("meta")
    meta = meta if isinstance(meta, dict) else {}
    named = _NAMED_SIZE.search(str(entry.get("id")))
    able, built = entry.get("capabilities"), entry.get("architecture")
    taken = built.get("input_modalities") if isinstance(built, dict) else None
    sees = able.get("vision") if isinstance(able, dict) else "image" in taken if isinstance(taken, list) else None
    return ToldAbilities(
        window=read_count(dict(entry), "max_model_len") or read_count(meta, "n_ctx"),
        trained=read_count(meta, "n_ctx_train") or read_count(dict(entry), "context_length"),
        parameters=read_count(meta, "n_params") or (float(named[1]) * 1e9 if named else 0),
        sees=sees if isinstance(sees, bool) else None,
    )


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
    return replace(told, tools=False) if server.kind is ServerKind.PERPLEXITY else told


def read_props(told: ToldAbilities, props: Any) -> ToldAbilities:
    """What llama-server's /props adds: the window of one conversation, and what the model's template can."""
    if not isinstance(props, dict):
        return told
    template = str(props.get("chat_template"))
    settings, caps = props.get("default_generation_settings"), props.get("chat_template_caps")
    kinds = props.get("modalities")
    sees = kinds.get("vision") if isinstance(kinds, dict) else None
    tools = caps.get("supports_tool_calls", caps.get("supports_tools")) if isinstance(caps, dict) else None
    return replace(
        told,
        window=(read_count(settings, "n_ctx") if isinstance(settings, dict) else 0) or told.window,
        tools=tools if isinstance(tools, bool) else None,
        thinks=can_think(template),
        effort=takes_effort(template),
        sees=sees if isinstance(sees, bool) else None,
    )


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


def make_info(name: str, told: ToldAbilities, wanted_window: int, *, remote: bool) -> ModelInfo:
    """The description of a model by its name; a server that says nothing of tools is taken to have them."""
    asked = min(wanted_window, told.trained) if told.trained else wanted_window
    tools = told.tools is not False
    # A model of unknown size is large where somebody else's machine runs it.
    large = told.parameters >= CITING_PARAMETERS or (remote and not told.parameters)
    return ModelInfo(
        name=f"{NAME_PREFIX}{name}",
        backend="openai",
        context_window=told.window or asked,
        can_call_tools=tools,
        can_think=told.thinks,
        takes_effort=told.effort,
        can_see=does_see(name, told),
        remote=remote,
        cites=tools and large,
    )
