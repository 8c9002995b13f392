"""What the list of models tells of one: its window, how it thinks, whether it holds answers to a schema."""

from dataclasses import dataclass
from typing import Any, Literal

from chatbot.models.base import ModelInfo
from chatbot.models.settings import Effort
from chatbot.models.wire_values import read_count

CLAUDE_PREFIX = "anthropic:"
THINKING_TOKENS = 8192
"""Tokens that a reply may have beside its text, for thinking counts as a part of it."""
LEAST_THINKING = 1024
"""Fewer are refused."""
BUDGET_SHARES: dict[Effort, float] = {"low": 0.25, "medium": 0.5, "high": 1.0}
"""How much of the room for thinking a model has at each effort that takes a budget and no word for it."""


@dataclass(frozen=True)
class ClaudeAbilities:
    """What is known of a model; 0 and empty where the server does not say."""

    window: int = 0
    most_tokens: int = 0
    """That one reply may have."""
    thinking: Literal["", "adaptive", "enabled"] = ""
    """How it is made to think: as much as it wants, or within a budget."""
    efforts: frozenset[str] = frozenset()
    """The words that it knows for how hard it is to think."""
    must_think: bool = False
    """Whether it cannot be kept from it."""
    may_say_disabled: bool = False
    """Whether it knows the word for not thinking; old ones do not think unless told."""
    fills_schemas: bool = False
    sees: bool = False
    """Whether it takes pictures."""
    told: bool = False
    """Whether anything was told of what it can."""


def read_abilities(entry: dict[str, Any]) -> ClaudeAbilities:
    """What an entry of the list says."""
    capabilities = _object_at(entry, "capabilities")
    thinking = _object_at(capabilities, "thinking")
    types = _object_at(thinking, "types")
    way: Literal["", "adaptive", "enabled"] = ""
    if thinking.get("supported") is True:
        way = "adaptive" if _supported(types, "adaptive") else "enabled" if _supported(types, "enabled") else ""
    return ClaudeAbilities(
        window=read_count(entry, "max_input_tokens"),
        most_tokens=read_count(entry, "max_tokens"),
        thinking=way,
        efforts=_read_efforts(_object_at(capabilities, "effort")),
        must_think=bool(way) and "disabled" in types and not _supported(types, "disabled"),
        may_say_disabled=_supported(types, "disabled"),
        fills_schemas=_supported(capabilities, "structured_outputs"),
        sees=_supported(capabilities, "image_input"),
        told=bool(capabilities),
    )


def make_info(name: str, able: ClaudeAbilities, wanted_window: int, host: str) -> ModelInfo:
    """The description of a model by its name; `host` is where it runs elsewhere.

    The room for thinking is no part of the window that it tells.
    """
    window = able.window or wanted_window
    return ModelInfo(
        name=f"{CLAUDE_PREFIX}{name}",
        backend="anthropic",
        context_window=window - thinking_room(able, window),
        can_call_tools=True,
        can_think=bool(able.thinking),
        takes_effort=bool(able.efforts) or able.thinking == "enabled",
        can_see=able.sees,
        host=host,
        cites=bool(host) or able.told,
        tells_probabilities=False,
    )


def thinking_room(able: ClaudeAbilities, window: int) -> int:
    """Tokens for thinking: a quarter of the window and half of a reply's at most; 0 for a model that does not think."""
    if not able.thinking:
        return 0
    return min(THINKING_TOKENS, window // 4, able.most_tokens // 2 if able.most_tokens else THINKING_TOKENS)


def thinking_budget(room: int, effort: Effort | None) -> int:
    """Tokens of a budget for thinking: the whole room, or an effort's share of it; 0 where the room is too little."""
    if room < LEAST_THINKING:
        return 0
    return max(LEAST_THINKING, int(room * BUDGET_SHARES[effort])) if effort else room


def _read_efforts(told: dict[str, Any]) -> frozenset[str]:
    if told.get("supported") is not True:
        return frozenset()
    return frozenset(word for word in BUDGET_SHARES if _supported(told, word))


def _object_at(values: dict[str, Any], key: str) -> dict[str, Any]:
    value = values.get(key)
    return value if isinstance(value, dict) else {}


def _supported(values: dict[str, Any], key: str) -> bool:
    return _object_at(values, key).get("supported") is True
