"""One question of a probe to a model, and what was heard in reply."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from chatbot.conversation.messages import Message, ToolCall
from chatbot.models.base import Call, Done, LanguageModel, ModelInfo, ReplyOptions, Text, Thinking
from chatbot.models.text_calls.described import described_tool
from chatbot.models.text_calls.parser import find_calls
from tools.base import ToolSchema

MAX_PROBE_TOKENS = 160
"""Tokens of a reply: enough for a call and for a short answer."""
MAX_THOUGHTFUL_TOKENS = 1024
"""The same for a model that thinks first."""


@dataclass(frozen=True)
class HeardReply:
    """A whole reply."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    thinking: str = ""
    is_cut: bool = False
    """It was ended at the number of tokens that it may have."""
    miscalled: str = ""
    """What it did in the place of calling a tool, in a few words; empty where it did not."""

    def call_of(self, *names: str) -> ToolCall | None:
        """The first call of one of some tools."""
        return next((call for call in self.calls if call.name in names), None)

    def tell_calls(self) -> str:
        """What was called instead, in a few words."""
        called = ", ".join(dict.fromkeys(call.name for call in self.calls))
        unfinished = "it came to no end" if self.is_cut else "it called nothing"
        return self.miscalled or (f"it called {called}" if called else unfinished)


@dataclass(frozen=True)
class ProbedModel:
    """A model that is asked with the beginning that Magpie's own questions have."""

    model: LanguageModel
    info: ModelInfo
    beginning: Sequence[Message] = ()
    """The system message, as a model is sent it that calls tools itself."""
    tools: Sequence[ToolSchema] = field(default_factory=tuple)

    def offers(self, *names: str) -> bool:
        """Whether all of some tools are offered."""
        return {*names} <= {tool.name for tool in self.tools}

    async def ask_with_tools(self, question: str, *after: Message) -> HeardReply:
        """What it does about a question with tools at hand; `after` is what happened since."""
        heard = await self.ask([*self.beginning, Message("user", question), *after], self.tools)
        if heard.calls:
            return heard
        written = find_calls(heard.text, self.tools, lambda name, arguments: True)
        told = described_tool(heard.text, self.tools, question)
        miscalled = "it wrote the call as text" if written else f"it only spoke of {told}" if told else ""
        return replace(heard, miscalled=miscalled)

    async def ask(self, messages: Sequence[Message], tools: Sequence[ToolSchema] = ()) -> HeardReply:
        """The likeliest reply; raises a `ModelError`."""
        text, thinking, calls, is_cut = "", "", list[ToolCall](), False
        limit = MAX_THOUGHTFUL_TOKENS if self.info.can_think else MAX_PROBE_TOKENS
        async with aclosing(self.model.reply(messages, tools, ReplyOptions(limit, 0.0))) as pieces:
            async for piece in pieces:
                match piece:
                    case Text(delta):
                        text += delta
                    case Thinking(delta):
                        thinking += delta
                    case Call(call):
                        calls.append(call)
                    case Done(reason=reason):
                        is_cut = reason == "length"
                    case _:
                        pass
        return HeardReply(text, tuple(calls), thinking, is_cut)
