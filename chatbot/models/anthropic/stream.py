"""A streamed reply of the Messages API: its events, and the errors among them."""

from collections.abc import Sequence
from typing import Any

from chatbot.models.anthropic.errors import STATUSES
from chatbot.models.remote.errors import read_details
from chatbot.models.remote.stream import ApiStream


class MessageStream(ApiStream):
    """The events of one answer."""

    def read_failure(self, event: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        """An event of its own, whose type stands for the status."""
        kind = event.get("type")
        details = read_details(event) if kind == "error" or not isinstance(kind, str) else {}
        return (STATUSES.get(str(details.get("type")), 500), details) if details or kind == "error" else None

    def says_reason(self, event: dict[str, Any]) -> bool:
        """Whether it is the one before the last, with the reason."""
        delta = event.get("delta")
        return event.get("type") == "message_delta" and isinstance(delta, dict) and bool(delta.get("stop_reason"))

    def is_last(self, event: dict[str, Any]) -> bool:
        """Whether it is the end of the message."""
        return event.get("type") == "message_stop"

    def is_empty(self, event: dict[str, Any]) -> bool:
        """Whether it comes before the first block."""
        return event.get("type") in ("ping", "message_start")

    def split_whole(self, answer: dict[str, Any]) -> Sequence[dict[str, Any]]:
        """The message as the events that it would have come in."""
        blocks = answer.get("content")
        if not isinstance(blocks, list):
            return []
        starts = [
            {"type": "content_block_start", "index": place, "content_block": block}
            for place, block in enumerate(blocks)
        ]
        end = {"stop_reason": answer.get("stop_reason"), "stop_details": answer.get("stop_details")}
        return [{"type": "message_start", "message": answer}, *starts, {"type": "message_delta", "delta": end}]
