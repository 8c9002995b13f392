"""What servers of the protocol tell of a model: the entry of the list of models, and llama-server's own page."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from chatbot.models.wire_values import can_think, read_count, takes_effort

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
    searches: bool = False
    """Whether the server searches the web by itself."""


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
