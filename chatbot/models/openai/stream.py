"""A streamed reply in OpenAI's protocol: its chunks, and the errors among them."""

from collections.abc import Sequence
from typing import Any

from chatbot.models.remote.errors import read_details
from chatbot.models.remote.stream import ApiStream


class ChunkStream(ApiStream):
    """The chunks of one answer."""

    end_mark = "[DONE]"

    def read_failure(self, event: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        """An error stands in the place of the choices; its code may be a status."""
        details = {} if choices_of(event) else read_details(event)
        code = details.get("code")
        return (code if isinstance(code, int) and 400 <= code < 600 else 500, details) if details else None

    def says_reason(self, event: dict[str, Any]) -> bool:
        """Whether a choice has a reason for its end."""
        return any(choice.get("finish_reason") for choice in choices_of(event))

    def split_whole(self, answer: dict[str, Any]) -> Sequence[dict[str, Any]]:
        """The answer as the only chunk, its message as what it brings."""
        choices = choices_of(answer)
        for choice in choices:
            choice.setdefault("delta", choice.get("message"))
        return [answer] if choices else []


def choices_of(chunk: dict[str, Any]) -> list[dict[str, Any]]:
    """The choices of a chunk that are some."""
    choices = chunk.get("choices")
    return [choice for choice in choices if isinstance(choice, dict)] if isinstance(choices, list) else []
