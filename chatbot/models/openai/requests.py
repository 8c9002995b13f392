"""How requests to one model are written: by the kind of its server, and by what that has refused before."""

from collections.abc import Sequence
from typing import Any

from chatbot.conversation.messages import Message
from chatbot.models.base import ReplyOptions
from chatbot.models.chat_completions.values import wire_messages, wire_tool
from chatbot.models.openai.endpoints import ServerKind
from chatbot.models.settings import Generation
from chatbot.models.wire_values import EFFORT_CHOICE, thinking_arguments
from tools.base import ToolSchema

STRICTNESS = ("json_schema", "json_object", "text")
"""How an answer is held to a form, the strictest first; the last one is by words alone."""


class RequestWriter:
    """Writes the bodies of requests; a parameter that was refused is left out, or said by another one, from then on."""

    def __init__(self, name: str, kind: ServerKind) -> None:
        self.form = STRICTNESS[0]
        self._name = name
        self._kind = kind
        self._refused: set[str] = set()
        if kind not in (ServerKind.LLAMA_SERVER, ServerKind.VLLM):
            # Messages with a field of somebody else's are refused there.
            self._refused.add("reasoning_content")
        if kind is ServerKind.OPENAI:
            self._refused.add("max_tokens")

    def write_chat(
        self, messages: Sequence[Message], tools: Sequence[ToolSchema], generation: Generation, options: ReplyOptions
    ) -> dict[str, Any]:
        """The body of a chat that is streamed."""
        temperature = generation.temperature if options.temperature is None else options.temperature
        body: dict[str, Any] = {
            "model": self._name,
            "messages": wire_messages(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": options.max_tokens or generation.max_tokens,
            "temperature": temperature,
        }
        if generation.seed is not None:
            body["seed"] = generation.seed
        if tools:
            body["tools"] = [wire_tool(schema) for schema in tools]
        body |= self._thinking_of(generation)
        if self._kind is ServerKind.PERPLEXITY and not options.search:
            # What it finds by itself has numbers of its own, which would stand for other sources here.
            body["disable_search"] = True
        return self.leave_out(body)

    def _thinking_of(self, generation: Generation) -> dict[str, Any]:
        """What keeps a model from thinking, where the kind of server has a way, or says how hard it is to."""
        if self._kind in (ServerKind.LLAMA_SERVER, ServerKind.VLLM):
            return thinking_arguments(generation)
        return {EFFORT_CHOICE: generation.effort} if generation.effort else {}

    def response_format(self, schema: dict[str, Any]) -> dict[str, Any]:
        """What holds an answer to a schema, as strictly as the server takes it."""
        if self.form == STRICTNESS[0]:
            return {"response_format": {"type": self.form, "json_schema": {"name": "form", "schema": schema}}}
        return {"response_format": {"type": self.form}} if self.form == STRICTNESS[1] else {}

    def loosen_form(self) -> bool:
        """Hold answers less strictly from now on; False where that is not possible."""
        place = STRICTNESS.index(self.form) + 1
        if place == len(STRICTNESS):
            return False
        self.form = STRICTNESS[place]
        return True

    def learn_refusal(self, body: dict[str, Any], parameter: str) -> bool:
        """Leave a parameter out from now on; False where the body has none, so that it was not the reason."""
        if parameter == "response_format":
            # That is held less strictly instead.
            return False
        inside = parameter == "reasoning_content" and any(parameter in message for message in body["messages"])
        if parameter in self._refused or not (parameter in body or inside):
            return False
        self._refused.add(parameter)
        return True

    def leave_out(self, body: dict[str, Any]) -> dict[str, Any]:
        """A body without what was refused."""
        kept = {name: value for name, value in body.items() if name not in self._refused}
        if "max_tokens" in body and "max_tokens" in self._refused:
            kept |= (
                {"max_completion_tokens": body["max_tokens"]} if "max_completion_tokens" not in self._refused else {}
            )
        if "logprobs" not in kept:
            kept.pop("top_logprobs", None)
        if "reasoning_content" in self._refused:
            kept["messages"] = [
                {name: value for name, value in message.items() if name != "reasoning_content"}
                for message in kept["messages"]
            ]
        return kept
