"""What goes over Ollama's wire and comes back, as values: messages, tools, pieces, capabilities; it does no I/O."""

import hashlib
import json
import math
import re
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from chatbot.conversation.messages import Message, ToolCall
from chatbot.conversation.usage import MOST_TOKENS, Usage
from chatbot.models.base import Call, ModelInfo, Piece, Text, Thinking
from chatbot.models.wire_values import CITING_PARAMETERS, read_arguments, read_count
from tools.base import ToolSchema
from utils.errors import ReplyBroken
from utils.network.addresses import host_of

CLOUD_HOST = "Ollama's cloud"
"""How sentences call where models run of which the server does not say that."""
LEVELLED = ("gptoss", "gpt-oss")
"""Architectures whose thinking has levels; a server may refuse a level for any other one."""


def keep_alive(setting: str) -> str | int:
    """`keep_alive` as the server takes it: a number of seconds must not be a string."""
    return int(setting) if re.fullmatch(r"\s*-?\d+\s*", setting) else setting


def wire_message(message: Message) -> dict[str, Any]:
    """A message as /api/chat takes it; calls are matched by order and tool name, for ids are not kept by all."""
    wire: dict[str, Any] = {"role": message.role, "content": message.prompt_text}
    if message.pictures:
        wire["images"] = [b64encode(picture.data).decode() for picture in message.pictures]
    if message.tool_calls:
        wire["tool_calls"] = [
            {"function": {"name": call.name, "arguments": call.arguments}} for call in message.tool_calls
        ]
        if message.thinking:
            # Models that think between calls go on from their own thoughts; elsewhere templates drop them.
            wire["thinking"] = message.thinking
    if message.is_result:
        wire["tool_name"] = message.tool_name
    return wire


def wire_tool(schema: ToolSchema) -> dict[str, Any]:
    """A tool as /api/chat takes it."""
    function = {"name": schema.name, "description": schema.description, "parameters": schema.parameters}
    return {"type": "function", "function": function}


def message_pieces(chunk: dict[str, Any]) -> Iterator[Piece]:
    """Thinking, text and calls of one chunk, in that order."""
    message = chunk.get("message")
    if not isinstance(message, dict):
        return
    thinking, content, calls = message.get("thinking"), message.get("content"), message.get("tool_calls")
    if isinstance(thinking, str) and thinking:
        yield Thinking(thinking)
    if isinstance(content, str) and content:
        yield Text(content)
    for call in calls if isinstance(calls, list) else []:
        yield Call(read_call(call))


def read_call(call: Any) -> ToolCall:
    """A call; arguments of a wrong shape become none, so that the tool's own validation tells the model."""
    function = call.get("function") if isinstance(call, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    if not isinstance(function, dict) or not isinstance(name, str) or not name:
        raise ReplyBroken("The model asked for a tool without saying which.", "Ask again.")
    identity = call.get("id")
    return ToolCall(name, read_arguments(function.get("arguments")), identity if isinstance(identity, str) else "")


def length_of(chunk: dict[str, Any]) -> int:
    """Characters that a chunk brings."""
    message = chunk.get("message")
    if not isinstance(message, dict):
        return 0
    texts = (message.get("content"), message.get("thinking"), message.get("tool_calls"))
    return sum(len(text if isinstance(text, str) else str(text)) for text in texts if text)


def read_usage(chunk: dict[str, Any]) -> Usage:
    """The counts of a reply's last chunk, durations from nanoseconds; what the cache held is not told."""
    return Usage(
        prompt_tokens=read_count(chunk, "prompt_eval_count", MOST_TOKENS),
        reply_tokens=read_count(chunk, "eval_count", MOST_TOKENS),
        prompt_seconds=read_count(chunk, "prompt_eval_duration") / 1e9,
        reply_seconds=read_count(chunk, "eval_duration") / 1e9,
    )


def read_logprobs(chunk: dict[str, Any]) -> dict[str, float]:
    """The probabilities of the first token that a chunk tells of; empty where it tells none."""
    entries = chunk.get("logprobs")
    first = entries[0] if isinstance(entries, list) and entries else None
    top = first.get("top_logprobs") if isinstance(first, dict) else None
    tokens: dict[str, float] = {}
    for entry in top if isinstance(top, list) else []:
        token, logprob = entry.get("token"), entry.get("logprob")
        if isinstance(token, str) and isinstance(logprob, int | float) and logprob <= 0:
            tokens[token] = tokens.get(token, 0.0) + math.exp(logprob)
    return tokens


def same_name(one: str, other: str) -> bool:
    """Whether two names mean one model: a name without a tag means `latest`."""
    return full_name(one) == full_name(other)


def full_name(name: str) -> str:
    """A model's name with its tag."""
    return name if ":" in name.rsplit("/", 1)[-1] else f"{name}:latest"


def is_cloud(name: str, entry: dict[str, Any]) -> bool:
    """Whether /api/show or /api/tags, or the name that Ollama gives such models, says that it runs elsewhere."""
    return bool(entry.get("remote_host") or entry.get("remote_model")) or full_name(name).endswith(("-cloud", ":cloud"))


def read_info(name: str, shown: dict[str, Any], wanted_window: int) -> ModelInfo:
    """What /api/show tells; a server that lists no capabilities is taken at its word with tools, and observed."""
    facts = shown.get("model_info")
    facts = facts if isinstance(facts, dict) else {}
    trained = read_count(facts, f"{facts.get('general.architecture')}.context_length")
    capabilities = shown.get("capabilities")
    known = capabilities if isinstance(capabilities, list) else ["tools"]
    cloud = is_cloud(name, shown)
    return ModelInfo(
        name=name,
        backend="ollama",
        context_window=min(wanted_window, trained) if trained else wanted_window,
        can_call_tools="tools" in known,
        can_think="thinking" in known,
        takes_effort=facts.get("general.architecture") in LEVELLED,
        can_see="vision" in known,
        host=(host_of(str(shown.get("remote_host"))) or CLOUD_HOST) if cloud else "",
        cites="tools" in known and parameters_of(shown, large=cloud) >= CITING_PARAMETERS,
        digest=digest_of(shown),
    )


def digest_of(shown: dict[str, Any]) -> str:
    """What tells a model from another one of its name: its weights, which the modelfile names, its template, and what
    the server makes of them."""
    told = {key: value for key, value in shown.items() if key not in ("modified_at", "license")}
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def parameters_of(shown: dict[str, Any], *, large: bool) -> float:
    """How many parameters a model has; where it is not told, none, or many for one that is known to be `large`."""
    facts, details = shown.get("model_info"), shown.get("details")
    count = read_count(facts, "general.parameter_count") if isinstance(facts, dict) else 0
    if count:
        return count
    size = str(details.get("parameter_size")) if isinstance(details, dict) else ""
    match = re.fullmatch(r"([\d.]+)([KMBT])", size)
    if match:
        return float(match[1]) * {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}[match[2]]
    return math.inf if large else 0


def tell_fetching(name: str) -> str:
    """How a model that is not there is fetched."""
    return f"Fetch it with `ollama pull {name}`."
