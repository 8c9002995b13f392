"""What clients of OpenAI's API send: the words of a conversation, and what of the rest can be heeded."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from chatbot.conversation.messages import Message, Role, ToolCall
from chatbot.frontends.http_api.chats.choices import MODEL_NAME
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.models.settings import Generation
from tools.base import ToolSchema


class CompatibleModel(BaseModel):
    """A part of a request; what else clients send with it is passed over."""

    model_config = ConfigDict(extra="ignore", use_attribute_docstrings=True)


class ContentPart(CompatibleModel):
    """A part of a message."""

    type: Annotated[str, Field(max_length=50)]
    text: Annotated[str, Field(max_length=5_000_000)] = ""


Content = Annotated[str, Field(max_length=5_000_000)] | Annotated[list[ContentPart], Field(max_length=100)] | None


class FunctionCall(CompatibleModel):
    """What a model called."""

    name: Annotated[str, Field(max_length=200)]
    arguments: Annotated[str, Field(max_length=1_000_000)] = "{}"


class CallOfAssistant(CompatibleModel):
    """A call that an earlier reply had."""

    id: Annotated[str, Field(max_length=200)]
    function: FunctionCall


class SentMessage(CompatibleModel):
    """A message."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: Content = None
    tool_calls: Annotated[list[CallOfAssistant], Field(max_length=128)] | None = None
    tool_call_id: Annotated[str, Field(max_length=200)] = ""

    @property
    def words(self) -> str:
        """What is said in it; raises `ApiRefusal` for what is no text."""
        if self.content is None or isinstance(self.content, str):
            return self.content or ""
        for part in self.content:
            if part.type not in ("text", "input_text", "output_text"):
                problem = f"Magpie takes no content of the type {part.type[:50]} here."
                raise ApiRefusal(400, problem, "Send text.", code="unsupported_content")
        return "\n".join(part.text for part in self.content)


class FunctionOfCaller(CompatibleModel):
    """A function that the caller can carry out."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: Annotated[str, Field(max_length=20_000)] = ""
    parameters: dict[str, Any] = Field(default_factory=dict)


class ToolOfCaller(CompatibleModel):
    """A tool that the caller can carry out."""

    type: Literal["function"] = "function"
    function: FunctionOfCaller


class HeededOptions(CompatibleModel):
    """What of a reply can be chosen."""

    model: Annotated[str, Field(max_length=300, examples=[MODEL_NAME])] = MODEL_NAME
    """`magpie` for the one that the settings choose, or a name of /v1/models."""
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    seed: Annotated[int, Field(ge=-(2**31), lt=2**32)] | None = None
    stream: bool | None = None

    @property
    def most_tokens(self) -> int | None:
        """Tokens that the reply may have; None: as the settings say."""
        return None

    def heeded_in(self, generation: Generation) -> Generation:
        """How replies are made, with what is chosen here."""
        chosen: dict[str, Any] = {"temperature": self.temperature, "seed": self.seed, "max_tokens": self.most_tokens}
        return replace(generation, **{name: value for name, value in chosen.items() if value is not None})


@dataclass(frozen=True)
class SentConversation:
    """A conversation as it was sent: instructions, what was said before, and what is asked now."""

    instructions: str
    messages: tuple[Message, ...]

    @property
    def question(self) -> str:
        """What is asked; raises `ApiRefusal` where the last message asks nothing."""
        last = self.messages[-1] if self.messages else None
        if last is None or not last.is_question or not last.content.strip():
            problem = "The last message must be the user's, and say something."
            raise ApiRefusal(400, problem, "Put the question last.", code="no_question")
        return last.content


def read_conversation(sent: Sequence[SentMessage], instructions: str = "") -> SentConversation:
    """The conversation; raises `ApiRefusal` for what Magpie cannot take."""
    told = [instructions] if instructions.strip() else []
    messages: list[Message] = []
    called: dict[str, str] = {}
    for one in sent:
        if one.role in ("system", "developer"):
            told.append(one.words)
        elif one.role == "tool":
            if one.tool_call_id not in called:
                problem = "A result of a tool stands behind no call of it."
                raise ApiRefusal(400, problem, "Send the call before it.", code="no_call")
            said = Message("tool", one.words, tool_name=called[one.tool_call_id], call_id=one.tool_call_id)
            messages.append(said)
        else:
            role: Role = "user" if one.role == "user" else "assistant"
            calls = tuple(map(_read_call, one.tool_calls or ())) if role == "assistant" else ()
            called |= {call.id: call.name for call in calls}
            messages.append(Message(role, one.words, tool_calls=calls))
    return SentConversation("\n\n".join(told), tuple(messages))


def read_tools(tools: Sequence[ToolOfCaller]) -> tuple[ToolSchema, ...]:
    """The caller's tools as models are told of them."""
    nothing = {"type": "object", "properties": {}}
    return tuple(
        ToolSchema(one.function.name, one.function.description, one.function.parameters or nothing) for one in tools
    )


def _read_call(sent: CallOfAssistant) -> ToolCall:
    try:
        arguments = json.loads(sent.function.arguments or "{}")
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        problem = f"The arguments of the call {sent.id[:50]} are no JSON object."
        raise ApiRefusal(400, problem, "Send them as the model wrote them.", code="bad_arguments")
    return ToolCall(sent.function.name, arguments, sent.id)
