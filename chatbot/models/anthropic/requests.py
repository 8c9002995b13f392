"""How requests to one model are written: by what it can, and by what its server has refused before; it does no I/O."""

from collections.abc import Sequence
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.anthropic.abilities import ClaudeAbilities, thinking_budget, thinking_room
from chatbot.models.anthropic.conversation import named_tools, system_text, text_block, wire_messages, wire_tool
from chatbot.models.anthropic.held_replies import HeldReplies
from chatbot.models.base import ReplyOptions
from chatbot.models.settings import Effort, Generation
from tools.base import ToolSchema

CACHED = {"type": "ephemeral"}
"""The mark behind which a prompt's beginning is kept, to be read from the cache the next time."""
HOLDINGS = ("schema", "tool", "words")
"""How an answer is held to a form, the strictest first; the last one is by words alone."""
FORM_TOOL = "fill_in_form"


class ClaudeRequests:
    """Writes the bodies of requests; what was refused is left out, or done otherwise, from then on.

    Temperature and seed are no part of this API.
    """

    def __init__(self, name: str, able: ClaudeAbilities) -> None:
        self.held = HeldReplies()
        self._name = name
        self._able = able
        self._form = 0 if able.fills_schemas else 1
        self._thinks = bool(able.thinking)
        self._efforts = able.efforts
        self._marks = True

    @property
    def form(self) -> str:
        """How an answer is held to a form now."""
        return HOLDINGS[self._form]

    def write_chat(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], generation: Generation, options: ReplyOptions
    ) -> dict[str, Any]:
        """The body of a chat that is streamed. Short replies, which are asked for by their tokens, go without thought,
        and so does a turn with calls whose thinking is not held any more.
        """
        think = generation.thinking_enabled and not options.max_tokens and self.held.covers(messages)
        wire = wire_messages(messages, self.held.recall)
        body = self._begin(messages, wire, options.max_tokens or generation.max_tokens, generation.effort, think=think)
        if tools:
            body["tools"] = [wire_tool(schema) for schema in tools]
        elif stubs := named_tools(wire):
            body |= {"tools": stubs, "tool_choice": {"type": "none"}}
        if self._marks:
            self._mark(body)
        return body

    def write_form(self, messages: Sequence[Message], schema: dict[str, Any], generation: Generation) -> dict[str, Any]:
        """The body of a request whose answer is held to a schema, as strictly as it is taken."""
        wire = wire_messages(messages, self.held.recall)
        body = self._begin(messages, wire, generation.max_tokens, None, think=False)
        if self.form == "tool":
            tool = {"name": FORM_TOOL, "description": "Takes the answer.", "input_schema": schema}
            choice = {"type": "tool", "name": FORM_TOOL, "disable_parallel_tool_use": True}
            return body | {"tools": [*named_tools(wire), tool], "tool_choice": choice}
        if stubs := named_tools(wire):
            body |= {"tools": stubs, "tool_choice": {"type": "none"}}
        if self.form == "schema":
            body["output_config"] = {"format": {"type": "json_schema", "schema": closed_schema(schema)}}
        return body

    def learn_refusal(self, body: dict[str, Any], field: str) -> bool:
        """Do without a field from now on; False where that was no part of the request, or of any already."""
        match field:
            case "effort" | "output_config" if "effort" in body.get("output_config", {}):
                self._efforts = frozenset()
                return True
            case "thinking" if self._thinks:
                self._thinks = False
                self.held.clear()
                return True
            case "cache_control" if self._marks:
                self._marks = False
                return True
        return False

    def loosen_form(self) -> bool:
        """Hold answers less strictly from now on; False where that is not possible."""
        if self._form + 1 == len(HOLDINGS):
            return False
        self._form += 1
        return True

    def _begin(
        self,
        messages: Sequence[Message],
        wire: list[dict[str, Any]],
        limit: int,
        effort: Effort | None,
        *,
        think: bool,
    ) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._name, "messages": wire, "stream": True}
        if system := system_text(messages):
            body["system"] = [text_block(system)]
        able = self._able
        room = thinking_room(able, able.window or 4 * limit)
        named = think and effort in self._efforts
        thinking = self._choose_thinking(thinking_budget(room, None if named else effort), think=think)
        if thinking:
            body["thinking"] = thinking
        if named and thinking.get("type") != "disabled":
            # How hard it is to think is refused by some beside that it is not to.
            body["output_config"] = {"effort": effort}
        if able.must_think or thinking.get("type", "disabled") != "disabled":
            limit += thinking.get("budget_tokens", room)
        body["max_tokens"] = min(limit, able.most_tokens) if able.most_tokens else limit
        return body

    def _choose_thinking(self, budget: int, *, think: bool) -> dict[str, Any]:
        """How the model is to think, or that it is not to; empty where nothing is said of it."""
        way = self._able.thinking if self._thinks else ""
        if way == "adaptive" and think:
            return {"type": way, "display": "summarized"}
        if way == "enabled" and think and budget:
            return {"type": way, "display": "summarized", "budget_tokens": budget}
        return {"type": "disabled"} if way and self._able.may_say_disabled else {}

    def _mark(self, body: dict[str, Any]) -> None:
        """Mark the fixed beginning, tools and system, and the end of what was said so far: each later request has it.

        Tools that only name earlier calls are not the same the next time.
        """
        if body.get("tools") and "tool_choice" not in body:
            body["tools"][-1]["cache_control"] = CACHED
        if body.get("system"):
            body["system"][-1]["cache_control"] = CACHED
        last = body["messages"][-1]["content"]
        last[-1] = {**last[-1], "cache_control": CACHED}


def closed_schema(schema: Any) -> Any:
    """A schema whose objects take nothing beside what they name, as structured output wants it."""
    if isinstance(schema, list):
        return [closed_schema(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: closed_schema(part) for name, part in schema.items()}
    return closed | {"additionalProperties": False} if schema.get("type") == "object" else closed
