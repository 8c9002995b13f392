"""Values that servers of models send, whatever their protocol, read so that none can do harm, and are sent; no I/O."""

import json
from collections.abc import Sequence
from typing import Any

from chatbot.models.settings import Generation

MAX_ARGUMENT_DEPTH = 32
"""How deep arguments may be nested; deeper ones come from no schema of ours."""
MAX_CALLS_IN_REPLY = 32
"""Calls that one reply may ask for."""
CITING_PARAMETERS = 3e9
"""Smaller models write source numbers badly: of 24 answers of a model of 1.5 billion, 8 had the right one."""
THINKING_SWITCH, EFFORT_CHOICE = "enable_thinking", "reasoning_effort"
"""The names that chat templates have for whether and how hard to think: Qwen's and its like, gpt-oss's and its like."""


def parse_object(text: str) -> dict[str, Any] | None:
    """A JSON object, or None where the text is anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_arguments(arguments: Any) -> dict[str, Any]:
    """A call's arguments, an object or the text of one; none of a wrong shape: the tool's own check tells it."""
    value = parse_object(arguments) if isinstance(arguments, str) else arguments
    return value if isinstance(value, dict) and not too_deep(value) else {}


def too_deep(value: Any, depth: int = MAX_ARGUMENT_DEPTH) -> bool:
    """Whether a JSON value is nested deeper than `depth`."""
    if depth == 0:
        return True
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(too_deep(part, depth - 1) for part in inner)


def read_count(values: dict[str, Any], key: str, most: int = 10**15) -> int:
    """A count that a server may leave out; 0 also where it is more than anything there is."""
    value = values.get(key)
    return value if isinstance(value, int) and 0 < value <= most else 0


def share_out(tokens: dict[str, float], words: Sequence[str]) -> dict[str, float]:
    """The share of each word in the probability of the first tokens, 1 in all; empty where most begin several.

    A token counts for the word that begins with it, whatever its case and the space before it.
    """
    shares = dict.fromkeys(words, 0.0)
    unclear = 0.0
    for token, probability in tokens.items():
        start = token.strip().casefold()
        fitting = [word for word in words if start and (word.casefold().startswith(start))]
        if len(fitting) > 1 and start not in (word.casefold() for word in fitting):
            unclear += probability
        elif fitting:
            exact = [word for word in fitting if word.casefold() == start]
            shares[(exact or fitting)[0]] += probability
    total = sum(shares.values())
    return {word: share / total for word, share in shares.items()} if total > unclear else {}


def find_object(text: str) -> dict[str, Any] | None:
    """The JSON object in a text: the whole of it, or what stands between its first and its last brace."""
    return parse_object(text) or parse_object(text[text.find("{") : text.rfind("}") + 1])


def find_word(text: str, words: Sequence[str]) -> str:
    """The word of several that a text names first, whatever its case; empty for none."""
    low = text.casefold()
    places = [(low.find(word.casefold()), -len(word), word) for word in words if word.casefold() in low]
    return min(places)[2] if places else ""


def can_think(template: str) -> bool:
    """Whether a template tells a model to think, or how hard."""
    return THINKING_SWITCH in template or takes_effort(template)


def takes_effort(template: str) -> bool:
    """Whether a template tells a model how hard to think."""
    return EFFORT_CHOICE in template


def thinking_arguments(generation: Generation) -> dict[str, Any]:
    """What llama.cpp and vLLM are to hand the template on thinking; empty where that is left to the model."""
    if not generation.thinking_enabled:
        return {"chat_template_kwargs": {THINKING_SWITCH: False}}
    return {"chat_template_kwargs": {EFFORT_CHOICE: generation.effort}} if generation.effort else {}
