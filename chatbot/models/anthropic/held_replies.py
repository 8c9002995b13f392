"""Replies with calls as they came: thinking must be handed back with its signature when the results follow.

They are held for this process alone: once a turn is over the API does without, and a conversation that is gone on with
later begins a turn anew.
"""

import json
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from chatbot.conversation.messages import Message

MAX_HELD_REPLIES = 64


class HeldReplies:
    """The blocks of the last replies with calls, found by what the conversation keeps of them."""

    def __init__(self) -> None:
        self._held: OrderedDict[str, list[dict[str, Any]]] = OrderedDict()

    def hold(self, blocks: Sequence[dict[str, Any]]) -> None:
        """Hold a reply; one without calls is not needed."""
        calls = [(block["name"], block["input"]) for block in blocks if block["type"] == "tool_use"]
        if not calls:
            return
        thinking = "".join(block["thinking"] for block in blocks if block["type"] == "thinking")
        self._held[_key_of(thinking, calls)] = list(blocks)
        while len(self._held) > MAX_HELD_REPLIES:
            self._held.popitem(last=False)

    def recall(self, message: Message) -> list[dict[str, Any]] | None:
        """The blocks of a message of the assistant's; None where they are not held."""
        return self._held.get(_key_of(message.thinking, [(call.name, call.arguments) for call in message.tool_calls]))

    def covers(self, messages: Sequence[Message]) -> bool:
        """Whether all calls since the last question are held: otherwise thinking cannot go on from them."""
        for message in reversed(messages):
            if message.is_question:
                return True
            if message.tool_calls and self.recall(message) is None:
                return False
        return True

    def clear(self) -> None:
        """Hold nothing any more."""
        self._held.clear()


def _key_of(thinking: str, calls: Sequence[tuple[str, dict[str, Any]]]) -> str:
    return json.dumps([thinking.strip(), calls], sort_keys=True)
