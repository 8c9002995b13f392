"""A reply with the caller's own tools: the model alone gives it, and Magpie carries nothing out for it."""

import secrets
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass

from chatbot.conversation.events import AnswerDelta, Answered, ThinkingDelta
from chatbot.conversation.json_events import event_object, versioned_object
from chatbot.conversation.messages import Message
from chatbot.conversation.usage import Usage
from chatbot.frontends.http_api.chats.held_chats import HeldChat
from chatbot.frontends.http_api.chats.live_answer import LiveAnswer
from chatbot.frontends.http_api.errors import ApiRefusal
from chatbot.frontends.http_api.openai_form.completions import CALLER_TOOL
from chatbot.frontends.http_api.openai_form.requests import SentConversation
from chatbot.models.base import Call, Done, LanguageModel, Piece, Text, Thinking
from tools.base import ToolSchema


@dataclass(frozen=True)
class ReplyWithTools:
    """What is asked of the model."""

    conversation: SentConversation
    tools: Sequence[ToolSchema]
    resumable: bool = False

    async def answer(self, held: HeldChat, answer: LiveAnswer) -> None:
        """Have the model reply; raises `ApiRefusal` where it cannot call tools by itself."""
        model, began = held.chat.agent.model, time.monotonic()
        await _require_tools(model)
        system = [Message("system", self.conversation.instructions)] if self.conversation.instructions else []
        text, usage, cut = "", Usage(), False
        pieces = model.reply([*system, *self.conversation.messages], self.tools)
        async with aclosing(pieces) as replied:
            async for piece in replied:
                _tell_piece(piece, answer)
                if isinstance(piece, Text):
                    text += piece.delta
                elif isinstance(piece, Done):
                    usage, cut = piece.usage, piece.reason == "length"
        answer.add_event(event_object(Answered(text, usage=usage, seconds=time.monotonic() - began, truncated=cut)))


async def _require_tools(model: LanguageModel) -> None:
    info = await model.describe()
    if not info.can_call_tools:
        problem = f"{info.label} calls no tools of a program that asks it."
        raise ApiRefusal(400, problem, "Choose a larger model, or leave tools out.", code="tools_unsupported")


def _tell_piece(piece: Piece, answer: LiveAnswer) -> None:
    match piece:
        case Text(delta):
            answer.add_event(event_object(AnswerDelta(delta)))
        case Thinking(delta):
            answer.add_event(event_object(ThinkingDelta(delta)))
        case Call(call):
            id = call.id or f"call_{secrets.token_hex(8)}"
            answer.add_event(versioned_object(CALLER_TOOL, {"id": id, "name": call.name, "arguments": call.arguments}))
        case _:
            pass
