"""The chunks of the engine's reply as pieces: thinking and text at once, calls and the end when all is there."""

from typing import Any, Literal

from chatbot.conversation.usage import Usage
from chatbot.models.base import Call, Done, Piece, Text, Thinking
from chatbot.models.chat_completions.tool_calls import CallCollector


class EngineReply:
    """Takes the chunks of one reply; raises `ReplyBroken` for too many calls and for one without a name."""

    def __init__(self) -> None:
        self.is_over = False
        self._calls = CallCollector()
        self._reason: Literal["stop", "length"] = "stop"

    def take_chunk(self, chunk: dict[str, Any]) -> list[Piece]:
        """The pieces that a chunk brings, `Done` last of all."""
        pieces: list[Piece] = []
        for choice in chunk["choices"]:
            pieces += _choice_pieces(choice)
            for call in choice["delta"].get("tool_calls") or ():
                self._calls.feed(call)
            if choice["finish_reason"] == "length":
                self._reason = "length"
        if "timings" in chunk:
            self.is_over = True
            pieces += [Call(call) for call in self._calls.take_calls()]
            pieces.append(Done(read_usage(chunk["timings"]), self._reason))
        return pieces


def token_logprobs(choice: dict[str, Any]) -> list[dict[str, Any]]:
    """What a choice tells of its tokens' likelihoods."""
    return list((choice.get("logprobs") or {}).get("content") or [])


def _choice_pieces(choice: dict[str, Any]) -> list[Piece]:
    pieces: list[Piece] = []
    delta = choice["delta"]
    if delta.get("reasoning_content"):
        pieces.append(Thinking(delta["reasoning_content"]))
    if delta.get("content"):
        pieces.append(Text(delta["content"], tuple(token["logprob"] for token in token_logprobs(choice))))
    return pieces


def read_usage(timings: dict[str, Any]) -> Usage:
    """What a reply took, by the engine's own times."""
    return Usage(
        prompt_tokens=timings["cache_n"] + timings["prompt_n"],
        cached_tokens=timings["cache_n"],
        reply_tokens=timings["predicted_n"],
        prompt_seconds=timings["prompt_ms"] / 1000,
        reply_seconds=timings["predicted_ms"] / 1000,
    )
