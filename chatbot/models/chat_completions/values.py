"""What goes over the wire of OpenAI's protocol and comes back, as values: messages, tools, usage, words; no I/O."""

import json
import math
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.conversation.usage import MOST_TOKENS, Usage
from chatbot.models.wire_values import read_count
from tools.base import ToolSchema


def wire_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages as the protocol has them; two of one role in a row become one, as strict templates want it."""
    wire: list[dict[str, Any]] = []
    for place, message in enumerate(messages):
        one = wire_message(message, place)
        if wire and is_plain(one) and is_plain(wire[-1]) and wire[-1]["role"] == one["role"]:
            wire[-1]["content"] += f"\n\n{one['content']}"
        else:
            wire.append(one)
    return wire


def is_plain(wire: dict[str, Any]) -> bool:
    """Whether a message has a text and nothing else."""
    return wire.keys() == {"role", "content"} and isinstance(wire["content"], str)


def wire_content(message: Message) -> str | list[dict[str, Any]]:
    """What a message says: a text, or parts of which the pictures are the last, each as a URL that holds all of it."""
    if not message.pictures:
        return message.prompt_text
    urls = [f"data:{one.media_type};base64,{b64encode(one.data).decode()}" for one in message.pictures]
    shown = [{"type": "image_url", "image_url": {"url": url}} for url in urls]
    return [{"type": "text", "text": message.prompt_text}, *shown]


def wire_message(message: Message, place: int) -> dict[str, Any]:
    """A message; calls without an id are given one by where they stand."""
    wire: dict[str, Any] = {"role": message.role, "content": wire_content(message)}
    if message.tool_calls:
        wire["tool_calls"] = [
            {
                "id": call.id or f"call_{place}_{number}",
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
            }
            for number, call in enumerate(message.tool_calls)
        ]
        if message.thinking:
            # Models that think between calls go on from their own thoughts; elsewhere templates drop them.
            wire["reasoning_content"] = message.thinking
    if message.is_result:
        wire["tool_call_id"] = message.call_id or f"call_{place - 1}_0"
    return wire


def wire_tool(schema: ToolSchema) -> dict[str, Any]:
    """A tool as the protocol has it."""
    function = {"name": schema.name, "description": schema.description, "parameters": schema.parameters}
    return {"type": "function", "function": function}


def read_usage(usage: dict[str, Any], prompt_seconds: float, reply_seconds: float) -> Usage:
    """The counts of a reply, as far as they are told; seconds as they were measured here."""
    details = usage.get("prompt_tokens_details")
    details = details if isinstance(details, dict) else {}
    prompt = read_count(usage, "prompt_tokens", MOST_TOKENS)
    cached = read_count(details, "cached_tokens", MOST_TOKENS)
    return Usage(
        prompt_tokens=prompt,
        cached_tokens=min(prompt, cached or read_count(usage, "prompt_cache_hit_tokens", MOST_TOKENS)),
        reply_tokens=read_count(usage, "completion_tokens", MOST_TOKENS),
        prompt_seconds=prompt_seconds,
        reply_seconds=reply_seconds,
        written_tokens=min(prompt, read_count(details, "cache_write_tokens", MOST_TOKENS)),
    )


def read_first_token(choice: dict[str, Any]) -> dict[str, float]:
    """The likeliest first tokens of a reply and their probabilities, where a choice tells them."""
    logs = choice.get("logprobs")
    entries = logs.get("content") if isinstance(logs, dict) else None
    first = entries[0] if isinstance(entries, list) and entries else None
    top = first.get("top_logprobs") if isinstance(first, dict) else None
    tokens: dict[str, float] = {}
    for entry in top if isinstance(top, list) else []:
        token, log = (entry.get("token"), entry.get("logprob")) if isinstance(entry, dict) else (None, None)
        if isinstance(token, str) and isinstance(log, int | float) and log <= 0:
            tokens[token] = tokens.get(token, 0.0) + math.exp(log)
    return tokens
