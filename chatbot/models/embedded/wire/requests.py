"""What the engine is sent, as values: messages, tools, and how a reply is to be made; no I/O."""

import re
from collections.abc import Sequence
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.chat_completions.values import wire_messages, wire_tool
from chatbot.models.settings import Generation
from chatbot.models.wire_values import thinking_arguments
from tools.base import ToolSchema


def write_body(wire: list[dict[str, Any]], generation: Generation, max_tokens: int = 0) -> dict[str, Any]:
    """The body of a chat with these messages; `max_tokens` of its reply, 0: as the settings say."""
    body: dict[str, Any] = {
        "messages": wire,
        "max_tokens": max_tokens or generation.max_tokens,
        "temperature": generation.temperature,
        "cache_prompt": True,
        **thinking_arguments(generation),
    }
    return body if generation.seed is None else body | {"seed": generation.seed}


def plain_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages for a template without tools: a result is the user's, and two of one role in a row become one."""
    wire: list[dict[str, Any]] = []
    for message in messages:
        role = "user" if message.is_result else message.role
        text = defuse_tokens(message.prompt_text)
        if wire and wire[-1]["role"] == role:
            wire[-1]["content"] += f"\n\n{text}"
        else:
            wire.append({"role": role, "content": text})
    return wire


def calling_messages(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages for a template with tools: calls and their results are told apart from what is said."""
    return [_defuse_value(message) for message in wire_messages(messages)]


def offered_tools(tools: Sequence[ToolSchema]) -> dict[str, Any]:
    """The part of a body that offers tools; empty for none. How many may be called at once is the template's."""
    return {"tools": [_defuse_value(wire_tool(tool)) for tool in tools]} if tools else {}


def defuse_tokens(text: str) -> str:
    """Text in which nothing is a control token: a page that holds `<|im_end|>` cannot end its message."""
    return re.sub(r"<\|(\w+)\|>", r"<| \1 |>", text)


def _defuse_value(value: Any) -> Any:
    """A value of JSON of whose texts, its keys among them, none holds a control token."""
    match value:
        case str():
            return defuse_tokens(value)
        case dict():
            return {defuse_tokens(key): _defuse_value(one) for key, one in value.items()}
        case list() | tuple():
            return [_defuse_value(one) for one in value]
    return value
