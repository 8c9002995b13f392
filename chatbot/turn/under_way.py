"""A turn while its question is answered: what has been gathered so far, and what that amounts to at the end."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass, field

from chatbot.citations.stream import CitationCheck
from chatbot.conversation.conversation import Conversation
from chatbot.conversation.events import Answered, Notice, TurnEvent
from chatbot.conversation.usage import Usage
from chatbot.turn.model_reply import ModelReply
from chatbot.turn.shaping import Shaping
from chatbot.turn.tool_calls import TurnCalls

TurnStep = AsyncGenerator[TurnEvent, None]
"""One of the things that a turn is made of, as it goes on."""


@dataclass
class TurnUnderWay:
    """What is gathered while a question is answered."""

    question: str
    check: CitationCheck
    reply: ModelReply
    calls: TurnCalls
    answered: asyncio.Event
    """Set when the turn has ended, however."""
    shaping: Shaping
    """What is made of its answer."""
    usage: Usage = field(default_factory=Usage)
    ended: bool = False

    def sum_up(self, conversation: Conversation) -> Answered:
        """The answer with its sources, of a conversation that ends with this turn."""
        find = conversation.sources.find_sources
        handed = (source.number for source in conversation.last_turn.sources)
        return Answered(
            self.reply.text,
            find(self.check.cited),
            find(number for number in handed if number not in self.check.cited),
            tuple(self.check.unknown),
            self.usage + self.reply.usage,
            self.calls.seconds(),
            self.reply.truncated,
            tuple(self.calls.denied),
            tuple(self.check.unsupported),
        )

    def failings(self) -> list[Notice]:
        """What is to be told beside the answer: that it was not checked, or that there is none."""
        if self.reply.text.strip():
            failure = self.check.failure
            return [Notice(f"Sentences were not checked: {failure}", "warning")] if failure else []
        spent = " before it began to answer: max_tokens was used up" if self.reply.truncated else ""
        return [Notice(f"The model stopped without an answer{spent}.", "warning")]
