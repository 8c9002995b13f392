"""The events of a reply as pieces: thinking and text at once, calls and the end when all is there; it does no I/O."""

from dataclasses import dataclass, field
from typing import Any

from chatbot.conversation.usage import MOST_TOKENS, Usage
from chatbot.models.base import Call, Done, Piece, Text, Thinking
from chatbot.models.remote.reply import EVENT_COST, ReplyMeter, check_calls, make_calls
from chatbot.models.wire_values import parse_object, read_arguments, read_count
from utils.errors import ReplyBroken
from utils.text import one_line

CUT_REASONS = frozenset({"max_tokens", "model_context_window_exceeded"})
"""Reasons for an end that say: at the number of tokens that it may have; all unknown ones count as a plain end."""
GROWS = {
    "text_delta": ("text", "text"),
    "thinking_delta": ("thinking", "thinking"),
    "signature_delta": ("thinking", "signature"),
    "input_json_delta": ("tool_use", "partial_json"),
}
"""The kind of block that a delta belongs to, and the field that it adds to."""


@dataclass
class _Block:
    """A block of which some has arrived."""

    index: Any
    begun: dict[str, Any]
    """As it came first, with its type."""
    grown: dict[str, list[str]] = field(default_factory=dict)
    """What its fields grew by."""

    @property
    def kind(self) -> str:
        return str(self.begun["type"])

    def text_of(self, name: str) -> str:
        """A field that is a text, whole."""
        begun = self.begun.get(name)
        return (begun if isinstance(begun, str) else "") + "".join(self.grown.get(name, ()))

    @property
    def has_input(self) -> bool:
        """Whether the arguments of a call are there, whole."""
        return bool(self.begun.get("input")) or parse_object(self.text_of("partial_json")) is not None

    def make_whole(self) -> dict[str, Any]:
        """The block with what it grew by; of kinds that are not known it stays as it came."""
        match self.kind:
            case "text":
                return {"type": "text", "text": self.text_of("text")}
            case "thinking":
                thinking, signature = self.text_of("thinking"), self.text_of("signature")
                return {"type": "thinking", "thinking": thinking, "signature": signature}
            case "tool_use":
                arguments = read_arguments(self.text_of("partial_json").strip() or self.begun.get("input"))
                return {"type": "tool_use", "id": self.text_of("id"), "name": self.text_of("name"), "input": arguments}
        return self.begun


class MessageReader:
    """Takes events and gives pieces; raises `ReplyBroken` for a reply longer than `max_tokens` can be."""

    def __init__(self, max_tokens: int) -> None:
        self._meter = ReplyMeter(max_tokens)
        self._blocks: list[_Block] = []
        self._usage: dict[str, Any] = {}
        self._reason = ""
        self._why: dict[str, Any] = {}

    def take_event(self, event: dict[str, Any]) -> list[Piece]:
        """The pieces that an event brings at once; unknown events bring none."""
        self._meter.spend(EVENT_COST)
        pieces: list[Piece] = []
        match event.get("type"):
            case "message_start":
                message = event.get("message")
                self._count(message.get("usage") if isinstance(message, dict) else None)
            case "content_block_start":
                pieces = self._begin_block(event.get("index"), event.get("content_block"))
            case "content_block_delta":
                pieces = self._grow_block(event.get("index"), event.get("delta"))
            case "message_delta":
                self._take_end(event.get("delta"))
                self._count(event.get("usage"))
        if pieces:
            self._meter.note_piece()
        return pieces

    def take_blocks(self) -> list[dict[str, Any]]:
        """The blocks of the reply whole, as they are handed back; a call that was cut off is left out."""
        blocks = self._blocks
        if self._reason in CUT_REASONS and blocks and blocks[-1].kind == "tool_use" and not blocks[-1].has_input:
            blocks = blocks[:-1]
        return [block.make_whole() for block in blocks if block.kind != "text" or block.text_of("text").strip()]

    def finish(self) -> list[Piece]:
        """The calls and the end; raises `ReplyBroken` where the reply was refused or a call has no name."""
        if self._reason == "refusal":
            why = one_line(str(self._why.get("explanation") or self._why.get("category") or ""), 300).rstrip(".")
            said = f": {why}" if why else ""
            raise ReplyBroken(
                f"Claude's safety filter refuses it{said}.", "Ask in other words; /undo takes the question back."
            )
        calls = [block for block in self.take_blocks() if block["type"] == "tool_use"]
        made = make_calls((block["name"], block["input"], block["id"]) for block in calls)
        return [*map(Call, made), Done(self.read_usage(), "length" if self._reason in CUT_REASONS else "stop")]

    def read_usage(self) -> Usage:
        """The counts; what was read from the cache and what was written into it are parts of the prompt."""
        cached = read_count(self._usage, "cache_read_input_tokens", MOST_TOKENS)
        parts = self._usage.get("cache_creation")
        hour = read_count(parts, "ephemeral_1h_input_tokens", MOST_TOKENS) if isinstance(parts, dict) else 0
        written = read_count(self._usage, "cache_creation_input_tokens", MOST_TOKENS)
        prompt_seconds, reply_seconds = self._meter.read_seconds()
        return Usage(
            prompt_tokens=min(MOST_TOKENS, read_count(self._usage, "input_tokens", MOST_TOKENS) + cached + written),
            cached_tokens=cached,
            reply_tokens=read_count(self._usage, "output_tokens", MOST_TOKENS),
            prompt_seconds=prompt_seconds,
            reply_seconds=reply_seconds,
            written_tokens=written,
            hour_tokens=min(hour, written),
        )

    def _begin_block(self, index: Any, block: Any) -> list[Piece]:
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            return []
        self._meter.spend(len(str(block)))
        self._blocks.append(_Block(index, block))
        check_calls(sum(one.kind == "tool_use" for one in self._blocks))
        return _pieces_of(block["type"], block.get(block["type"]))

    def _grow_block(self, index: Any, delta: Any) -> list[Piece]:
        kind, name = GROWS.get(str(delta.get("type")), ("", "")) if isinstance(delta, dict) else ("", "")
        more = delta.get(name) if kind else None
        if not isinstance(more, str) or not more:
            return []
        self._meter.spend(len(more))
        found = next((one for one in reversed(self._blocks) if one.index == index and one.kind == kind), None)
        if found is None:
            found = _Block(index, {"type": kind})
            self._blocks.append(found)
        found.grown.setdefault(name, []).append(more)
        return _pieces_of(kind, more) if name == kind else []

    def _take_end(self, delta: Any) -> None:
        if isinstance(delta, dict):
            reason, why = delta.get("stop_reason"), delta.get("stop_details")
            self._reason = reason if isinstance(reason, str) else self._reason
            self._why = why if isinstance(why, dict) else self._why

    def _count(self, usage: Any) -> None:
        """Take counts over earlier ones; those that are not told again stay."""
        if isinstance(usage, dict):
            self._usage |= {name: value for name, value in usage.items() if value}


def _pieces_of(kind: str, text: Any) -> list[Piece]:
    if not isinstance(text, str) or not text:
        return []
    return [Text(text)] if kind == "text" else [Thinking(text)] if kind == "thinking" else []
