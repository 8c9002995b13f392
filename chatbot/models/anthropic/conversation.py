"""A conversation as the Messages API has it: the system's text apart, user and assistant in turn; it does no I/O.

Every message must hold something, the first and the last one are the user's, and each call has its result at the
beginning of the message behind it. What our conversations have otherwise is brought into that form here.
"""

import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from typing import Any

from chatbot.conversation.messages import Message
from rag.documents import Picture
from tools.base import ToolSchema

GO_ON = "Go on."
"""What the user says where a conversation ends with the assistant's words, or has none at all."""
LEFT_OUT = "(What came before is left out.)"
"""The same where it begins with them."""
NO_RESULT = "There is no result: the call was cut off."
_WIRE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_IN_NAME = re.compile(r"[^A-Za-z0-9_-]")
MOST_NAME_CHARS = 64

Blocks = list[dict[str, Any]]
Recall = Callable[[Message], Blocks | None]
"""The blocks of a reply with calls as they came, thinking and its signatures among them; None where none are held."""


def system_text(messages: Sequence[Message]) -> str:
    """What the messages of the system say."""
    return "\n\n".join(one.prompt_text for one in messages if one.role == "system" and one.prompt_text.strip())


def wire_messages(messages: Sequence[Message], recall: Recall) -> list[dict[str, Any]]:
    """Everything but the system's messages, in the form that is taken."""
    wire = _Wire(recall)
    for message in messages:
        if message.is_result:
            wire.add_result(message)
        elif message.role != "system":
            wire.close_calls()
            wire.add_said(message)
    wire.close_calls()
    return wire.finish()


def wire_tool(schema: ToolSchema) -> dict[str, Any]:
    """A tool as the API has it."""
    return {"name": schema.name, "description": schema.description, "input_schema": schema.parameters}


def named_tools(wire: Sequence[dict[str, Any]]) -> Blocks:
    """The tools that the calls of a conversation name: without them the API takes no such conversation."""
    names = [block["name"] for message in wire for block in message["content"] if block["type"] == "tool_use"]
    return [{"name": name, "input_schema": {"type": "object"}} for name in dict.fromkeys(names)]


def text_block(text: str) -> dict[str, Any]:
    """A text, as messages hold it."""
    return {"type": "text", "text": text}


def picture_block(picture: Picture) -> dict[str, Any]:
    """A picture, as messages hold it."""
    source = {"type": "base64", "media_type": picture.media_type, "data": b64encode(picture.data).decode()}
    return {"type": "image", "source": source}


class _Wire:
    """Takes messages and makes those of the API of them."""

    def __init__(self, recall: Recall) -> None:
        self._recall = recall
        self._messages: list[dict[str, Any]] = []
        self._open: dict[str, str] = {}
        """The calls without a result yet: their ids on the wire, by those that the conversation has."""
        self._ids: set[str] = set()

    def add_said(self, message: Message) -> None:
        """A question, or what the assistant said with the calls that it asked for."""
        blocks = [picture_block(picture) for picture in message.pictures]
        blocks += [text_block(message.prompt_text)] if message.prompt_text.strip() else []
        held = self._recall(message) if message.tool_calls else None
        if held is not None:
            blocks = [block for block in held if block["type"] != "tool_use"]
        calls = [self._wire_call(*call) for call in enumerate(message.tool_calls)]
        if held is not None:
            # As it came: thinking that stands elsewhere than it stood is refused.
            left = iter(calls)
            blocks = [next(left) if block["type"] == "tool_use" else block for block in held]
            calls = list(left)
        self._add("assistant" if message.role == "assistant" else "user", blocks + calls)

    def add_result(self, message: Message) -> None:
        """What a tool brought: the result of its call, or words of the user's where there is no such call."""
        key = message.call_id if message.call_id in self._open else next(iter(self._open), "")
        if not self._open or (message.call_id and message.call_id != key):
            self._add("user", [text_block(message.prompt_text)])
            return
        result = {"type": "tool_result", "tool_use_id": self._open.pop(key), "content": message.prompt_text}
        self._add("user", [{**result, "is_error": True} if message.failed else result])

    def close_calls(self) -> None:
        """Say of calls that have no result that there is none."""
        for identity in self._open.values():
            result = {"type": "tool_result", "tool_use_id": identity, "content": NO_RESULT, "is_error": True}
            self._add("user", [result])
        self._open = {}

    def finish(self) -> list[dict[str, Any]]:
        """The messages, results before other words, the user's first and last."""
        for message in self._messages:
            if message["role"] == "user":
                message["content"].sort(key=lambda block: block["type"] != "tool_result")
        if self._messages and self._messages[0]["role"] == "assistant":
            self._messages.insert(0, {"role": "user", "content": [text_block(LEFT_OUT)]})
        if not self._messages or self._messages[-1]["role"] == "assistant":
            self._add("user", [text_block(GO_ON)])
        return self._messages

    def _add(self, role: str, blocks: Blocks) -> None:
        """Blocks of a message; two messages of one role in a row become one, and those that are empty none."""
        if not blocks:
            return
        if self._messages and self._messages[-1]["role"] == role:
            self._messages[-1]["content"] += blocks
        else:
            self._messages.append({"role": role, "content": blocks})

    def _wire_call(self, number: int, call: Any) -> dict[str, Any]:
        identity = call.id
        if not _WIRE_ID.fullmatch(identity) or identity in self._ids:
            identity = f"call_{len(self._messages)}_{number}_{len(self._ids)}"
        self._ids.add(identity)
        self._open[call.id or identity] = identity
        name = _NOT_IN_NAME.sub("_", call.name)[:MOST_NAME_CHARS] or "tool"
        return {"type": "tool_use", "id": identity, "name": name, "input": call.arguments}
