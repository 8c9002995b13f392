"""The chunks of a reply as pieces: thinking and text at once, calls and the end when all is there."""

from typing import Any, Literal

from chatbot.conversation.usage import Usage
from chatbot.models.base import Call, Done, Piece, Text, Thinking
from chatbot.models.chat_completions.tool_calls import CallCollector
from chatbot.models.chat_completions.values import read_usage
from chatbot.models.openai.found import FoundReader
from chatbot.models.openai.stream import choices_of
from chatbot.models.openai.thinking import ThinkingSplitter
from chatbot.models.remote.reply import EVENT_COST, ReplyMeter
from utils.errors import ReplyBroken

CUT = frozenset({"length", "max_tokens", "model_length"})
"""Reasons for an end that say: at the number of tokens that it may have; all unknown ones count as a plain end."""


class ReplyReader:
    """Takes chunks and gives pieces; raises `ReplyBroken` for a reply longer than `max_tokens` can be.

    `found` reads what the server searched for by itself, where it may.
    """

    def __init__(self, max_tokens: int, found: FoundReader | None = None) -> None:
        self._found = found
        self._meter = ReplyMeter(max_tokens)
        self._splitter = ThinkingSplitter()
        self._calls = CallCollector()
        self._usage: dict[str, Any] = {}
        self._reason = ""

    def take_chunk(self, chunk: dict[str, Any]) -> list[Piece]:
        """The pieces that a chunk brings at once."""
        if isinstance(usage := chunk.get("usage"), dict):
            self._usage = usage
        pieces: list[Piece] = self._found.take_results(chunk) if self._found else []
        for choice in choices_of(chunk)[:1]:
            reason, delta = choice.get("finish_reason"), choice.get("delta")
            self._reason = reason if isinstance(reason, str) and reason else self._reason
            if isinstance(delta, dict):
                pieces += self._take_delta(delta)
        self._meter.spend(EVENT_COST)
        if pieces:
            self._meter.note_piece()
        return pieces

    def finish(self) -> list[Piece]:
        """What is left, the calls, and the end; raises `ReplyBroken` where a filter has cut the reply."""
        pieces = self._with_citations(self._splitter.finish())
        pieces += self._found.finish() if self._found else []
        if self._reason == "content_filter":
            raise ReplyBroken("The server's content filter cut the answer off.", "Ask in other words.")
        pieces += [Call(call) for call in self._calls.take_calls()]
        return [*pieces, Done(self.read_usage(), _done_reason(self._reason))]

    def read_usage(self) -> Usage:
        """What was told so far of what the reply took."""
        return read_usage(self._usage, *self._meter.read_seconds())

    def _with_citations(self, pieces: list[Piece]) -> list[Piece]:
        """The pieces, the server's own numbers apart from the text."""
        if self._found is None:
            return pieces
        read = [self._found.take_text(piece.delta) if isinstance(piece, Text) else [piece] for piece in pieces]
        return [piece for part in read for piece in part]

    def _take_delta(self, delta: dict[str, Any]) -> list[Piece]:
        pieces: list[Piece] = []
        for name in ("reasoning_content", "reasoning"):
            if isinstance(thought := delta.get(name), str) and thought:
                self._meter.spend(len(thought))
                pieces.append(Thinking(thought))
                break
        for name in ("content", "refusal"):
            if isinstance(text := delta.get(name), str) and text:
                self._meter.spend(len(text))
                pieces += self._with_citations(self._splitter.feed(text))
        calls = delta.get("tool_calls")
        if isinstance(old := delta.get("function_call"), dict):
            calls = [{"index": 0, "function": old}]
        for call in calls if isinstance(calls, list) else []:
            self._meter.spend(len(str(call)))
            self._calls.feed(call)
        return pieces


def _done_reason(reason: str) -> Literal["stop", "length"]:
    return "length" if reason in CUT else "stop"
